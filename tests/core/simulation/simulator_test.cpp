#include "core/analysis/evaluation.h"
#include "core/base/work_context.h"
#include "tests/support/every_room.h"
#include "tests/core/support/golden_cases.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

Plan policyPlan(std::vector<Stage> stages, const std::string& policy) {
    Plan plan;
    plan.stages = std::move(stages);
    plan.schedule.order = FamilySchedule{policy, {}};
    return plan;
}

double makespan(Problem problem, const Plan& plan, ChannelMode channel) {
    problem.setup.channel = channel;
    return simulate(CostModel(std::move(problem)), plan).lastEndS();
}

/// Layers of one second each way on as many devices, free transfers.
Problem unitChain(int layers, int devices, int microbatches) {
    Problem problem;
    for (int layer = 0; layer < layers; ++layer)
        problem.profile.layers.push_back({"l", 1, 1, 8, 4, 4, 16, 0.5});
    for (int device = 0; device < devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 32});
        if (device > 0) problem.cluster.links.push_back({"g" + std::to_string(device - 1), id, 1e12, 0, ""});
    }
    problem.setup.microbatches = microbatches;
    return problem;
}

std::vector<Stage> oneLayerAStage(int stages) {
    std::vector<Stage> all;
    for (int stage = 0; stage < stages; ++stage) all.push_back({stage, stage, {stage}});
    return all;
}

}  // namespace

class FixedPlanCase : public ::testing::TestWithParam<const char*> {};

TEST_P(FixedPlanCase, MakespansOfPe1F1BAndGPipeAreTheReference) {
    const auto golden = stagecraft::testing::goldenCase(GetParam());
    const Problem problem = stagecraft::testing::problemOf(golden.input);
    const std::vector<Stage> stages = stagecraft::testing::stagesOf(golden.input.at("plan"));
    const nlohmann::json& expected = golden.expected;
    const auto check = [&](const std::string& policy, ChannelMode mode, const nlohmann::json& seconds) {
        EXPECT_NEAR(makespan(problem, policyPlan(stages, policy), mode), seconds.get<double>(), 1e-9)
            << policy;
    };
    check("pe", ChannelMode::fullDuplex, expected.at("makespan").at("full"));
    check("pe", ChannelMode::halfDuplexFifo, expected.at("makespan").at("half_fifo"));
    check("pe", ChannelMode::halfDuplex, expected.at("makespan").at("half_order"));
    check("1f1b", ChannelMode::fullDuplex, expected.at("makespan_1f1b").at("full"));
    check("1f1b", ChannelMode::halfDuplexFifo, expected.at("makespan_1f1b").at("half_fifo"));
    check("gpipe", ChannelMode::fullDuplex, expected.at("makespan_gpipe_order").at("full"));
    check("gpipe", ChannelMode::halfDuplexFifo, expected.at("makespan_gpipe_order").at("half_fifo"));
}

INSTANTIATE_TEST_SUITE_P(Golden, FixedPlanCase,
                         ::testing::Values("spp-07-pe-two-stages", "spp-08-pe-one-microbatch",
                                           "spp-09-lemma1-fifo-counterexample", "spp-10-pe-random",
                                           "spp-12-pe-random"));

TEST(Simulator, GPipeAnd1F1BOnEqualStagesTakeTheTextbookTime) {
    // (p - 1 + m)(F + B) with F = B = 1, transfers of 4 ps each.
    for (const char* policy : {"gpipe", "1f1b"})
        EXPECT_NEAR(simulate(CostModel(unitChain(4, 4, 8)), policyPlan(oneLayerAStage(4), policy)).lastEndS(),
                    22, 1e-9);
}

TEST(Simulator, IterationsOfASynchronousPlanRepeatWithoutOverlap) {
    Problem problem = unitChain(3, 3, 4);
    const Plan plan = policyPlan(oneLayerAStage(3), "1f1b");
    const CostModel costs(problem);
    const double one = simulate(costs, plan).lastEndS();
    SimulationOptions three;
    three.iterations = 3;
    EXPECT_NEAR(simulate(costs, plan, three).lastEndS(), 3 * one, 1e-9);
}

TEST(Simulator, WithoutABarrierMiniBatchesOverlap) {
    Problem problem = unitChain(3, 3, 4);
    problem.setup.mode = TrainingMode::asynchronous;
    const Evaluation evaluation = evaluate(CostModel(problem), policyPlan(oneLayerAStage(3), "1f1b"));
    EXPECT_NEAR(evaluation.metrics.iterationTimeS, 4 * 2, 1e-6);  // the load of each stage, no bubbles
    EXPECT_NEAR(evaluation.metrics.planBound.seconds, 4 * 2, 1e-9);
}

