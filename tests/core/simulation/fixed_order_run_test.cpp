#include "core/simulation/fixed_order_run.h"

#include "core/editing/plan_edit.h"
#include "core/schedules/families.h"
#include "core/simulation/build_graph.h"
#include "core/simulation/event_loop.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

using random_problem::upTo;

struct Instance {
    Problem problem;
    Plan plan;
    int iterations = 1;
};

Instance instanceOf(std::mt19937& random) {
    Instance made;
    made.problem = random_problem::problem(random, 1 + upTo(random, 8), 1 + upTo(random, 6));
    if (random() % 3 == 0) made.problem.setup.mode = TrainingMode::asynchronous;
    // In such units sums of the same durations round differently.
    if (random() % 2)
        for (Layer& layer : made.problem.profile.layers)
            for (double* seconds : {&layer.forwardS, &layer.backwardS, &layer.weightGradientS})
                *seconds *= 1e-3 / 7;
    made.plan = random_problem::plan(random, made.problem);
    if (random() % 2) made.plan.memory.layers.clear();
    // As few devices a stage as can be, or AllReduce is everywhere.
    if (random() % 2)
        for (Stage& stage : made.plan.stages) stage.devices.resize(1);
    made.iterations = 1 + upTo(random, 2);
    return made;
}

/// @param chunks of each copy of the network, on each rank
/// @param width devices a rank, which replicate each of its stages
Plan chunkedPlan(const Problem& problem, const ScheduleFamily& family, int chunks, int width = 1) {
    const int ranks = problem.cluster.deviceCount() / width;
    const bool copies = family.placement == Placement::opposite;
    const int stages = copies ? ranks : ranks * chunks, layers = problem.profile.layerCount();
    Plan plan;
    for (int copy = 0; copy < (copies ? 2 : 1); ++copy)
        for (int stage = 0; stage < stages; ++stage) {
            Stage& added = plan.stages.emplace_back();
            added.firstLayer = stage * layers / stages;
            added.lastLayer = (stage + 1) * layers / stages - 1;
            added.pipeline = copy;
            const int rank = copy ? ranks - 1 - stage : expectedRank(stage, ranks, family.placement);
            for (int replica = 0; replica < width; ++replica) added.devices.push_back(rank * width + replica);
        }
    plan.schedule = {FamilySchedule{family.id, {}}, family.backward == BackwardTasks::split};
    return plan;
}

/// Several stages a device, round the ring, in a V, or of two copies of the network.
Instance chunkedInstance(std::mt19937& random) {
    std::vector<const ScheduleFamily*> families;
    for (const ScheduleFamily& family : scheduleFamilies())
        if (family.backward != BackwardTasks::mixed && family.backward != BackwardTasks::whole &&
            family.placement != Placement::onePerRank)
            families.push_back(&family);
    const ScheduleFamily& family = *families[random() % families.size()];
    Instance made;
    const bool copies = family.placement == Placement::opposite;
    const int width = 1 + upTo(random, 1), ranks = copies ? 2 + 2 * upTo(random, 1) : 1 + upTo(random, 3);
    made.problem = random_problem::problem(random, 12 + upTo(random, 8), ranks * width);
    made.problem.setup.microbatches = ranks * (1 + upTo(random, 3));
    if (random() % 4 == 0) made.problem.setup.mode = TrainingMode::asynchronous;
    if (random() % 4) made.problem.setup.channel = ChannelMode::fullDuplex;
    if (random() % 2)  // sums of the same durations round differently
        for (Layer& layer : made.problem.profile.layers)
            for (double* seconds : {&layer.forwardS, &layer.backwardS, &layer.weightGradientS})
                *seconds *= 1e-3 / 7;
    made.plan = chunkedPlan(made.problem, family,
                            family.placement == Placement::ring ? 1 + upTo(random, 2) : 2, width);
    made.iterations = 1 + upTo(random, 2);
    return made;
}

/// The orders of a plan's devices with two neighbours exchanged: may deadlock, may send in another order.
void exchangeTasks(std::mt19937& random, Instance& instance) {
    const Timeline timeline = simulate(CostModel(instance.problem), instance.plan);
    ExplicitSchedule schedule;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        std::vector<Task> order;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            if (timeline.kind[block] == BlockKind::recompute)
                order.push_back({TaskKind::recompute, timeline.stage[block], timeline.microbatch[block]});
            else
                for (const Task& task : orderedTasks(timeline, block)) order.push_back(task);
        const std::size_t first = random() % (order.size() - 1);
        std::swap(order[first], order[first + 1]);
        for (const int device : lane.devices) schedule.orders[device] = order;
    }
    instance.plan.schedule.order = schedule;
}

