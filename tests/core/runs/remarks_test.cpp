// What is said of a run beside its numbers: what its bubbles are, and what the GPUs of a stage send each
// other.
#include "core/analysis/what_bounds.h"
#include "core/base/units.h"
#include "core/planners/planned_run.h"
#include "core/runs/cautions.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stagecraft {
namespace {

/// Layers of 10 s forward and 20 s backward that send nothing on to the next stage.
Problem blocksOnPairs(int layers, int devices) {
    Problem problem;
    Layer layer{"block", 10, 20, 40, 0, 0, 0, 0};
    layer.division = LayerDivision{.routedBytes = 40};
    problem.profile.layers.assign(static_cast<std::size_t>(layers), layer);
    problem.profile.divisible = {2, 2, 2};
    for (int device = 0; device < devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({id, "s", "", 1e6, 1, 0});
        problem.cluster.links.push_back({id, "joint", 10, 0, ""});
    }
    problem.cluster.switches = {{"joint", "s"}};
    return problem;
}

PlanRun remarkedRun(const Problem& problem, const Plan& plan) {
    return planners::evaluatePlan(std::make_shared<const CostModel>(problem), plan);
}

}  // namespace

TEST(Remarks, RecomputationIsToldFromIdleTimeInTheBubbles) {
    Problem problem = blocksOnPairs(2, 2);
    problem.setup.microbatches = 2;
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    EXPECT_EQ(recomputationRemark(remarkedRun(problem, plan)), "");
    plan.memory.layers = {{0, LayerMemory::recompute}, {1, LayerMemory::recompute}};
    const PlanRun run = remarkedRun(problem, plan);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    // Both GPUs: 2 microbatches of 30 s of passes and 10 s of recomputation.
    const double wholeS = run.iterationTimeS();
    const double bubbles = 1 - 60 / wholeS, again = 20 / wholeS;
    ASSERT_GT(bubbles - again, 0.01);
    EXPECT_EQ(recomputationRemark(run), "The bubbles, " + formatPercent(bubbles) +
                                            ", count recomputation, which is no useful work: for " +
                                            formatPercent(again) +
                                            " of the time GPUs compute activations again, for " +
                                            formatPercent(bubbles - again) + " they compute nothing.");
    EXPECT_EQ(std::ranges::count(remarksOn(run), recomputationRemark(run)), 1);
}

TEST(Remarks, StagesOfOneGpuThatSendTheSameAreNamedTogether) {
    Problem problem = blocksOnPairs(4, 4);
    problem.setup.microbatches = 4;
    Plan plan;
    plan.stages = {{0, 0, {0, 1}}, {1, 1, {2, 3}}, {2, 2, {0, 1}}, {3, 3, {2, 3}}};
    for (Stage& stage : plan.stages) stage.group.expert = 2;
    plan.schedule.order = FamilySchedule{"interleaved", {}};
    const PlanRun run = remarkedRun(problem, plan);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    std::vector<std::string> reasons =
        whatBounds(*run.costs, plan, run.evaluation->timeline, run.evaluation->metrics).reasons;
    std::erase_if(reasons, [](const std::string& each) { return !each.starts_with("Of each microbatch"); });
    ASSERT_EQ(reasons.size(), 1u);
    EXPECT_TRUE(reasons.front().starts_with("Of each microbatch on stages 0 and 2 ") ||
                reasons.front().starts_with("Of each microbatch on stages 1 and 3 "))
        << reasons.front();
}

}  // namespace stagecraft
