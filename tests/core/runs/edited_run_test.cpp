#include "core/planners/planned_run.h"

#include "core/editing/plan_edit.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

/// A chain of six layers on three GPUs, of which MadPipe makes a pattern that repeats.
Problem sixLayers() {
    Problem problem;
    for (int layer = 0; layer < 6; ++layer)
        problem.profile.layers.push_back(
            {"l" + std::to_string(layer), 0.01 + 0.001 * layer, 0.02, 1e6, 1e5, 1e5, 2e5, 0});
    for (int device = 0; device < 3; ++device) {
        problem.cluster.devices.push_back({"g" + std::to_string(device), "s", "", 1e9, 1, 0});
        for (int other = 0; other < device; ++other)
            problem.cluster.links.push_back(
                {"g" + std::to_string(other), "g" + std::to_string(device), 1e9, 0, ""});
    }
    problem.setup.microbatches = 8;
    problem.setup.mode = TrainingMode::asynchronous;
    return problem;
}

Plan patternOfMadPipe(const CostModel& costs) {
    const Planner* madpipe = findPlanner("madpipe");
    return runPlanner(*madpipe, costs, defaultValues(madpipe->description().parameters)).plan;
}

/// The first boundary by a layer, to where there is room.
MoveBoundary byOne(const Plan& plan) { return {0, plan.stages[0].layerCount() > 1 ? -1 : 1}; }

}  // namespace

TEST(EditedRun, APatternIsMadeAnewForTheStagesThatWereEdited) {
    const auto costs = std::make_shared<const CostModel>(sixLayers());
    const Plan plan = patternOfMadPipe(*costs);
    ASSERT_GT(plan.stageCount(), 1);
    const MoveBoundary there = byOne(plan);
    const Plan moved = editedPlan(plan, there);
    const PlanRun run = evaluateEdited(costs, moved);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
    EXPECT_EQ(run.result.plan.stages, moved.stages);
    EXPECT_FALSE(std::get<PeriodicSchedule>(run.result.plan.schedule.order).operations.empty());
    // Back it is a pattern for the same stages, and as good as the planner's.
    const PlanRun back = evaluateEdited(costs, editedPlan(run.result.plan, MoveBoundary{0, -there.layers}));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back.result.plan.stages, plan.stages);
    const double planned = evaluatePlan(costs, plan).iterationTimeS();
    EXPECT_NEAR(back.iterationTimeS(), planned, 1e-9 * planned);
}

TEST(EditedRun, WithoutRoomForAPatternItSaysSo) {
    Problem problem = sixLayers();
    const Plan plan = patternOfMadPipe(CostModel(problem));
    ASSERT_GT(plan.stageCount(), 1);
    problem.setup.memoryLimitBytes = 1e6;
    const PlanRun run =
        evaluateEdited(std::make_shared<const CostModel>(problem), editedPlan(plan, byOne(plan)));
    EXPECT_FALSE(run.ok());
    EXPECT_EQ(run.result.reason, "no pattern of these stages fits into memory");
}

}  // namespace stagecraft
