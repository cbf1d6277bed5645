#include "core/analysis/idle_cause.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/graph_of.h"
#include "tests/support/every_room.h"
#include "core/analysis/metrics.h"
#include "core/simulation/build_graph.h"
#include "core/simulation/event_loop.h"
#include "tests/core/support/random_problem.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

constexpr int delayCases = 300;

struct DelayCase {
    CostModel costs;
    Plan plan;
    Timeline timeline;
};

DelayCase randomCase(int seed, bool swaps) {
    std::mt19937 random(static_cast<unsigned>(seed));
    Problem problem = random_problem::problem(random, 3 + seed % 5, 2 + seed % 4);
    Plan plan = random_problem::plan(random, problem);
    if (!swaps)
        std::erase_if(plan.memory.layers, [](const auto& each) { return each.second == LayerMemory::swap; });
    if (seed % 4 == 1) {
        problem.setup.mode = TrainingMode::asynchronous;
        plan.weights.kind = seed % 8 == 1 ? WeightPolicyKind::doubleBuffer : WeightPolicyKind::stashing;
    }
    CostModel costs(problem);
    Timeline timeline = simulate(costs, plan, {1 + seed % 4, {}});
    return {std::move(costs), std::move(plan), std::move(timeline)};
}

/// The plan's tasks with the order of every lane taken from the timeline; one task takes longer.
double makespanWithDelay(const DelayCase& given, const BlockGraph& blocks, std::uint32_t delayed,
                         double delayS) {
    const Timeline& timeline = given.timeline;
    const int iterations = 1 + *std::max_element(timeline.iteration.begin(), timeline.iteration.end());
    ExecutionGraph graph = buildExecutionGraph(given.costs, given.plan, iterations);
    const auto refOf = [&](std::uint32_t task) {
        int row = static_cast<int>(graph.rows.size()) - 1;
        while (graph.rows[static_cast<std::size_t>(row)].firstTask > task) --row;
        return TaskRef{row, task - graph.rows[static_cast<std::size_t>(row)].firstTask};
    };
    for (std::size_t lane = 0; lane < graph.programs.size(); ++lane) {
        graph.programs[lane].discipline = LaneDiscipline::ordered;
        graph.programs[lane].order.clear();
        for (std::uint32_t block = timeline.lanes[lane].firstBlock; block < timeline.lanes[lane].endBlock;
             ++block)
            if (timeline.kind[block] != BlockKind::update)
                graph.programs[lane].order.push_back(refOf(blocks.taskOf(block)));
    }
    const TaskRef longer = refOf(blocks.taskOf(delayed));
    TaskRow& row = graph.rows[static_cast<std::size_t>(longer.row)];
    std::vector<TaskVariant> each;
    for (std::uint32_t entry = 0; entry < row.perIteration * static_cast<std::uint32_t>(iterations); ++entry)
        each.push_back(graph.variant(row, entry));
    each[longer.entry].durationS += delayS;
    row.variants = std::move(each);
    return EventLoop(std::move(graph), {}).run().lastEndS();
}

}  // namespace

TEST(Slack, DelayingABlockByItsSlackKeepsTheEndAndMoreMovesItByTheRest) {
    int delayed = 0;
    for (int seed = 0; seed < delayCases; ++seed) {
        const DelayCase given = randomCase(seed, false);
        const BlockGraph graph(graphOf(given.costs, given.plan, given.timeline), given.timeline);
        const std::vector<double> slack = slacksS(graph);
        const double endS = given.timeline.lastEndS();
        std::mt19937 random(static_cast<unsigned>(seed));
        for (int draw = 0; draw < 4; ++draw) {
            const auto block = static_cast<std::uint32_t>(random() % given.timeline.blockCount());
            // An update has no length of its own to change.
            if (given.timeline.kind[block] == BlockKind::update) continue;
            const auto makespan = [&](double delayS) {
                return makespanWithDelay(given, graph, block, delayS);
            };
            EXPECT_NEAR(makespan(0), endS, 1e-9 * endS) << "seed " << seed;
            EXPECT_NEAR(makespan(slack[block]), endS, 1e-9 * endS) << "seed " << seed << ", block " << block;
            EXPECT_NEAR(makespan(slack[block] + 0.5), endS + 0.5, 1e-9 * endS)
                << "seed " << seed << ", block " << block;
            delayed += slack[block] > 0;
        }
    }
    EXPECT_GT(delayed, delayCases / 2);
}

TEST(Slack, IsNoneAlongTheCriticalPathAndNeverNegative) {
    for (int seed = 0; seed < delayCases; ++seed) {
        const DelayCase given = randomCase(seed, false);
        const std::vector<double> slack =
            slacksS(BlockGraph(graphOf(given.costs, given.plan, given.timeline), given.timeline));
        EXPECT_GE(*std::min_element(slack.begin(), slack.end()), 0);
        const CriticalPath path = criticalPath(given.timeline);
        if (path.waitingS > 1e-9) continue;  // of a task on several lanes the other lane may have decided
        for (const std::uint32_t block : path.blocks)
            EXPECT_EQ(slack[block], 0) << "seed " << seed << ": " << describeBlock(given.timeline, block);
    }
}