void expectSame(const Timeline& a, const Timeline& b) {
    RC_ASSERT(a.lanes.size() == b.lanes.size());
    for (std::size_t lane = 0; lane < a.lanes.size(); ++lane) {
        RC_ASSERT(a.lanes[lane].firstBlock == b.lanes[lane].firstBlock);
        RC_ASSERT(a.lanes[lane].endBlock == b.lanes[lane].endBlock);
    }
    RC_ASSERT(a.slice == b.slice);
    RC_ASSERT(a.pairs == b.pairs);
    RC_ASSERT(a.startS == b.startS);
    RC_ASSERT(a.endS == b.endS);
    RC_ASSERT(a.kind == b.kind);
    RC_ASSERT(a.stage == b.stage);
    RC_ASSERT(a.microbatch == b.microbatch);
    RC_ASSERT(a.iteration == b.iteration);
    RC_ASSERT(a.waitedFor == b.waitedFor);
    RC_ASSERT(a.waitReason == b.waitReason);
}

/// What the event loop finds, or nothing where it reports a deadlock.
std::optional<Timeline> byEvents(const ExecutionGraph& graph) {
    try {
        return EventLoop(graph, {}).run();
    } catch (const SimulationError&) {
        return std::nullopt;
    }
}

/// Draws instances until some are of the kind that the run takes, and compares it with the event loop on
/// them.
template <typename Draw>
void compareOn(Draw draw) {
    for (int tries = 0, compared = 0; compared < 3; ++tries) {
        RC_ASSERT(tries < 500);
        const Instance instance = draw();
        const CostModel costs(instance.problem);
        const ExecutionGraph graph = buildExecutionGraph(costs, instance.plan, instance.iterations);
        FixedOrderRun fixed(graph, {});
        if (!fixed.applies()) continue;
        std::optional<Timeline> timeline = fixed.run(), expected = byEvents(graph);
        if (fixed.undecided()) continue;
        ++compared;
        RC_ASSERT(timeline.has_value() == expected.has_value());
        const std::optional<double> lastEndS = FixedOrderRun(graph, {}).lastEndS();
        RC_ASSERT(lastEndS == (expected ? std::optional(expected->lastEndS()) : std::nullopt));
        if (!timeline) continue;
        expectSame(*timeline, *expected);
        // What it says of its times makes no difference to them.
        joinInstants(*timeline, fixed.origin());
        joinInstants(*expected);
        expectSame(*timeline, *expected);
    }
}

RC_GTEST_PROP(FixedOrderRun, GivesTheTimelineOfTheEventLoopToTheBit, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    compareOn([&] { return instanceOf(random); });
}

RC_GTEST_PROP(FixedOrderRun, GivesTheTimelineOfTheEventLoopWithSeveralStagesADevice, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    compareOn([&] { return chunkedInstance(random); });
}

RC_GTEST_PROP(FixedOrderRun, AgreesWithTheEventLoopOnOrdersOfSeveralStagesADevice, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    compareOn([&] {
        Instance instance = chunkedInstance(random);
        instance.problem.setup.mode = TrainingMode::synchronous;
        exchangeTasks(random, instance);
        return instance;
    });
}

TEST(FixedOrderRun, TakesEveryFamilyWithSeveralStagesADevice) {
    std::mt19937 random(4);
    Problem problem = random_problem::problem(random, 16, 4);
    problem.cluster.devices.resize(4);
    problem.setup.microbatches = 8;
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.channel = ChannelMode::fullDuplex;
    const CostModel costs(problem);
    for (const char* id : {"interleaved", "breadth-first", "zb-v", "v-half", "v-min", "chimera"})
        for (const int width : {1, 2}) {
            const ScheduleFamily& family = *findScheduleFamily(id);
            const Plan plan = chunkedPlan(problem, family, 2, width);
            const ExecutionGraph graph = buildExecutionGraph(costs, plan, 2);
            FixedOrderRun fixed(graph, {});
            ASSERT_TRUE(fixed.applies()) << id << " on " << width;
            EXPECT_TRUE(fixed.run()) << id << " on " << width;
        }
}

// Else the properties above would not compare such updates.
TEST(FixedOrderRun, PutsUpdatesAmongOtherBlocksWhereTheirAllReduceEnds) {
    std::mt19937 random(9);
    int among = 0;
    for (int tries = 0; tries < 100; ++tries) {
        Instance made = chunkedInstance(random);
        made.problem.setup.allreduceOverlaps = true;
        made.problem.setup.mode = TrainingMode::synchronous;
        const ExecutionGraph graph = buildExecutionGraph(CostModel(made.problem), made.plan, made.iterations);
        FixedOrderRun fixed(graph, {});
        if (!fixed.applies()) continue;
        const std::optional<Timeline> timeline = fixed.run();
        if (!timeline) continue;
        for (const Lane& lane : timeline->lanes)
            for (std::uint32_t block = lane.firstBlock; block + 1 < lane.endBlock; ++block)
                among += timeline->kind[block] == BlockKind::update &&
                         timeline->kind[timeline->waitedFor[block]] == BlockKind::allReduce &&
                         timeline->kind[block + 1] != BlockKind::update &&
                         timeline->iteration[block + 1] == timeline->iteration[block];
    }
    EXPECT_GT(among, 0);
}

