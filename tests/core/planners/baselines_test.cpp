#include "core/planners/hetpipe/hetpipe_planner.h"
#include "core/planners/planned_run.h"
#include "core/planners/planner.h"
#include "tests/support/every_room.h"

#include "core/simulation/simulator.h"
#include "tests/core/planners/random_problems.h"
#include "tests/core/support/golden_cases.h"
#include "tests/core/support/near.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft {
namespace {

using testing::near;

double simulatedS(const CostModel& costs, const PlanningResult& result) {
    EXPECT_EQ(result.status, PlanStatus::ok) << result.reason;
    return simulate(costs, result.plan).lastEndS();
}

TEST(Baselines, TakeTheGoldenTimesWithTheGoldenPartitions) {
    const auto golden = testing::goldenCase("spp-23-baselines");
    for (const auto& [mode, key] :
         {std::pair{ChannelMode::fullDuplex, "full"}, {ChannelMode::halfDuplex, "half"}}) {
        SCOPED_TRACE(key);
        const CostModel costs(testing::problemOf(golden.input, mode));
        const PlanningResult dp = runPlanner(*findPlanner("data-parallel"), costs, {});
        EXPECT_PRED2(near, simulatedS(costs, dp), golden.expected.at("dp").get<double>());
        EXPECT_PRED2(near, dp.predictedS.value(), golden.expected.at("dp").get<double>());

        const PlanningResult gpipe = runPlanner(*findPlanner("gpipe"), costs, {});
        EXPECT_PRED2(near, simulatedS(costs, gpipe), golden.expected.at("gpipe").at(key).get<double>());
        std::vector<int> layers;
        for (const Stage& stage : gpipe.plan.stages) layers.push_back(stage.layerCount());
        EXPECT_EQ(nlohmann::json(layers), golden.expected.at("gpipe_stage_layers"));

        const PlanningResult hetpipe = runPlanner(*findPlanner("hetpipe"), costs, {});
        EXPECT_PRED2(near, simulatedS(costs, hetpipe), golden.expected.at("hetpipe").at(key).get<double>());
        ASSERT_EQ(hetpipe.plan.stageCount(), 4);
        for (int stage = 0; stage < 4; ++stage) {
            const Stage& found = hetpipe.plan.stages[static_cast<std::size_t>(stage)];
            EXPECT_EQ(found.pipeline, stage / 2);
            EXPECT_EQ(nlohmann::json({found.firstLayer + 1, found.lastLayer + 1}),
                      golden.expected.at("hetpipe_partition").at(stage % 2));
        }
    }
}

TEST(Baselines, TakeTheGoldenTimesInTheDefaultSetting) {
    const auto golden = testing::goldenCase("spp-24-default-setting");
    for (const auto& [mode, key] :
         {std::pair{ChannelMode::fullDuplex, "full"}, {ChannelMode::halfDuplex, "half"}}) {
        const CostModel costs(testing::problemOf(golden.input, mode));
        EXPECT_PRED2(near, simulatedS(costs, runPlanner(*findPlanner("data-parallel"), costs, {})),
                     golden.expected.at("dp").get<double>());
        EXPECT_PRED2(near, simulatedS(costs, runPlanner(*findPlanner("gpipe"), costs, {})),
                     golden.expected.at("gpipe").at(key).get<double>());
    }
}

TEST(Gpipe, FirstStagesAreOneLayerLongerAndNoneIsReplicated) {
    Problem problem;
    problem.profile.layers.assign(8, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0, 2, 3}, {2, 0, 4}, {3, 4, 0}});
    const CostModel costs(problem);
    std::vector<Stage> wanted{{0, 2, {0}}, {3, 5, {1}}, {6, 7, {2}}};
    EXPECT_EQ(runPlanner(*findPlanner("gpipe"), costs, {}).plan.stages, wanted);
    wanted = {{0, 3, {0}}, {4, 7, {1}}};
    EXPECT_EQ(runPlanner(*findPlanner("gpipe"), costs, {{"max_stages", 2}}).plan.stages, wanted);
}

TEST(Gpipe, LeavesDevicesIdleWhenThereAreFewerLayers) {
    Problem problem;
    problem.profile.layers.assign(2, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0, 2, 3}, {2, 0, 4}, {3, 4, 0}});
    const PlanningResult result = runPlanner(*findPlanner("gpipe"), CostModel(problem), {});
    EXPECT_EQ(result.plan.stageCount(), 2);
    EXPECT_EQ(result.notes.size(), 1u);
}

TEST(HetPipe, PartitionHasTheLeastMaximumOfAllCuts) {
    EXPECT_TRUE(rc::check([] {
        const Problem problem = testing::randomProblem({7, 5, 4, false, true});
        const CostModel costs(problem);
        std::vector<ComputePace> paces;
        for (int device = 0; device < std::min(costs.layerCount(), costs.deviceCount()); ++device)
            paces.push_back(costs.paceOf(device));
        const auto slowest = [&](const std::vector<int>& ends) {
            double worst = 0;
            for (std::size_t stage = 0; stage < ends.size(); ++stage) {
                const int first = stage == 0 ? 0 : ends[stage - 1];
                worst = std::max(worst, (costs.forwardS(first, ends[stage] - 1) +
                                         costs.backwardS(first, ends[stage] - 1)) /
                                            paces[stage].speed);
            }
            return worst;
        };
        double least = std::numeric_limits<double>::infinity();
        const auto visit = [&](const std::vector<int>& ends) { least = std::min(least, slowest(ends)); };
        std::vector<int> scratch;
        testing::forEachCutting(costs.layerCount(), static_cast<int>(paces.size()), scratch, visit);
        std::vector<int> ends = leastMaximumPartition(costs, paces);
        for (int& end : ends) ++end;
        RC_ASSERT(ends.back() == costs.layerCount());
        RC_ASSERT(near(slowest(ends), least));
    }));
}

