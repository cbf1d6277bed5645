// Families that search are no longer than the fixed orders within the same memory once they are simulated,
// with transfers that wait for each other.
#include "core/base/units.h"
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace stagecraft;

namespace {

std::shared_ptr<const CostModel> caseNamed(const std::string& name, int microbatches = 0) {
    Problem problem =
        openProject(STAGECRAFT_SOURCE_DIR "/tests/data/schedules/" + name + ".stagecraft.json").problem;
    if (microbatches > 0) problem.setup.microbatches = microbatches;
    return std::make_shared<const CostModel>(problem);
}

Plan under(const CostModel& costs, const char* id, const ParameterValues& set = {}) {
    const ScheduleFamily& family = *findScheduleFamily(id);
    ParameterValues values = defaultValues(settingsOf(family));
    for (const auto& [name, value] : set) values[name] = value;
    return equalLayersUnder(costs, family, values);
}

double timeUnder(const CostModel& costs, const char* id, const ParameterValues& set = {}) {
    return simulate(costs, under(costs, id, set)).lastEndS();
}

/// The order that a family has for equal passes, on a plan's own times.
double timeOfEqualPasses(const CostModel& costs, const char* id) {
    const ScheduleFamily& family = *findScheduleFamily(id);
    Plan plan = under(costs, id);
    plan.schedule = {spelledOut(family, plan.stages, costs.problem().setup.microbatches, {})};
    return simulate(costs, plan).lastEndS();
}

}  // namespace

TEST(SearchedSchedules, AreNoLongerThanFixedOrdersWhereTransfersQueue) {
    const auto search = caseNamed("zb-search-longer"), deviating = caseNamed("deviate-longer");
    EXPECT_EQ(timeUnder(*search, "zb-h1"), 325);
    EXPECT_LE(timeUnder(*search, "zb-search"), 325);
    EXPECT_EQ(timeUnder(*deviating, "zb-v"), 138);
    EXPECT_LE(timeUnder(*deviating, "zb-v", {{"deviate", 1}}), 138);
}

/// An iteration may be shorter at the cost of a longer span, and of bytes where weight gradients keep much.
TEST(SearchedSchedules, WhatDeviatesSaysWhatItTradesAgainstTheFixedOrder) {
    Problem problem;
    for (int layer = 0; layer < 16; ++layer)
        problem.profile.layers.push_back({"l" + std::to_string(layer), 10, 21, 0, 0, 0, 1e6, 9, 0.9e6});
    for (int device = 0; device < 4; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 8});
        if (device > 0) problem.cluster.links.push_back({"g" + std::to_string(device - 1), id, 1e15, 0, ""});
    }
    problem.setup.microbatches = 9;
    const auto costs = std::make_shared<const CostModel>(problem);
    const PlanRun fixed = evaluatePlan(costs, under(*costs, "zb-v"));
    const PlanRun deviating = evaluatePlan(costs, under(*costs, "zb-v", {{"deviate", 1}}));
    EXPECT_TRUE(fixed.result.notes.empty());
    ASSERT_LE(deviating.iterationTimeS(), fixed.iterationTimeS());
    ASSERT_EQ(deviating.result.notes.size(), 1u);
    const std::string& note = deviating.result.notes.front();
    for (const PlanRun* run : {&fixed, &deviating}) {
        double peak = 0;
        for (const MemoryCurve& curve : run->evaluation->memory) peak = std::max(peak, curve.peakBytes());
        EXPECT_NE(note.find(formatSeconds(run->iterationTimeS())), std::string::npos) << note;
        EXPECT_NE(note.find(formatBytes(peak)), std::string::npos) << note;
    }
    const auto equal = caseNamed("last-group", 12);  // equal passes, free transfers
    EXPECT_EQ(evaluatePlan(equal, under(*equal, "zb-v", {{"deviate", 1}})).result.notes.front(),
              "Nothing shorter than the fixed order was found.");
}

RC_GTEST_PROP(SearchedSchedules, AreNeverLongerThanTheFixedOrdersWithinTheirMemory, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 8 + random_problem::upTo(random, 4),
                                              2 + random_problem::upTo(random, 3));
    problem.setup.mode = TrainingMode::synchronous;
    for (Layer& layer : problem.profile.layers) {
        layer.outputBytes *= 3;
        layer.outputGradientBytes *= 2;
    }
    const CostModel costs(problem);
    const int twice = 2 * costs.deviceCount() - 1;
    constexpr double rounding = 1 + 1e-9;
    RC_ASSERT(timeUnder(costs, "zb-search") <= timeUnder(costs, "zb-h1") * rounding);
    const double wide = timeUnder(costs, "zb-search", {{"limit", twice}});
    RC_ASSERT(wide <= timeUnder(costs, "zb-h1") * rounding);
    RC_ASSERT(wide <= timeUnder(costs, "zb-h2") * rounding);
    RC_ASSERT(timeUnder(costs, "zb-v", {{"deviate", 1}}) <= timeUnder(costs, "zb-v") * rounding);
    for (const char* id : {"v-min", "v-half"})
        RC_ASSERT(timeUnder(costs, id) <= timeOfEqualPasses(costs, id) * rounding);
}

TEST(SearchedSchedules, TheSameOrderIsTakenHoweverManyIterationsAreSimulated) {
    const auto costs = caseNamed("zb-search-longer");
    const Plan plan = under(*costs, "zb-search");
    const Timeline one = simulate(*costs, plan), three = simulate(*costs, plan, {.iterations = 3});
    EXPECT_NEAR(three.lastEndS(), 3 * one.lastEndS(), 1e-9);
    EXPECT_TRUE(validate(costs->problem(), plan, three).empty());
}

TEST(SearchedSchedules, MoreMicrobatchesOfInterleavedNeverEndSooner) {
    double before = 0;
    for (int microbatches = 1; microbatches <= 30; ++microbatches) {
        const auto costs = caseNamed("last-group", microbatches);
        const double seconds = timeUnder(*costs, "interleaved");
        EXPECT_GE(seconds, before) << microbatches;
        if (microbatches >= 6) {
            EXPECT_EQ(seconds, 24 * microbatches + 60) << microbatches << ": (p - 1)(F + B) / v idle";
        }
        before = seconds;
    }
    EXPECT_EQ(timeUnder(*caseNamed("last-group", 14), "interleaved", {{"group", 8}}), 396);
}

/// Forward first, then the lower microbatch, as the plan counts them over both copies.
TEST(SearchedSchedules, OfTransfersThatAreReadyAtOnceThatOfTheLowerMicrobatchGoesFirst) {
    const auto costs = caseNamed("tie-of-copies");
    const Plan plan = under(*costs, "chimera");
    const Timeline timeline = simulate(*costs, plan);
    const auto startOf = [&](int microbatch) {
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
            if (timeline.kind[block] == BlockKind::transferForward &&
                timeline.microbatch[block] == microbatch)
                return timeline.startS[block];
        return -1.0;
    };
    EXPECT_EQ(startOf(0), 1);
    EXPECT_EQ(startOf(1), 3);
    EXPECT_TRUE(validate(costs->problem(), plan, timeline).empty());
}
