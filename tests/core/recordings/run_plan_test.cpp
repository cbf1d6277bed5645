// samples/runner runs plans on processes: what it records is their order.
#include "core/analysis/block_input_table.h"
#include "core/editing/plan_edit.h"
#include "core/formats/files/project_file.h"
#include "core/formats/traces/timeline_csv.h"
#include "core/recordings/recorded_passes.h"
#include "tests/core/recordings/recorded_plans.h"
#include "tests/support/test_extent.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <tuple>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

/// A Python that has torch; empty if there is none. Debian's may not be the first on the path.
const std::string& torchPython() {
    static const std::string found = [] {
        const std::string looks =
            " -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec(\"torch\") is None)' "
            ">/dev/null 2>&1";
        for (const std::string candidate : {"python3", "/usr/bin/python3"})
            if (std::system((candidate + looks).c_str()) == 0) return candidate;
        return std::string();
    }();
    return found;
}

/// Layers so short that a run takes milliseconds, for every family: with words at both ends and tokens that
/// need none after them.
Problem shortProblem(int ranks, int microbatches) {
    Problem problem = chainProblem(2 * ranks + 2, ranks, microbatches);
    problem.profile.microbatchSize = ranks;
    problem.profile.causalSequence = true;
    for (Layer& layer : problem.profile.layers) layer.outputBytes = layer.outputGradientBytes = 4096;
    problem.profile.layers.front().vocabulary = VocabularyLayer::embedding;
    problem.profile.layers.back().vocabulary = VocabularyLayer::head;
    return problem;
}

/// Passes as "0:F1", with the slice where sequences are cut; the two of a pair one after the other.
std::vector<std::string> passesOn(const Timeline& timeline, int device, int iteration) {
    std::vector<std::string> passes;
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.computeLaneOf(device))];
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
        if (timeline.iteration[block] == iteration)
            timeline.eachPass(block, [&](const Pass& pass) {
                const char letter = passKind(pass.kind).letter;
                if (letter != 0 && passKind(pass.kind).role == PassRole::computes)
                    passes.push_back(std::to_string(pass.stage) + ":" + letter +
                                     std::to_string(pass.microbatch) + "." + std::to_string(pass.slice));
            });
    return passes;
}

/// Two stages over two copies each, which share the words out among their own two devices.
PlanRun copiesRun(const std::string& family) {
    PlanRun run = familyRun(shortProblem(4, 12), "1f1b");
    Plan plan = run.result.plan;
    const int last = run.costs->layerCount() - 1;
    plan.stages = {{0, last / 2, {0, 2}}, {last / 2 + 1, last, {3, 1}}};
    plan.schedule.order = FamilySchedule{family, {}};
    return evaluatePlan(run.costs, plan);
}

/// Two stages a device in an order that nothing but what passes need decides.
PlanRun randomRun(std::mt19937& random, int ranks) {
    constexpr int microbatches = 6;
    PlanRun run = familyRun(shortProblem(ranks, microbatches), "interleaved");
    Plan plan = run.result.plan;
    ExplicitSchedule orders;
    std::vector<Task> waiting;
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        for (int microbatch = 0; microbatch < microbatches; ++microbatch)
            for (const TaskKind kind : {TaskKind::forward, TaskKind::backward})
                waiting.push_back({kind, stage, microbatch});
    std::set<std::tuple<TaskKind, int, int>> done;
    while (!waiting.empty()) {
        const auto next = waiting.begin() + static_cast<std::ptrdiff_t>(random() % waiting.size());
        const auto isDone = [&](TaskKind kind, int stage) {
            return stage < 0 || stage == plan.stageCount() || done.contains({kind, stage, next->microbatch});
        };
        const bool isForward = next->kind == TaskKind::forward;
        if (!isDone(TaskKind::forward, isForward ? next->stage - 1 : next->stage) ||
            (!isForward && !isDone(TaskKind::backward, next->stage + 1)))
            continue;
        done.insert({next->kind, next->stage, next->microbatch});
        orders.orders[plan.stages[static_cast<std::size_t>(next->stage)].devices.front()].push_back(*next);
        waiting.erase(next);
    }
    plan.schedule.order = std::move(orders);
    return evaluatePlan(run.costs, plan);
}

/// Of transfers that were recorded.
struct Sent {
    int all = 0;
    int late = 0;  ///< after the sender had begun another pass
};