TEST(IdleCause, EachLinkEndsWhenTheNextStartsAndTheChainReachesBackToTheStretch) {
    int chains = 0, long_ = 0;
    for (int seed = 0; seed < delayCases; ++seed) {
        const DelayCase given = randomCase(seed, seed % 2 == 0);
        const Timeline& timeline = given.timeline;
        const BlockGraph graph(graphOf(given.costs, given.plan, timeline), timeline);
        const double rounding = 1e-9 * timeline.lastEndS();
        for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
            if (timeline.lanes[lane].kind != LaneKind::compute) continue;
            for (int sample = 0; sample < 20; ++sample) {
                const double timeS = timeline.lastEndS() * (sample + 0.5) / 20;
                const auto cause = idleCause(graph, static_cast<int>(lane), timeS);
                if (!cause) continue;
                ++chains;
                long_ += cause->chain.size() > 2;
                EXPECT_LE(cause->fromS, timeS);
                EXPECT_GT(cause->toS, timeS);
                double startS = cause->toS;
                for (const IdleLink& link : cause->chain) {
                    EXPECT_NEAR(timeline.endS[link.block], startS, rounding)
                        << "seed " << seed << " lane " << lane << " at " << timeS << ": "
                        << describeBlock(timeline, link.block);
                    startS = timeline.startS[link.block];
                }
                EXPECT_LE(startS, std::max(cause->fromS, 0.0) + rounding) << "seed " << seed;
            }
        }
    }
    EXPECT_GT(chains, delayCases);
    EXPECT_GT(long_, delayCases / 4);
}

TEST(IdleCause, IsFoundExactlyWhereNoBlockOfTheLaneRuns) {
    for (int seed = 0; seed < delayCases / 3; ++seed) {
        const DelayCase given = randomCase(seed, true);
        const Timeline& timeline = given.timeline;
        const BlockGraph graph(graphOf(given.costs, given.plan, timeline), timeline);
        for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane)
            for (int sample = 0; sample < 30; ++sample) {
                const double timeS = timeline.lastEndS() * (sample + 0.37) / 30;
                bool busy = false;
                for (std::uint32_t block = timeline.lanes[lane].firstBlock;
                     block < timeline.lanes[lane].endBlock; ++block)
                    busy |= timeline.startS[block] <= timeS && timeS < timeline.endS[block];
                EXPECT_NE(idleCause(graph, static_cast<int>(lane), timeS).has_value(), busy);
            }
    }
}

TEST(IdleCause, IsToldInWordsWithWhatTheDeviceWaitsFor) {
    Problem problem;
    for (int layer = 0; layer < 2; ++layer) problem.profile.layers.push_back({"l", 1, 2, 8, 4, 4, 16, 1});
    for (int device = 0; device < 2; ++device)
        problem.cluster.devices.push_back({"g" + std::to_string(device), "s", "", 1e9, 1, 32});
    problem.cluster.links.push_back({"g0", "g1", 4, 0, ""});  // a transfer takes a second
    problem.setup.microbatches = 1;
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    plan.schedule.order = FamilySchedule{"gpipe", {}};
    const CostModel costs(problem);
    const Timeline timeline = simulate(costs, plan);
    const BlockGraph graph(graphOf(costs, plan, timeline), timeline);
    // Forward 0–1 on g0, transfer 1–2, forward 2–3 and backward 3–5 on g1, transfer 5–6, backward 6–8 on g0.
    const auto cause = idleCause(graph, 0, 4);
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->fromS, 1);
    EXPECT_EQ(cause->toS, 6);
    const std::vector<std::string> expected = {
        "g0 is idle for 5.00 s before the backward of microbatch 0 on stage 0",
        "it waits for the transfer backward of microbatch 0 from stage 1 to stage 0, which gives its input",
        "that waits for the backward of microbatch 0 on stage 1, which gives its input",
        "that waits for the forward of microbatch 0 on stage 1, which gives its input",
        "that waits for the transfer forward of microbatch 0 from stage 0 to stage 1, which gives its input",
        "that was under way when g0 fell idle"};
    EXPECT_EQ(idleCauseText(timeline, *cause, "g0"), expected);
    const auto drained = idleCause(graph, 1, 7);
    ASSERT_TRUE(drained);
    EXPECT_EQ(drained->next, noBlock);
    EXPECT_EQ(idleCauseText(timeline, *drained, "g1").at(1),
              "what ends last is the backward of microbatch 0 on stage 0");
}
