// A family for a partition: simulated, and checked by the validator's own words.
#include "core/planners/chosen_schedule.h"

#include "core/analysis/passes_in_flight.h"
#include "core/planners/plan_run.h"
#include "core/schedules/families.h"
#include "core/simulation/simulation_error.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace stagecraft;

namespace {

std::string textOf(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& violation : violations) text += violation.message + "\n";
    return text;
}

}  // namespace

RC_GTEST_PROP(ChosenSchedule, EveryFamilyRunsOnEqualLayersAsTheValidatorSays, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto upTo = [&](int most) { return 1 + static_cast<int>(random() % static_cast<unsigned>(most)); };
    Problem problem = random_problem::problem(random, 4 + upTo(12), 1 + upTo(5));
    const std::vector<ScheduleFamily>& families = scheduleFamilies();
    const ScheduleFamily& family = families[random() % families.size()];
    ParameterValues settings = defaultValues(settingsOf(family));
    if (family.placement == Placement::ring) settings["chunks"] = upTo(3);
    problem.setup.microbatches = upTo(12);
    const int devices = problem.cluster.deviceCount();
    if (family.placement == Placement::opposite)
        problem.setup.microbatches = upTo(3) * (devices - devices % 2);
    if (family.backward == BackwardTasks::mixed) problem.setup.microbatches *= 2;
    if (family.id == "interleaved") problem.setup.microbatches *= devices;
    const CostModel costs(problem);
    const Plan plan = equalLayersUnder(costs, family, settings);
    Timeline timeline;
    try {
        timeline = simulate(costs, plan);
    } catch (const SimulationError& error) {
        // Fewer devices than there are, where layers do not suffice, may not divide the microbatches.
        RC_ASSERT(std::string(error.what()).find("does not apply") != std::string::npos);
        RC_DISCARD("refused");
    }
    RC_TAG(family.id);
    RC_ASSERT(textOf(validate(problem, plan, timeline)) == "");
}

TEST(ChosenSchedule, WhatIsNotTheFamilysOrderIsFound) {
    std::mt19937 random(3);
    Problem problem = random_problem::problem(random, 8, 4);
    problem.cluster.devices.resize(4);
    problem.setup.microbatches = 8;
    problem.setup.mode = TrainingMode::synchronous;
    const CostModel costs(problem);
    const auto complaint = [&](const char* id, const char* other) {
        const ScheduleFamily &family = *findScheduleFamily(id), &ran = *findScheduleFamily(other);
        Plan plan = equalLayersUnder(costs, family, defaultValues(settingsOf(family)));
        plan.schedule.splitBackward = false;
        const Plan done = underSchedule(plan, ran, defaultValues(settingsOf(ran)));
        const Timeline timeline = simulate(costs, done);
        plan.schedule.splitBackward = done.schedule.splitBackward;
        return textOf(validate(problem, plan, timeline));
    };
    EXPECT_NE(complaint("interleaved", "breadth-first").find("in flight; interleaved has"),
              std::string::npos);
    EXPECT_NE(complaint("eager-1f1b", "gpipe").find("in the order of eager-1f1b"), std::string::npos);
    EXPECT_NE(complaint("zb-h1", "gpipe").find("in the order of zb-h1"), std::string::npos);
    EXPECT_EQ(complaint("interleaved", "interleaved"), "");
}

TEST(ChosenSchedule, StagesOfAnotherPlacementAreNotWhereTheFamilyPlacesThem) {
    std::mt19937 random(3);
    Problem problem = random_problem::problem(random, 8, 4);
    problem.setup.microbatches = 4;
    const CostModel costs(problem);
    const ScheduleFamily &ring = *findScheduleFamily("breadth-first"), &vee = *findScheduleFamily("zb-v");
    Plan plan = equalLayersUnder(costs, ring, defaultValues(settingsOf(ring)));
    const Timeline timeline = simulate(costs, plan);
    plan = underSchedule(plan, vee, defaultValues(settingsOf(vee)));
    plan.schedule.splitBackward = false;
    EXPECT_NE(textOf(validate(problem, plan, timeline)).find("is not where zb-v places it"),
              std::string::npos);
}