/// Two devices train both of their stages together. The AllReduce of the later one takes about as long as a
/// backward of the earlier one, so that the update and the second such backward come at about one time.
TEST(FixedOrderRun, LeavesUpdatesToTheEventLoopThatRoundingAlonePartsFromABlock) {
    Problem problem;
    for (int layer = 0; layer < 2; ++layer)
        problem.profile.layers.push_back({"layer", 1.1, 2.3, 8, 4, 4, 0, 1});
    for (int device = 0; device < 2; ++device)
        problem.cluster.devices.push_back({std::to_string(device), "s", "", 1e9, 1, 0});
    problem.cluster.links.push_back({"0", "1", 8, 0, ""});
    problem.setup.microbatches = 2;
    const Plan plan = chunkedPlan(problem, *findScheduleFamily("breadth-first"), 2, 2);
    ExecutionGraph graph = buildExecutionGraph(CostModel(problem), plan, 1);
    const auto rowOf = [&](BlockKind kind, int stage) -> TaskRow& {
        return *std::find_if(graph.rows.begin(), graph.rows.end(),
                             [&](const TaskRow& row) { return row.kind == kind && row.stage == stage; });
    };
    for (const double longer : {-0.25, -1e-14, 0.0, 1e-14, 0.25}) {
        rowOf(BlockKind::allReduce, 1).variants[0].durationS =
            rowOf(BlockKind::backward, 0).variants[0].durationS * (1 + longer);
        FixedOrderRun fixed(graph, {});
        ASSERT_TRUE(fixed.applies());
        const std::optional<Timeline> timeline = fixed.run();
        const bool isClose = longer != 0 && std::abs(longer) < 1e-12;
        EXPECT_EQ(fixed.undecided(), isClose) << longer;
        ASSERT_EQ(timeline.has_value(), !isClose) << longer;
        if (!timeline) continue;
        const Timeline expected = EventLoop(graph, {}).run();
        EXPECT_EQ(timeline->startS, expected.startS) << longer;
        EXPECT_EQ(timeline->kind, expected.kind) << longer;
        EXPECT_EQ(timeline->waitedFor, expected.waitedFor) << longer;
    }
}

RC_GTEST_PROP(FixedOrderRun, AgreesWithTheEventLoopOnOrdersSpelledOutAndOnDeadlocks, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    compareOn([&] {
        Instance instance = instanceOf(random);
        exchangeTasks(random, instance);
        return instance;
    });
}

TEST(FixedOrderRun, OfInputsThatComeAtOneInstantNamesTheSameAsTheEventLoop) {
    // Two copies of one layer share an AllReduce, so that both update at one instant and the next iteration
    // waits for both.
    Problem problem;
    problem.profile.layers.push_back({"layer", 1, 2, 8, 4, 4, 0, 1});
    for (int device = 0; device < 2; ++device)
        problem.cluster.devices.push_back({std::to_string(device), "s", "", 1e9, 1, 0});
    problem.cluster.links.push_back({"0", "1", 8, 0, ""});
    problem.setup.microbatches = 4;
    Plan plan;
    plan.stages = {{0, 0, {0}, 0}, {0, 0, {1}, 1}};
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    const CostModel costs(problem);
    const ExecutionGraph graph = buildExecutionGraph(costs, plan, 2);
    FixedOrderRun fixed(graph, {});
    ASSERT_TRUE(fixed.applies());
    const std::optional<Timeline> timeline = fixed.run();
    ASSERT_TRUE(timeline);
    const Timeline expected = EventLoop(graph, {}).run();
    EXPECT_EQ(timeline->waitedFor, expected.waitedFor);
    const std::uint32_t next = timeline->find(BlockKind::forward, 0, 0, 1);
    ASSERT_NE(next, noBlock);
    EXPECT_EQ(timeline->waitedFor[next], timeline->find(BlockKind::update, 1, -1, 0));
}

TEST(FixedOrderRun, LeavesPlansToTheEventLoopWhoseChannelsServeSeveralSenders) {
    Problem problem;
    for (int stage = 0; stage < 2; ++stage) {
        problem.profile.layers.push_back({"layer", 1, 2, 0, 4, 4, 0, 1});
        problem.cluster.devices.push_back({std::to_string(stage), "s", "", 1e9, 1, 0});
    }
    problem.cluster.links.push_back({"0", "1", 8, 0, ""});
    problem.setup.microbatches = 4;
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    const auto applies = [&](ChannelMode mode) {
        problem.setup.channel = mode;
        return FixedOrderRun(buildExecutionGraph(CostModel(problem), plan, 1), {}).applies();
    };
    EXPECT_TRUE(applies(ChannelMode::fullDuplex));
    EXPECT_FALSE(applies(ChannelMode::halfDuplexFifo));
}

}  // namespace
}  // namespace stagecraft
