// Synchronous execution through any plan is plain mini-batch training.
#include "core/planners/planner.h"
#include "tests/support/every_room.h"
#include "core/schedules/families.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/training/small_training.h"

#include <gtest/gtest.h>

namespace stagecraft::training {
namespace {

void expectPlain(const Problem& problem, const Plan& plan, const TrainingSettings& settings) {
    const PreparedTraining prepared = prepareTraining(problem, plan, Policy::synchronous, settings);
    const TrainingRun run = train(prepared, 5);
    test::PlainTraining plain(prepared, 5);
    plain.run();
    EXPECT_LT(test::difference(test::weightsOf(run), plain.versions.back()), test::rounding);
    // It has learnt something.
    EXPECT_GT(test::difference(test::weightsOf(run), plain.versions.front()), 1e-3);
}

TEST(SynchronousTraining, ThroughEveryPlannersPlanIsPlainTraining) {
    int planned = 0;
    for (const auto& planner : allPlanners())
        for (unsigned seed = 0; seed < 6; ++seed) {
            std::mt19937 random(seed);
            Problem problem = random_problem::problem(random, 7, 2 + static_cast<int>(seed));
            problem.setup.mode = TrainingMode::synchronous;
            for (Device& device : problem.cluster.devices) device.memoryBytes = 1e9;
            const PlanningResult result =
                runPlanner(*planner, CostModel(problem), defaultValues(planner->description().parameters));
            if (result.status != PlanStatus::ok) continue;
            SCOPED_TRACE(planner->description().id + ", seed " + std::to_string(seed));
            ++planned;
            TrainingSettings settings = test::quickSettings(static_cast<OptimizerKind>(seed % 3));
            if (seed == 3) settings.model = ModelKind::convolutional;
            expectPlain(problem, result.plan, settings);
        }
    EXPECT_GE(planned, 25);
}

TEST(SynchronousTraining, ThroughEveryScheduleIsPlainTraining) {
    for (const ScheduleFamily& family : scheduleFamilies())
        for (const bool split : {false, true})
            for (const bool recompute : {false, true}) {
                if (family.placement != Placement::onePerRank && family.placement != Placement::ring)
                    continue;
                if (sharesVocabulary(family)) continue;  // the unit network has no words
                if (family.backward != BackwardTasks::either &&
                    split != (family.backward == BackwardTasks::split))
                    continue;
                SCOPED_TRACE(family.id + (split ? ", backward split" : "") +
                             (recompute ? ", recomputed" : ""));
                Plan plan = test::unitPlan(4);
                plan.schedule = {FamilySchedule{family.id, {}}, split};
                if (recompute) plan.memory.layers[1] = LayerMemory::recompute;
                expectPlain(test::unitProblem(4, 7, TrainingMode::synchronous), plan, test::quickSettings());
            }
}

TEST(SynchronousTraining, ThroughRandomPlansIsPlainTraining) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const Problem problem = random_problem::problem(random, 6, 5);
        expectPlain(problem, random_problem::plan(random, problem), test::quickSettings());
    }
}

TEST(SynchronousTraining, CopiesOfTheNetworkCutDifferentlyStayEqual) {
    Problem problem = test::unitProblem(6, 5, TrainingMode::synchronous);
    Plan plan;
    plan.stages = {{0, 1, {0}, 0}, {2, 5, {1}, 0}, {0, 3, {2}, 1}, {4, 5, {3}, 1}};
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    ASSERT_EQ(partCount(plan), 3);
    expectPlain(problem, plan, test::quickSettings());
}

TEST(SynchronousTraining, ThroughAPlanWithBranchesTheChainTakesItsTurn) {
    // Stage 1 does not wait for stage 0 in the plan, but does in the network that is trained.
    Problem branches = test::unitProblem(3, 4, TrainingMode::synchronous);
    branches.profile.edges = {{0, 2}, {1, 2}};
    expectPlain(branches, test::unitPlan(3), test::quickSettings());
}

TEST(SynchronousTraining, StashingWithOneStageIsPlainTraining) {
    for (const Policy policy : {Policy::stashing, Policy::noStashing, Policy::verticalSync}) {
        const PreparedTraining prepared =
            prepareTraining(test::unitProblem(1, 3), test::unitPlan(1), policy, test::quickSettings());
        test::PlainTraining plain(prepared, 2);
        plain.run();
        EXPECT_LT(test::difference(test::weightsOf(train(prepared, 2)), plain.versions.back()),
                  test::rounding)
            << describe(policy).id;
    }
}

TEST(StageLayers, AreDealtOutEvenlyAndTheSameInAllCopies) {
    const auto ranges = [](const Plan& plan, int layers) { return layersOfStages(plan, layers); };
    EXPECT_EQ(ranges(test::unitPlan(4), 4), (std::vector<StageLayerRange>{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
    EXPECT_EQ(ranges(test::unitPlan(4), 6), (std::vector<StageLayerRange>{{0, 1}, {1, 3}, {3, 4}, {4, 6}}));
    EXPECT_THROW(ranges(test::unitPlan(4), 3), std::invalid_argument);
    Plan copies;
    copies.stages = {{0, 9, {0}, 0}, {10, 11, {1}, 0}, {0, 1, {2}, 1}, {2, 11, {3}, 1}};
    EXPECT_EQ(ranges(copies, 3), (std::vector<StageLayerRange>{{0, 2}, {2, 3}, {0, 1}, {1, 3}}));
}

}  // namespace
}  // namespace stagecraft::training
