// Stages split, joined and copied for schedules that place them otherwise.
#include "core/runs/arranged_stages.h"
#include "core/base/indices.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/offered_families.h"
#include "core/planners/planned_run.h"
#include "core/schedules/families.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

Problem randomSynchronous(std::mt19937& random, int layers, int devices) {
    Problem problem = random_problem::problem(random, layers, devices);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.microbatches = 2 * devices;
    return problem;
}

/// Each of two or more layers, on a device or two.
Plan randomChain(std::mt19937& random, int layers, int devices) {
    Plan plan;
    plan.planner = "hand";
    for (int first = 0, device = 0; device < devices;) {
        const bool last = device + 1 >= devices || layers - first < 4;
        const int until = last ? layers - 1 : first + 1 + random_problem::upTo(random, layers - first - 4);
        Stage stage{first, until, {device++}};
        if (last)
            while (device < devices) stage.devices.push_back(device++);
        plan.stages.push_back(stage);
        first = until + 1;
    }
    return plan;
}

std::vector<int> layersOn(const Plan& plan, int layers) {
    std::vector<int> times(at(layers), 0);
    for (const Stage& stage : plan.stages)
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) ++times[at(layer)];
    return times;
}

RC_GTEST_PROP(ArrangedStages, EveryFamilyGetsTheStagesThatItWantsAndJoiningBringsTheOldOnesBack,
              (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int devices = 2 * (1 + random_problem::upTo(random, 2)), layers = 4 * devices;
    const auto costs = std::make_shared<const CostModel>(randomSynchronous(random, layers, devices));
    const Plan plan = randomChain(random, layers, devices);
    for (const ScheduleFamily& family : scheduleFamilies()) {
        const ParameterValues values = defaultValues(settingsOf(family));
        const Plan arranged = arrangedUnder(*costs, plan, family, values);
        const ScheduleShape shape = shapeOf(arranged.stages, 1);
        RC_ASSERT(whyNotPlaced(shape, family.placement).empty());
        RC_ASSERT(arrangementOf(arranged, family, values).empty());
        RC_ASSERT(arrangementOf(plan, family, values).empty() == (arranged.stages == plan.stages));
        RC_ASSERT(whyNotForStages(family, arranged).empty());
        const int copies = family.placement == Placement::opposite ? 2 : 1;
        RC_ASSERT(layersOn(arranged, layers) == std::vector<int>(at(layers), copies));
        const PlanRun run = evaluatePlan(costs, arranged);
        if (run.ok()) RC_ASSERT(run.evaluation->valid());
        if (family.placement == Placement::ring || family.placement == Placement::vee)
            RC_ASSERT(withStagesJoined(arranged).stages == plan.stages);
    }
}

TEST(ArrangedStages, PartsHaveTheLeastTimeOfTheSlowest) {
    Problem problem;
    for (const double time : {1.0, 1.0, 2.0, 5.0, 1.0, 1.0})
        problem.profile.layers.push_back({"l", time, time, 1, 1, 1, 1, time / 2});
    problem.cluster.devices = {{.id = "a"}, {.id = "b"}};
    problem.cluster.links = {{.a = "a", .b = "b", .bandwidthBps = 1e9}};
    Plan plan;
    plan.stages = {{0, 2, {0}}, {3, 5, {1}}};
    const Plan split = withStagesSplit(CostModel(problem), plan, 2, Placement::ring);
    EXPECT_EQ(split.stages, (std::vector<Stage>{{0, 1, {0}}, {2, 2, {1}}, {3, 3, {0}}, {4, 5, {1}}}));
    EXPECT_EQ(withStagesSplit(CostModel(problem), plan, 2, Placement::vee).stages,
              (std::vector<Stage>{{0, 1, {0}}, {2, 2, {1}}, {3, 3, {1}}, {4, 5, {0}}}));
}

TEST(ArrangedStages, WhatCannotBeSplitOrJoinedIsSaidInWords) {
    Problem problem;
    for (int i = 0; i < 3; ++i) problem.profile.layers.push_back({"l", 1, 1, 1, 1, 1, 1, 0.5});
    problem.cluster.devices = {{.id = "a"}, {.id = "b"}};
    problem.cluster.links = {{.a = "a", .b = "b", .bandwidthBps = 1e9}};
    Plan plan;
    plan.stages = {{0, 1, {0}}, {2, 2, {1}}};
    const auto refusal = [](const auto& change) {
        try {
            change();
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string("not refused");
    };
    const CostModel costs(problem);
    EXPECT_EQ(refusal([&] { withStagesSplit(costs, plan, 2, Placement::ring); }),
              "stage 1 has 1 layer; expected at least 2");
    EXPECT_EQ(refusal([&] { withStagesJoined(plan); }),
              "each device holds one stage; there is nothing to join");
    EXPECT_EQ(refusal([&] { withStagesSplit(costs, withOppositeCopy(plan), 2, Placement::ring); }),
              "the plan has 2 copies of the network; expected one");
}

TEST(ArrangedStages, InterleavedWithOneStageOnEachDeviceIsNotOffered) {
    Plan plan;
    plan.stages = {{0, 1, {0}}, {2, 3, {1}}};
    for (const ScheduleFamily& family : scheduleFamilies()) {
        const bool onRing = family.placement == Placement::ring;
        EXPECT_EQ(!whyNotForStages(family, plan).empty(), onRing) << family.id;
        if (onRing) {
            EXPECT_EQ(arrangementOf(plan, family, defaultValues(settingsOf(family))),
                      "Split each stage in 2");
        }
    }
}

TEST(ArrangedStages, TitlesHaveOnePairOfBrackets) {
    EXPECT_EQ(titleUnder("ZB-H1", "SPP"), "ZB-H1 (SPP)");
    EXPECT_EQ(titleUnder("GPipe", "GPipe (edited 2)"), "GPipe (GPipe, edited 2)");
    EXPECT_EQ(titleUnder("ZB-V", "ZB-H1 (SPP, edited)"), "ZB-V (ZB-H1, SPP, edited)");
}

}  // namespace
}  // namespace stagecraft
