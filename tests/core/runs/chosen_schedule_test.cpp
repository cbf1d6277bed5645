// A family for a partition: simulated, and checked by the validator's own words.
#include "core/runs/chosen_schedule.h"

#include "core/analysis/passes_in_flight.h"
#include "core/planners/planned_run.h"
#include "core/schedules/families.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

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
    const CostModel costs(problem);
    if (const std::string reason = whyNotCutUnder(costs, family, settings); !reason.empty()) {
        // Fewer devices than there are, where layers do not suffice, may not divide the microbatches.
        try {
            equalLayersUnder(costs, family, settings);
            RC_FAIL("taken, and refused: " + reason);
        } catch (const std::invalid_argument& error) {
            RC_ASSERT(std::string(error.what()) ==
                      "the schedule '" + family.id + "' does not apply: " + reason);
        }
        RC_DISCARD("refused");
    }
    const Plan plan = equalLayersUnder(costs, family, settings);
    const Timeline timeline = simulate(costs, plan);
    RC_TAG(family.id);
    RC_ASSERT(textOf(validate(problem, plan, timeline)) == "");
}

namespace {

/// Equal layers on equal devices that are linked by much bandwidth; forwards of 1 s, backwards of 2 s.
std::shared_ptr<const CostModel> equalChain(int layers, int devices, int microbatches) {
    Problem problem;
    for (int layer = 0; layer < layers; ++layer)
        problem.profile.layers.push_back({"l" + std::to_string(layer), 1, 2, 0, 0, 0, 1, 1});
    for (int device = 0; device < devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 8});
        for (int other = 0; other < device; ++other)
            problem.cluster.links.push_back({"g" + std::to_string(other), id, 1e15, 0, ""});
    }
    problem.setup.microbatches = microbatches;
    problem.setup.mode = TrainingMode::synchronous;
    return std::make_shared<const CostModel>(problem);
}

std::string whyNot(const char* id, int layers, int devices, int microbatches) {
    const ScheduleFamily& family = *findScheduleFamily(id);
    return whyNotCutUnder(*equalChain(layers, devices, microbatches), family,
                          defaultValues(settingsOf(family)));
}

}  // namespace

TEST(ChosenSchedule, AFamilyThatDoesNotTakeAllDevicesSaysWhyAndWhatItWouldTake) {
    EXPECT_EQ(whyNot("chimera", 8, 8, 22),
              "22 microbatches on 8 devices; expected a multiple of the devices, such as 16 or 24");
    EXPECT_EQ(whyNot("chimera", 8, 8, 5),
              "5 microbatches on 8 devices; expected a multiple of the devices, such as 8");
    EXPECT_EQ(whyNot("chimera", 8, 8, 24), "");
    EXPECT_EQ(whyNot("chimera", 8, 3, 6), "3 devices; expected an even number");
    EXPECT_EQ(whyNot("chimera", 5, 8, 8), "") << "there are layers for five, of which it takes four";
    EXPECT_EQ(whyNot("chimera", 5, 8, 7), "5 devices; expected an even number");
    EXPECT_EQ(whyNot("chimera", 5, 8, 7), "5 devices; expected an even number");
    EXPECT_EQ(whyNot("dualpipe", 8, 8, 8),
              "8 microbatches on 8 devices; expected twice as many microbatches as devices at least, 16 or "
              "more");
    EXPECT_EQ(whyNot("dualpipe", 8, 4, 9),
              "9 microbatches; expected an even number, half for each direction, such as 10");
    EXPECT_EQ(whyNot("dualpipe-v", 8, 4, 7),
              "7 microbatches on 4 devices; expected twice as many microbatches as devices at least, 8 or "
              "more");
    EXPECT_EQ(whyNot("zb-v", 1, 2, 4), "1 layer; expected 2 at least, one for each stage on a device");
}

TEST(ChosenSchedule, NoFamilyLeavesADeviceIdleWithoutAWord) {
    for (const ScheduleFamily& family : scheduleFamilies())
        for (const int layers : {3, 8})
            for (const int devices : {3, 4, 6, 8})
                for (int microbatches = 1; microbatches <= 24; microbatches += 3) {
                    const auto costs = equalChain(layers, devices, microbatches);
                    const ParameterValues values = defaultValues(settingsOf(family));
                    if (!whyNotCutUnder(*costs, family, values).empty()) continue;
                    const Plan plan = equalLayersUnder(*costs, family, values);
                    std::set<int> used;
                    for (const Stage& stage : plan.stages)
                        used.insert(stage.devices.begin(), stage.devices.end());
                    const std::string said =
                        std::to_string(used.size()) + " of " + std::to_string(devices) + " devices";
                    const std::vector<std::string> notes = evaluatePlan(costs, plan).result.notes;
                    const bool says = std::ranges::any_of(
                        notes, [&](const std::string& note) { return note.starts_with(said); });
                    EXPECT_EQ(says, std::ssize(used) < devices)
                        << family.id << ", " << layers << " layers, " << said;
                    const bool two =
                        family.placement == Placement::ring || family.placement == Placement::vee;
                    if (layers / (two ? 2 : 1) >= devices) {
                        EXPECT_EQ(std::ssize(used), devices) << family.id;
                    }
                }
}

TEST(ChosenSchedule, WhereLayersDoNotSufficeTheNoteSaysWhyAFamilyIsOnFewerDevicesStill) {
    const ScheduleFamily& family = *findScheduleFamily("chimera");
    const auto costs = equalChain(5, 8, 8);
    EXPECT_EQ(
        evaluatePlan(costs, equalLayersUnder(*costs, family, {})).result.notes,
        std::vector<std::string>{"4 of 8 devices are used: there are layers for 5, and it does not take "
                                 "5 devices; expected an even number."});
}

TEST(ChosenSchedule, InterleavedSaysWhatItsGroupsAreWhereMicrobatchesAreNoMultipleOfTheDevices) {
    const ScheduleFamily& family = *findScheduleFamily("interleaved");
    ParameterValues values = defaultValues(settingsOf(family));
    const auto costs = equalChain(16, 4, 10);
    const PlanRun run = evaluatePlan(costs, equalLayersUnder(*costs, family, values));
    // 4 layers a device: 10 times 12 s of work, and 3 times 12 s over 2 chunks.
    EXPECT_DOUBLE_EQ(run.iterationTimeS(), 138);
    EXPECT_EQ(
        run.result.notes,
        std::vector<std::string>{"10 microbatches are no multiple of 4 devices: they go in 2 groups of 5."});
    EXPECT_EQ(textOf(run.evaluation->violations), "");
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
    std::get<FamilySchedule>(none.schedule.order).parameters["overlap"] = 0;
    EXPECT_THROW(simulate(costs, none), SimulationError);
}

TEST(ChosenSchedule, ASplitBackwardStaysWhereItWasChosenAndNotWhereTheFamilyHasNoOther) {
    const auto under = [](Plan plan, const char* id) {
        const ScheduleFamily& family = *findScheduleFamily(id);
        return underSchedule(std::move(plan), family, defaultValues(settingsOf(family)));
    };
    Plan plan;
    plan.schedule = {FamilySchedule{"1f1b", {}}, true};
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
    EXPECT_EQ(std::get<FamilySchedule>(other.schedule.order).name, "zb-h1");
}
