#include "core/analysis/metrics.h"
#include "core/cost/cost_model.h"
#include "core/model/measured_gpus.h"
#include "core/planners/planned_run.h"
#include "core/planners/planning_costs.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

/// Two layers, of which a V100 is slow in the first and fast in the second; a device of each kind, and one by
/// its speed.
Problem unlike() {
    Problem problem;
    problem.profile.layers = {{"a", 1, 2, 0, 0, 0, 0, 1}, {"b", 4, 8, 0, 0, 0, 0, 4}};
    problem.profile.layers[0].onRanks = {{.tensor = 1, .times = LayerTimes{3, 9, 3}, .gpu = "V100"}};
    problem.profile.layers[1].onRanks = {{.tensor = 1, .times = LayerTimes{2, 4, 3}, .gpu = "V100"}};
    for (const char* gpu : {"A100", "V100-SXM2-16GB", "A100"}) {
        const std::string id = "g" + std::to_string(problem.cluster.devices.size());
        problem.cluster.devices.push_back({id, "s", gpu, 1000, 1, 0});
        for (int other = 0; other + 1 < problem.cluster.deviceCount(); ++other)
            problem.cluster.links.push_back({"g" + std::to_string(other), id, 1e9, 0, ""});
    }
    problem.cluster.devices[1].speed = 0.125;  // of no use
    problem.cluster.devices[2].speed = 0.5;
    return problem;
}

Plan onDevices(int first, int last, std::vector<int> devices) {
    Plan plan;
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    plan.stages = {{first, last, std::move(devices)}};
    return plan;
}

}  // namespace

TEST(UnlikeGpus, EachTakesItsOwnTimesAndReplicasWaitForTheSlowest) {
    const CostModel costs(unlike());
    EXPECT_EQ(costs.stage(onDevices(0, 1, {0}), 0).forwardS, 5);
    EXPECT_EQ(costs.stage(onDevices(0, 1, {1}), 0).forwardS, 5);
    EXPECT_EQ(costs.stage(onDevices(0, 1, {1}), 0).backwardS, 13);
    EXPECT_EQ(costs.stage(onDevices(0, 1, {2}), 0).backwardS, 20);
    EXPECT_EQ(costs.stage(onDevices(0, 0, {0, 1}), 0).forwardS, 1.5) << "half of the microbatch each";
    EXPECT_EQ(costs.stage(onDevices(1, 1, {0, 1}), 0).forwardS, 2);
    EXPECT_EQ(costs.stage(onDevices(0, 1, {0, 1}), 0).backwardS, 6.5);
    EXPECT_EQ(costs.speedOf(1), 15.0 / 18) << "all layers together";
    EXPECT_EQ(costs.speedOf(2), 0.5);
    const std::vector<ComputePace> paces = costs.slowestPaces({0, 1, 2});
    EXPECT_EQ(paces, (std::vector<ComputePace>{{0, 0.5}, {1, 1}}));
}

/// Both passes of a split backward wait for the slowest: here another for each.
TEST(UnlikeGpus, EachPassOfASplitBackwardWaitsForItsSlowest) {
    Problem problem = unlike();
    problem.profile.layers[1].onRanks[0].times = LayerTimes{2, 8, 1};
    const CostModel costs(problem);
    Plan plan = onDevices(1, 1, {0, 1});
    EXPECT_EQ(costs.stage(plan, 0).backwardS, 4);
    plan.schedule.splitBackward = true;
    const StageCost cost = costs.stage(plan, 0);
    EXPECT_EQ(cost.weightGradientS, 2) << "of 4 s, on the A100";
    EXPECT_EQ(cost.backwardS - cost.weightGradientS, 3.5) << "of 7 s, on the V100";
}

/// Ranks that divide layers wait for each other in each, those that do not at the end of the stage alone.
TEST(UnlikeGpus, RanksOfAGroupWaitForEachOtherInEachLayer) {
    Problem problem = unlike();
    for (Layer& layer : problem.profile.layers) layer.division = LayerDivision{1, 1, 1, 1, 1};
    problem.profile.divisible = {2, 2, 2};
    const CostModel costs(problem);
    Plan plan = onDevices(0, 1, {0, 1});
    plan.stages[0].group.tensor = 2;
    EXPECT_EQ(costs.stage(plan, 0).forwardS, (3 + 4) / 2.0);
    EXPECT_EQ(costs.stage(plan, 0).backwardS, (9 + 8) / 2.0);
}