TEST(Simulator, AWaitingCircleIsNamed) {
    Problem problem = unitChain(2, 2, 2);
    Plan plan = policyPlan(oneLayerAStage(2), "");
    ExplicitSchedule orders;
    // Stage 0 wants the gradient of microbatch 0 before it sends microbatch 1, stage 1 wants both forwards
    // first.
    orders.orders[0] = {{TaskKind::forward, 0, 0},
                        {TaskKind::backward, 0, 0},
                        {TaskKind::forward, 0, 1},
                        {TaskKind::backward, 0, 1}};
    orders.orders[1] = {{TaskKind::forward, 1, 0},
                        {TaskKind::forward, 1, 1},
                        {TaskKind::backward, 1, 0},
                        {TaskKind::backward, 1, 1}};
    plan.schedule.order = orders;
    try {
        simulate(CostModel(problem), plan);
        FAIL() << "the deadlock went unnoticed";
    } catch (const SimulationError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("deadlocks"), std::string::npos) << message;
        for (const char* block : {"backward of microbatch 0 on stage 0", "forward of microbatch 1 on stage 1",
                                  "forward of microbatch 1 on stage 0"})
            EXPECT_NE(message.find(block), std::string::npos) << message;
    }
}

TEST(Simulator, ATaskMissingFromAnOrderIsNamed) {
    Plan plan = policyPlan(oneLayerAStage(2), "");
    ExplicitSchedule orders;
    orders.orders[0] = {{TaskKind::forward, 0, 0}};
    orders.orders[1] = {{TaskKind::forward, 1, 0}, {TaskKind::backward, 1, 0}};
    plan.schedule.order = orders;
    EXPECT_THROW(
        {
            try {
                simulate(CostModel(unitChain(2, 2, 1)), plan);
            } catch (const SimulationError& error) {
                EXPECT_NE(std::string(error.what()).find("not in the order"), std::string::npos)
                    << error.what();
                throw;
            }
        },
        SimulationError);
}

TEST(Simulator, ATaskTwiceInAnOrderIsRefused) {
    Plan plan = policyPlan(oneLayerAStage(1), "");
    ExplicitSchedule orders;
    orders.orders[0] = {{TaskKind::forward, 0, 0}, {TaskKind::backward, 0, 0}, {TaskKind::backward, 0, 0}};
    plan.schedule.order = orders;
    try {
        simulate(CostModel(unitChain(1, 1, 1)), plan);
        FAIL() << "the repetition went unnoticed";
    } catch (const SimulationError& error) {
        EXPECT_NE(std::string(error.what()).find("backward of microbatch 0 on stage 0 twice"),
                  std::string::npos)
            << error.what();
    }
}

TEST(Simulator, ABlockOfSeveralTasksIsOneOnEveryDeviceOfItsStage) {
    using enum TaskKind;
    Plan plan;
    plan.stages = {{0, 0, {0, 1}}, {1, 1, {0}}};
    const CostModel costs(unitChain(2, 2, 2));
    /// What the second device does, in the midst of the second stage's tasks on the first.
    const auto refusal = [&](const std::vector<Task>& first, const std::vector<Task>& second) -> std::string {
        ExplicitSchedule orders;
        orders.orders = {{0, first}, {1, second}};
        orders.orders[0].insert(orders.orders[0].begin() + 1, {{forward, 1, 0}, {backward, 1, 0}});
        orders.orders[0].insert(orders.orders[0].end() - 1, {{forward, 1, 1}, {backward, 1, 1}});
        plan.schedule.order = orders;
        try {
            simulate(costs, plan);
        } catch (const SimulationError& error) {
            return error.what();
        }
        return "";
    };
    const std::vector<Task> apart{{forward, 0, 0}, {forward, 0, 1}, {backward, 0, 0}, {backward, 0, 1}};
    std::vector<Task> paired = apart;
    paired[2].paired = true;
    EXPECT_EQ(refusal(apart, apart), "");
    EXPECT_EQ(refusal(paired, paired), "");
    EXPECT_EQ(
        refusal(apart, paired),
        "devices g1 and g0 share stage 0, but only the order of g1 has the pair that begins with microbatch "
        "1; expected it in both");

    std::vector<Task> split = apart;
    split[2].kind = inputGradient;
    split.insert(split.begin() + 3, {weightGradient, 0, 0});
    EXPECT_EQ(refusal(split, split), "");
    EXPECT_EQ(
        refusal(split, apart),
        "devices g1 and g0 share stage 0, but only the order of g1 has the whole backward that begins with "
        "microbatch 0; expected it in both");
}

