// The engine gives a board's orders the times that the board has.
#include "core/puzzles/real_plan.h"

#include "core/analysis/evaluation.h"
#include "core/base/indices.h"
#include "tests/core/puzzles/puzzle_fixture.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

using namespace stagecraft;
using namespace stagecraft::puzzles;

namespace {

/// A network of a layer for each stage, which takes the puzzle's times in seconds.
model::Problem problemOf(const Puzzle& puzzle) {
    model::Problem problem;
    for (int stage = 0; stage < puzzle.stages(); ++stage) {
        model::Layer layer;
        layer.name = "layer " + std::to_string(stage);
        layer.forwardS = puzzle.timesOf(stage).forward;
        layer.backwardS = puzzle.timesOf(stage).backward;
        layer.weightGradientS = puzzle.split ? puzzle.timesOf(stage).weightGradient : 0;
        layer.storedActivationBytes = 2;
        if (puzzle.transfer > 0) layer.outputBytes = layer.outputGradientBytes = 1024;
        problem.profile.layers.push_back(layer);
    }
    problem.cluster.switches = {{"switch", ""}};
    const double bandwidth = puzzle.transfer > 0 ? 1024.0 / puzzle.transfer : 1e18;
    for (int device = 0; device < puzzle.devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back(
            {.id = id, .server = "s" + std::to_string(device), .memoryBytes = 1e9});
        problem.cluster.links.push_back({.a = id, .b = "switch", .bandwidthBps = bandwidth});
    }
    problem.setup.microbatches = puzzle.microbatches;
    return problem;
}

Puzzle anyPuzzle() {
    const auto between = [](int least, int most) { return *rc::gen::inRange(least, most + 1); };
    Puzzle puzzle;
    puzzle.devices = between(1, 4);
    puzzle.microbatches = between(1, 5);
    puzzle.placement = *rc::gen::element(schedules::Placement::onePerRank, schedules::Placement::ring,
                                         schedules::Placement::vee);
    puzzle.chunks = puzzle.placement == schedules::Placement::onePerRank ? 1
                    : puzzle.placement == schedules::Placement::ring     ? between(2, 3)
                                                                         : 2;
    puzzle.split = *rc::gen::arbitrary<bool>();
    puzzle.times.clear();
    for (int stage = 0; stage < puzzle.stages(); ++stage) {
        const int weight = between(1, 3);
        puzzle.times.push_back({between(1, 4), weight + between(1, 3), weight});
    }
    puzzle.memoryLimit = *rc::gen::element(0, puzzle.chunks * 2);
    puzzle.transfer = 0;
    if (const int transfer = between(0, 1); transfer > 0 && puzzle.devices > 1) puzzle.transfer = 1;
    return puzzle;
}

/// Passes that are ready, in any order, as early as they can run.
PuzzleBoard playedAnyhow(const Puzzle& puzzle) {
    PuzzleBoard board(puzzle);
    while (true) {
        std::vector<model::Task> fitting;
        for (const ReadyPass& pass : board.ready())
            if (pass.fits) fitting.push_back(pass.task);
        if (fitting.empty()) return board;
        board.place(fitting[*rc::gen::inRange<std::size_t>(0, fitting.size())]);
    }
}

std::size_t comparePasses(const PuzzleBoard& board, const model::Timeline& timeline) {
    std::size_t seen = 0;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        if (!model::isPass(timeline.kind[block])) continue;
        using model::BlockKind;
        using model::TaskKind;
        const BlockKind kind = timeline.kind[block];
        const TaskKind task = kind == BlockKind::forward         ? TaskKind::forward
                              : kind == BlockKind::backward      ? TaskKind::backward
                              : kind == BlockKind::inputGradient ? TaskKind::inputGradient
                                                                 : TaskKind::weightGradient;
        const PlacedPass* placed = board.find({task, timeline.stage[block], timeline.microbatch[block]});
        RC_ASSERT(placed != nullptr);
        RC_ASSERT(std::abs(timeline.startS[block] - placed->start) < 1e-9);
        RC_ASSERT(std::abs(timeline.endS[block] - placed->end) < 1e-9);
        ++seen;
    }
    return seen;
}

}  // namespace

TEST(PuzzleTimes, AreThoseOfTheEngine) {
    int complete = 0;
    EXPECT_TRUE(rc::check([&] {
        const Puzzle puzzle = anyPuzzle();
        const PuzzleBoard board = playedAnyhow(puzzle);
        if (!board.score().complete()) return;  // memory is full, and no backward can come
        ++complete;
        const cost::CostModel costs(problemOf(puzzle));
        const model::Plan plan = realPlan(board, costs, "by hand");
        const analysis::Evaluation evaluation = analysis::evaluate(costs, plan);
        RC_ASSERT(evaluation.valid());
        RC_ASSERT(comparePasses(board, evaluation.timeline) == static_cast<std::size_t>(passCount(puzzle)));
        double peak = 0;
        for (const auto& curve : evaluation.memory)
            for (const double bytes :
                 curve.bytes()[static_cast<std::size_t>(memory::MemoryKind::activations)])
                peak = std::max(peak, bytes);
        RC_ASSERT(std::lround(peak) == board.score().peakHalves);
    }));
    EXPECT_GT(complete, 30);
}

TEST(RealPlan, SaysWhatAProblemLacks) {
    const Puzzle puzzle = puzzle_tests::puzzle("p=3,m=2,times=1:2");
    const model::Problem small = problemOf(puzzle_tests::puzzle("p=2,m=2,times=1:2"));
    EXPECT_EQ(whyNotReal(puzzle, small), "the cluster has 2 GPUs and the puzzle needs 3");
    model::Problem shallow = problemOf(puzzle);
    shallow.profile.layers.pop_back();
    EXPECT_EQ(whyNotReal(puzzle, shallow), "the network has 2 layers and the puzzle has 3 stages");
    const PuzzleBoard board(puzzle);
    try {
        realPlan(board, cost::CostModel(problemOf(puzzle)), "by hand");
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "12 passes of the puzzle are not placed yet");
    }
}
