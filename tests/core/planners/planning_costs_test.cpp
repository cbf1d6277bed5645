// What a setup asks to be recomputed is in the plans of planners that do not decide it.
#include "core/planners/planned_run.h"
#include "core/planners/planning_costs.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

RC_GTEST_PROP(Recomputation, IsAskedForAndObeyedAndStagesKeepNoMore, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 2 + random_problem::upTo(random, 6),
                                              1 + random_problem::upTo(random, 4));
    for (Device& device : problem.cluster.devices) device.memoryBytes = 1e9;
    problem.setup.recomputation = Recomputation::full;
    const auto costs = std::make_shared<const CostModel>(problem);
    for (const char* id : {"spp", "gpipe", "data-parallel"}) {
        const Planner& planner = *findPlanner(id);
        const PlanRun run = runAndEvaluate(planner, costs, defaultValues(planner.description().parameters));
        RC_ASSERT(run.ok());
        RC_ASSERT(run.evaluation->violations.empty());
        for (int layer = 0; layer < costs->layerCount(); ++layer)
            RC_ASSERT(run.result.plan.layerMemory(layer) == LayerMemory::checkpoint);
        Plan keeping = run.result.plan;
        keeping.memory.layers.clear();
        for (int stage = 0; stage < keeping.stageCount(); ++stage)
            RC_ASSERT(costs->keptActivationBytes(run.result.plan, stage) <=
                      costs->keptActivationBytes(keeping, stage) * (1 + 1e-9));
    }
}

TEST(Recomputation, IsLeftToPlannersThatPlanForMemory) {
    std::mt19937 random(4);
    Problem problem = random_problem::problem(random, 4, 2);
    for (Device& device : problem.cluster.devices) device.memoryBytes = 1e9;
    problem.setup.recomputation = Recomputation::full;
    const auto costs = std::make_shared<const CostModel>(problem);
    const Planner& planner = *findPlanner("schedule");
    const PlanRun run = runAndEvaluate(planner, costs, defaultValues(planner.description().parameters));
    ASSERT_TRUE(run.ok());
    EXPECT_TRUE(run.result.plan.memory.layers.empty());
}

TEST(Reserved, IsLeftFreeByPlannersThatSeeMemory) {
    std::mt19937 random(9);
    Problem problem = random_problem::problem(random, 5, 2);
    problem.setup.mode = TrainingMode::asynchronous;
    const Planner& planner = *findPlanner("pipedream");
    ParameterValues values = defaultValues(planner.description().parameters);
    values["memory_check"] = true;
    const auto runWith = [&](double memory, double reserved) {
        for (Device& device : problem.cluster.devices) device.memoryBytes = memory;
        problem.setup.reservedBytes = reserved;
        return runAndEvaluate(planner, std::make_shared<const CostModel>(problem), values);
    };
    const PlanRun whole = runWith(1e6, 0);
    ASSERT_TRUE(whole.ok());
    EXPECT_EQ(runWith(1e6 + 500, 500).result.plan.stages, whole.result.plan.stages);
    EXPECT_FALSE(runWith(1e6, 1e6).ok());
}

TEST(Recomputation, OfAProfileIsWhatStaysAndWhatIsTakenAgain) {
    Problem problem;
    problem.profile.layers = {{"a", 2, 4, 1, 30, 30, 100, 1}, {"b", 3, 6, 1, 20, 20, 100, 1}};
    problem.profile.layers[1].storedParts = {{ActivationCause::scores, 70}, {ActivationCause::mlp, 30}};
    problem.profile.layers[1].scoresRecomputeS = 1;
    problem.cluster.devices = {{"g0", "", "", 1000, 1, 0}};
    problem.setup.recomputation = Recomputation::full;
    const Problem full = underRecomputation(CostModel(problem)).problem();
    EXPECT_EQ(full.profile.layers[0].storedActivationBytes, 0) << "it reads the data set";
    EXPECT_EQ(full.profile.layers[1].storedActivationBytes, 30);
    EXPECT_EQ(full.profile.layers[1].backwardS, 9);
    EXPECT_EQ(full.cluster.devices[0].memoryBytes, 900) << "a brings 100 back";
    problem.setup.recomputation = Recomputation::selective;
    const Problem selective = underRecomputation(CostModel(problem)).problem();
    EXPECT_EQ(selective.profile.layers[0].storedActivationBytes, 100) << "it says nothing of scores";
    EXPECT_EQ(selective.profile.layers[1].storedActivationBytes, 30);
    EXPECT_EQ(selective.profile.layers[1].backwardS, 7);
    EXPECT_EQ(selective.cluster.devices[0].memoryBytes, 930);
}

}  // namespace
}  // namespace stagecraft