TEST(UnlikeGpus, NoPlanIsFasterThanWhatTheyCanDoTogether) {
    Problem problem = unlike();
    problem.setup.microbatches = 6;
    // The V100 takes 12 and 6 s where the profile's GPU takes 3 and 12. It is best used for the second layer
    // alone, x of it: 1.5 of the others have the rest, 3 + 12 (1 - x) = 1.5 · 6 x.
    constexpr double least = 6 * (1 - 2.0 / 7) * 6;
    EXPECT_NEAR(problemLowerBound(problem, {}).seconds, least, 1e-9);
    for (const auto& planner : allPlanners()) {
        const PlanRun run = runAndEvaluate(*planner, std::make_shared<const CostModel>(problem), {});
        if (!run.ok()) continue;
        EXPECT_GE(run.evaluation->metrics.iterationTimeS, least - 1e-9) << planner->description().id;
        const auto isNote = [](const std::string& note) { return note.find("V100") != std::string::npos; };
        EXPECT_EQ(std::ranges::any_of(run.result.notes, isNote), !planner->plansByGpuType())
            << planner->description().id;
    }
}

/// Its theorems are about times that differ by a speed; the V100's and the A100's are alike here.
TEST(UnlikeGpus, NothingIsProvenOfAPlanThatIsOpenedAgain) {
    Problem problem = unlike();
    problem.setup.microbatches = 4;
    for (Device& device : problem.cluster.devices) device.speed = 1;
    const PlanRun made = runAndEvaluate(*findPlanner("spp"), std::make_shared<const CostModel>(problem), {});
    ASSERT_TRUE(made.ok());
    EXPECT_TRUE(std::ranges::none_of(made.result.guarantees, &Guarantee::holds));
    Problem alike = problem;
    alike.profile = withoutMeasuredGpus(alike.profile);
    const auto provenOn = [&](const Problem& on) {
        return evaluatePlan(std::make_shared<const CostModel>(on), made.result.plan).result.guarantees.size();
    };
    EXPECT_GT(provenOn(alike), 0u);
    EXPECT_EQ(provenOn(problem), 0u);
}

/// MadPipe's pattern has an instant for each pass, which is to be that of each type's times.
TEST(UnlikeGpus, PatternsAreOfTheTimesOfEachType) {
    int plans = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        Problem problem = random_problem::onUnlikeGpus(
            random, random_problem::problem(random, 3 + random_problem::upTo(random, 4), 2 + seed % 3));
        problem.setup.mode = TrainingMode::asynchronous;
        const PlanRun run =
            runAndEvaluate(*findPlanner("madpipe"), std::make_shared<const CostModel>(problem), {});
        if (!run.ok()) {
            EXPECT_NE(run.result.reason, "");
            continue;
        }
        ++plans;
        EXPECT_TRUE(run.evaluation->valid()) << seed;
    }
    EXPECT_GT(plans, 10);
}

TEST(UnlikeGpus, WhereAllAreOfOneTypePlannersSeeItsTimes) {
    Problem problem = unlike();
    for (Device& device : problem.cluster.devices) device.gpu = "V100";
    const CostModel seen = withAverageSpeeds(CostModel(problem));
    EXPECT_FALSE(seen.measuredKinds());
    EXPECT_EQ(seen.forwardS(0, 0), 3);
    EXPECT_EQ(seen.slowestSpeed({0, 1, 2}), 1);
    const CostModel mixed = withAverageSpeeds(CostModel(unlike()));
    EXPECT_EQ(mixed.forwardS(0, 0), 1);
    EXPECT_EQ(mixed.slowestSpeed({1}), 15.0 / 18);
    EXPECT_FALSE(mixed.measuredKinds());
}

}  // namespace stagecraft