Sent sentIn(const Recording& recording) {
    Sent sent;
    const RecordedPasses passes(recording);
    const Timeline& timeline = recording.timeline;
    for (const int lane : passes.lanes())
        for (std::uint32_t block = timeline.lanes[static_cast<std::size_t>(lane)].firstBlock;
             block < timeline.lanes[static_cast<std::size_t>(lane)].endBlock; ++block) {
            const AwaitedInput input = passes.inputOf(block);
            if (input.transfer == noBlock) continue;
            const std::uint32_t next = input.producer + 1;
            ++sent.all;
            if (passes.isOnLane(next, timeline.laneOf(input.producer)) &&
                timeline.startS[next] < timeline.startS[input.transfer])
                ++sent.late;
        }
    return sent;
}

/// Plans that are run in one go, and what is expected of them.
class RunPlan : public ::testing::Test {
protected:
    void SetUp() override {
        if (torchPython().empty())
            GTEST_SKIP() << "no PyTorch here (Debian: python3-torch, or ./dev setup runner)";
    }

    void add(const std::string& name, PlanRun run) {
        ASSERT_TRUE(run.ok()) << name << ": " << run.result.reason;
        PlanFile file;
        file.plan = run.result.plan;
        file.problem = run.costs->problem();
        folder_.add(name + ".plan.json", writePlan(file));
        const BlockInputTable inputs(BlockGraph(run.evaluation->graph, run.evaluation->timeline));
        folder_.add(name + ".table.csv",
                    writeTimelineCsv(run.evaluation->timeline, run.costs->problem().cluster,
                                     [&](std::uint32_t block) { return inputs.of(block); }));
        plans_ += " " + name + ".plan.json";
        tables_ += " --table " + name + ".table.csv";
        runs_.emplace_back(name, std::move(run));
    }

    /// All of them; each device then ran what the plan has, in its order, in both iterations.
    void runAndCheck() {
        const std::string command =
            "cd " + folder_.path().string() + " && " + torchPython() + " " + STAGECRAFT_SOURCE_DIR +
            "/samples/runner/run_plan.py --iterations 2 --time-scale 0.02 --product-s 5e-5" +
            " --timeout-s 60 --out ." + plans_ + tables_ + " >said 2>&1";
        const int status = std::system(command.c_str());
        ASSERT_EQ(status, 0) << readTextFile(folder_.path() / "said");
        Sent sent;
        for (const auto& [name, run] : runs_) {
            const Recording recording = readRecording({folder_.path() / (name + ".passes.csv")});
            const Timeline& planned = run.evaluation->timeline;
            for (int device = 0; device < run.costs->problem().cluster.deviceCount(); ++device)
                for (int iteration = 0; iteration < 2; ++iteration)
                    EXPECT_EQ(passesOn(recording.timeline, device, iteration), passesOn(planned, device, 0))
                        << name << ", device " << device << ", iteration " << iteration;
            if (!run.evaluation->timeline.pairs.empty())
                continue;  // they are two passes, and send after both
            const Sent own = sentIn(recording);
            sent.all += own.all, sent.late += own.late;
        }
        // What is sent goes before the next pass; few are held up by the message before them.
        EXPECT_GT(sent.all, 0);
        EXPECT_LT(sent.late, 0.25 * sent.all);
    }

    TraceFolder folder_;

private:
    std::string plans_, tables_;
    std::vector<std::pair<std::string, PlanRun>> runs_;
};

}  // namespace

// In full every family runs on two to four processes, and many orders that no family has; else a few on two.
// All are run in one go, since it is PyTorch that takes long to load.
TEST_F(RunPlan, WhatThePlanOrdersIsRunAndRecorded) {
    for (int ranks = 2; ranks <= (inFull() ? 4 : 2); ++ranks)
        for (const ScheduleFamily& family : scheduleFamilies()) {
            const bool needsEven = family.id == "chimera" || family.id == "dualpipe";
            if (needsEven && ranks % 2 != 0) continue;
            if (inFull() ||
                std::set<std::string>{"zb-v", "dualpipe", "seq1f1b", "vocab-1", "interlaced"}.contains(
                    family.id))
                add(family.id + "-" + std::to_string(ranks), familyRun(shortProblem(ranks, 12), family.id));
        }
    for (const char* family : {"vocab-2", "interlaced"})
        add(family + std::string("-copies"), copiesRun(family));
    std::mt19937 random(7);
    for (int number = 0; number < (inFull() ? 30 : 3); ++number)
        add("random-" + std::to_string(number), randomRun(random, inFull() ? 2 + number % 3 : 2));
    runAndCheck();
}