TEST(ChosenSchedule, PassesInFlightAreCountedToTheEndOfTheWeightGradient) {
    std::mt19937 random(3);
    Problem problem = random_problem::problem(random, 8, 4);
    problem.cluster.devices.resize(4);
    problem.setup.microbatches = 8;
    const CostModel costs(problem);
    const auto peaks = [&](const char* id) {
        const ScheduleFamily& family = *findScheduleFamily(id);
        const Plan plan = equalLayersUnder(costs, family, defaultValues(settingsOf(family)));
        return peakInFlight(simulate(costs, plan));
    };
    EXPECT_EQ(peaks("1f1b"), (std::map<int, int>{{0, 4}, {1, 3}, {2, 2}, {3, 1}}));
    EXPECT_EQ(peaks("gpipe"), (std::map<int, int>{{0, 8}, {1, 8}, {2, 8}, {3, 8}}));
    EXPECT_EQ(peaks("zb-h1"), (std::map<int, int>{{0, 4}, {1, 4}, {2, 4}, {3, 4}}));
}

TEST(ChosenSchedule, WhatIsSetOfAFamilyStaysSet) {
    std::mt19937 random(3);
    Problem problem = random_problem::problem(random, 8, 4);
    problem.cluster.devices.resize(4);
    problem.setup.microbatches = 8;
    problem.setup.mode = TrainingMode::synchronous;
    const CostModel costs(problem);
    const ScheduleFamily& family = *findScheduleFamily("dualpipe-v");
    ParameterValues values = defaultValues(settingsOf(family));
    const double whole = simulate(costs, equalLayersUnder(costs, family, values)).lastEndS();
    values["overlap"] = 0.75;
    const Plan plan = equalLayersUnder(costs, family, values);
    EXPECT_EQ(settingsIn(plan, family), values);
    EXPECT_LT(simulate(costs, plan).lastEndS(), whole);
    EXPECT_EQ(textOf(validate(problem, plan, simulate(costs, plan))), "");
    Plan none = plan;
    std::get<PolicySchedule>(none.schedule.order).parameters["overlap"] = 0;
    EXPECT_THROW(simulate(costs, none), SimulationError);
}

TEST(ChosenSchedule, ASplitBackwardStaysWhereItWasChosenAndNotWhereTheFamilyHasNoOther) {
    const auto under = [](Plan plan, const char* id) {
        const ScheduleFamily& family = *findScheduleFamily(id);
        return underSchedule(std::move(plan), family, defaultValues(settingsOf(family)));
    };
    Plan plan;
    plan.schedule = {PolicySchedule{"1f1b", {}}, true};
    EXPECT_TRUE(under(plan, "gpipe").schedule.splitBackward);
    EXPECT_TRUE(under(plan, "zb-h1").schedule.splitBackward);
    EXPECT_FALSE(under(under(plan, "zb-h1"), "1f1b").schedule.splitBackward);
    EXPECT_FALSE(under(under(plan, "dualpipe-v"), "gpipe").schedule.splitBackward);
}

TEST(ChosenSchedule, AnotherFamilyKeepsThePartition) {
    std::mt19937 random(5);
    const Problem problem = random_problem::problem(random, 8, 4);
    Plan plan = random_problem::plan(random, problem);
    const ScheduleFamily& family = *findScheduleFamily("zb-h1");
    const Plan other = underSchedule(plan, family, defaultValues(settingsOf(family)));
    EXPECT_EQ(other.stages, plan.stages);
    EXPECT_EQ(other.memory, plan.memory);
    EXPECT_TRUE(other.schedule.splitBackward);
    EXPECT_EQ(std::get<PolicySchedule>(other.schedule.order).name, "zb-h1");
}