TEST(HetPipe, TiesGoToTheEarliestCut) {
    Problem problem;
    problem.profile.layers.assign(5, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0, 1}, {1, 0}});
    EXPECT_EQ(leastMaximumPartition(CostModel(problem), std::vector<ComputePace>(2)),
              (std::vector<int>{1, 4}));
}

TEST(HetPipe, ServersBeyondTheMicrobatchesAndDevicesBeyondTheLayersStayIdleAndAreNamed) {
    Problem problem;
    problem.profile.layers.assign(1, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0, 9, 4, 4}, {9, 0, 4, 4}, {4, 4, 0, 9}, {4, 4, 9, 0}});
    problem.cluster.devices[2].server = "s1";
    problem.cluster.devices[3].server = "s2";
    problem.setup.microbatches = 2;
    const PlanningResult result = runPlanner(*findPlanner("hetpipe"), CostModel(problem), {});
    const std::vector<Stage> wanted{{0, 0, {0}, 0}, {0, 0, {2}, 1}};
    EXPECT_EQ(result.plan.stages, wanted);
    ASSERT_EQ(result.notes.size(), 2u);
    EXPECT_NE(result.notes[0].find("'s0' has 2"), std::string::npos);
    EXPECT_NE(result.notes[1].find("only 2 microbatches"), std::string::npos);
}

TEST(HetPipe, OnOneServerIsASinglePipelineAndSaysSo) {
    Problem problem;
    problem.profile.layers.assign(4, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0, 1}, {1, 0}});
    problem.setup.microbatches = 4;
    const PlanningResult result = runPlanner(*findPlanner("hetpipe"), CostModel(problem), {});
    EXPECT_EQ(result.plan.pipelineCount(), 1);
    ASSERT_EQ(result.notes.size(), 1u);
    EXPECT_NE(result.notes[0].find("single pipeline"), std::string::npos);
}

/// By MODEL.md alone: the times of the layers and of Eq. (1), each device and the ring doing one thing after
/// the other.
double bucketsInTurnS(const CostModel& costs, const Plan& plan) {
    const int microbatches = costs.problem().setup.microbatches;
    double clockS = 0, ringS = 0;
    for (int bucket = 0; bucket < plan.stageCount(); ++bucket)
        clockS += microbatches * costs.stage(plan, bucket).forwardS +
                  (microbatches - 1) * costs.stage(plan, bucket).backwardS;
    for (int bucket = plan.stageCount() - 1; bucket >= 0; --bucket) {
        const Stage& own = plan.stages[static_cast<std::size_t>(bucket)];
        clockS += costs.stage(plan, bucket).backwardS;
        double slowest = std::numeric_limits<double>::infinity(), bytes = 0;
        for (const int a : own.devices)
            for (const int b : own.devices)
                if (a != b) slowest = std::min(slowest, costs.interconnect().bandwidthBps(a, b));
        for (int layer = own.firstLayer; layer <= own.lastLayer; ++layer)
            bytes += costs.problem().profile.layers[static_cast<std::size_t>(layer)].parameterBytes;
        const double k = static_cast<double>(own.devices.size());
        ringS = std::max(ringS, clockS) + (k > 1 ? 2 * (k - 1) / k * bytes / slowest : 0);
    }
    return std::max(clockS, ringS);
}

TEST(DataParallel, BucketsAreSummedOneAfterTheOtherBesideTheBackwardsOfEarlierLayers) {
    int gained = 0;
    EXPECT_TRUE(rc::check([&] {
        Problem problem = testing::randomProblem({.maxLayers = 8, .latencies = true, .speeds = true});
        problem.setup.mode = TrainingMode::synchronous;
        const auto costs = std::make_shared<const CostModel>(problem);
        const Planner* planner = findPlanner("data-parallel");
        const PlanRun whole = runAndEvaluate(*planner, costs, {});
        RC_ASSERT(whole.ok());
        for (const int buckets : {2, 3, 256}) {
            const PlanRun run = runAndEvaluate(*planner, costs, {{"buckets", buckets}});
            RC_ASSERT(run.ok());
            RC_ASSERT(run.evaluation->violations.empty());
            RC_ASSERT(run.result.plan.stageCount() == std::min(buckets, costs->layerCount()));
            const double timeS = run.evaluation->metrics.iterationTimeS;
            RC_ASSERT(near(timeS, *run.result.predictedS));
            RC_ASSERT(near(timeS, bucketsInTurnS(*costs, run.result.plan)));
            RC_ASSERT(timeS <= whole.evaluation->metrics.iterationTimeS * (1 + 1e-9));
            gained += timeS < whole.evaluation->metrics.iterationTimeS * 0.99;
            Problem apart = problem;
            apart.setup.allreduceOverlaps = false;
            const PlanRun after =
                runAndEvaluate(*planner, std::make_shared<const CostModel>(apart), {{"buckets", buckets}});
            RC_ASSERT(near(after.evaluation->metrics.iterationTimeS, *after.result.predictedS));
            RC_ASSERT(
                near(after.evaluation->metrics.iterationTimeS, whole.evaluation->metrics.iterationTimeS));
        }
    }));
    EXPECT_GT(gained, 50);
}

}  // namespace
}  // namespace stagecraft