TEST(Simulator, WeightGradientsMayBeDeferred) {
    Plan plan = policyPlan(oneLayerAStage(2), "");
    ExplicitSchedule orders;
    for (int stage = 0; stage < 2; ++stage)
        for (const TaskKind kind : {TaskKind::forward, TaskKind::inputGradient, TaskKind::weightGradient})
            for (int microbatch = 0; microbatch < 2; ++microbatch)
                orders.orders[stage].push_back({kind, stage, microbatch});
    plan.schedule.order = orders;
    const Evaluation evaluation = evaluate(CostModel(unitChain(2, 2, 2)), plan);
    EXPECT_TRUE(evaluation.valid()) << evaluation.violations.front().message;
    // Stage 1: two forwards from 1 to 3, two input gradients of 0.5 to 4; stage 0 follows and ends with two
    // weight gradients of 0.5.
    EXPECT_NEAR(evaluation.metrics.iterationTimeS, 5.5, 1e-6);
}

TEST(Simulator, SeveralStagesMayShareADevice) {
    Plan plan = policyPlan({{0, 0, {0}}, {1, 1, {1}}, {2, 2, {0}}}, "");
    ExplicitSchedule orders;
    orders.orders[0] = {{TaskKind::forward, 0, 0},
                        {TaskKind::forward, 2, 0},
                        {TaskKind::backward, 2, 0},
                        {TaskKind::backward, 0, 0}};
    orders.orders[1] = {{TaskKind::forward, 1, 0}, {TaskKind::backward, 1, 0}};
    plan.schedule.order = orders;
    const Evaluation evaluation = evaluate(CostModel(unitChain(3, 2, 1)), plan);
    EXPECT_TRUE(evaluation.valid()) << evaluation.violations.front().message;
    EXPECT_NEAR(evaluation.metrics.iterationTimeS, 6, 1e-6);
}

TEST(Simulator, RecomputationCostsAForwardAndShowsInMemory) {
    const Problem problem = unitChain(2, 2, 4);
    Plan plan = policyPlan(oneLayerAStage(2), "1f1b");
    const Evaluation kept = evaluate(CostModel(problem), plan);
    plan.memory.layers[0] = LayerMemory::recompute;
    const Evaluation recomputed = evaluate(CostModel(problem), plan);
    EXPECT_TRUE(recomputed.valid()) << recomputed.violations.front().message;
    EXPECT_GT(recomputed.metrics.iterationTimeS, kept.metrics.iterationTimeS);
    EXPECT_LT(recomputed.metrics.devices[0].peakMemoryBytes, kept.metrics.devices[0].peakMemoryBytes);
    EXPECT_DOUBLE_EQ(recomputed.metrics.devices[0].busyS, kept.metrics.devices[0].busyS);  // not useful work
}

TEST(Simulator, SwappedActivationsLeaveAndReturn) {
    const Problem problem = unitChain(2, 2, 6);
    Plan plan = policyPlan(oneLayerAStage(2), "gpipe");
    const Evaluation kept = evaluate(CostModel(problem), plan);
    plan.memory.layers[0] = LayerMemory::swap;  // 16 bytes at 32 B/s: half a second each way
    const Evaluation swapped = evaluate(CostModel(problem), plan);
    EXPECT_TRUE(swapped.valid()) << swapped.violations.front().message;
    EXPECT_NEAR(swapped.metrics.iterationTimeS, kept.metrics.iterationTimeS, 1e-9);
    EXPECT_LT(swapped.metrics.devices[0].peakMemoryBytes, kept.metrics.devices[0].peakMemoryBytes);
    EXPECT_NE(swapped.timeline.find(BlockKind::swapIn, 0, 5, 0), noBlock);
}

TEST(Simulator, RoundRobinReplicasTakeWholeMicrobatchesInTurn) {
    Problem problem = unitChain(2, 3, 4);
    Plan plan = policyPlan({{0, 0, {0, 1}}, {1, 1, {2}}}, "gpipe");
    plan.stages[0].replication = Replication::roundRobin;
    const Evaluation evaluation = evaluate(CostModel(problem), plan);
    EXPECT_TRUE(evaluation.valid()) << evaluation.violations.front().message;
    const Timeline& timeline = evaluation.timeline;
    for (int microbatch = 0; microbatch < 4; ++microbatch) {
        const std::uint32_t block = timeline.find(BlockKind::forward, 0, microbatch, 0);
        ASSERT_NE(block, noBlock);
        EXPECT_DOUBLE_EQ(timeline.durationS(block), 1);
        EXPECT_EQ(timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))].devices,
                  std::vector<int>{microbatch % 2});
    }
}

TEST(Simulator, CopiesOfTheNetworkShareTheMiniBatchAndAllReduce) {
    Problem problem = unitChain(2, 4, 5);
    Plan plan = policyPlan({{0, 0, {0}}, {1, 1, {1}}, {0, 0, {2}}, {1, 1, {3}}}, "1f1b");
    plan.stages[2].pipeline = plan.stages[3].pipeline = 1;
    const Evaluation evaluation = evaluate(CostModel(problem), plan);
    EXPECT_TRUE(evaluation.valid()) << evaluation.violations.front().message;
    EXPECT_NE(evaluation.timeline.find(BlockKind::forward, 0, 4, 0), noBlock);
    EXPECT_NE(evaluation.timeline.find(BlockKind::forward, 2, 3, 0), noBlock);
    EXPECT_EQ(evaluation.timeline.find(BlockKind::forward, 0, 3, 0), noBlock);
    int reductions = 0;
    for (const BlockKind kind : evaluation.timeline.kind) reductions += kind == BlockKind::allReduce;
    EXPECT_EQ(reductions, 2);
}

TEST(Simulator, BranchesOfTheNetworkBecomeEdgesBetweenStages) {
    Problem problem = unitChain(3, 3, 2);
    problem.profile.edges = {{0, 1}, {1, 2}, {0, 2}};
    problem.cluster.links = {{"g0", "g1", 4, 0, ""}, {"g1", "g2", 4, 0, ""}, {"g0", "g2", 4, 0, ""}};
    const Evaluation evaluation = evaluate(CostModel(problem), policyPlan(oneLayerAStage(3), "1f1b"));
    EXPECT_TRUE(evaluation.valid()) << evaluation.violations.front().message;
    int transfers = 0;
    for (const BlockKind kind : evaluation.timeline.kind) transfers += kind == BlockKind::transferForward;
    EXPECT_EQ(transfers, 3 * 2);
}

TEST(Simulator, APatternIsLaidOutPeriodAfterPeriod) {
    Problem problem = unitChain(2, 2, 3);
    problem.setup.mode = TrainingMode::asynchronous;
    problem.cluster.links = {{"g0", "g1", 4, 0, ""}};  // a second each way
    Plan plan = policyPlan(oneLayerAStage(2), "");
    plan.weights.kind = WeightPolicyKind::doubleBuffer;
    plan.schedule.order = PeriodicSchedule{2,
                                           {{BlockKind::forward, 0, 0, 0},
                                            {BlockKind::transferForward, 0, 1, 0},
                                            {BlockKind::forward, 1, 0, 1},
                                            {BlockKind::backward, 1, 1, 1},
                                            {BlockKind::transferBackward, 0, 0, 2},
                                            {BlockKind::backward, 0, 1, 2}}};
    const Evaluation evaluation = evaluate(CostModel(problem), plan);
    EXPECT_TRUE(evaluation.valid()) << evaluation.violations.front().message;
    EXPECT_DOUBLE_EQ(evaluation.metrics.iterationTimeS, 6);
    const std::uint32_t block = evaluation.timeline.find(BlockKind::backward, 0, 1, 0);
    EXPECT_DOUBLE_EQ(evaluation.timeline.startS[block], 7);
}

TEST(Simulator, TheSamePlanGivesTheSameTimelineFiveTimes) {
    const CostModel costs(unitChain(6, 6, 20));
    const Plan plan = policyPlan(oneLayerAStage(6), "pe");
    const Timeline first = simulate(costs, plan);
    for (int run = 0; run < 4; ++run) {
        const Timeline again = simulate(costs, plan);
        EXPECT_EQ(again.startS, first.startS);
        EXPECT_EQ(again.waitedFor, first.waitedFor);
        EXPECT_EQ(again.microbatch, first.microbatch);
    }
}

TEST(Simulator, TenMillionBlocksFitInAGibibyte) {
    Timeline timeline;
    timeline.resize(10'000'000);
    EXPECT_LT(timeline.memoryBytes(), std::size_t{1} << 30);
}

TEST(Simulator, AStopIsHeeded) {
    std::stop_source source;
    source.request_stop();
    SimulationOptions options;
    options.stop = source.get_token();
    EXPECT_THROW(simulate(CostModel(unitChain(8, 8, 4000)), policyPlan(oneLayerAStage(8), "gpipe"), options),
                 Cancelled);
}
