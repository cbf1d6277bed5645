// Orders are recognised as the schedule families that they are, whatever they are called.
#include "core/programs/recognised_schedule.h"

#include "core/editing/plan_edit.h"
#include "core/runs/chosen_schedule.h"
#include "core/planners/planned_run.h"
#include "core/schedules/families.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

using namespace stagecraft;

namespace {

/// A plan of a random family at a random shape that it takes, with its order spelled out.
struct SpelledPlan {
    const ScheduleFamily* family = nullptr;
    std::shared_ptr<const CostModel> costs;
    Plan plan;
};

SpelledPlan randomSpelledPlan(std::mt19937& random) {
    const auto upTo = [&](int most) { return 1 + static_cast<int>(random() % static_cast<unsigned>(most)); };
    while (true) {
        Problem problem = random_problem::problem(random, 12 + upTo(6), upTo(5));
        problem.setup.microbatches = upTo(12);
        const std::vector<ScheduleFamily>& families = scheduleFamilies();
        SpelledPlan made;
        made.family = &families[random() % families.size()];
        ParameterValues settings = defaultValues(settingsOf(*made.family));
        if (made.family->placement == Placement::ring) settings["chunks"] = 1 + upTo(2);
        made.costs = std::make_shared<const CostModel>(problem);
        if (!whyNotCutUnder(*made.costs, *made.family, settings).empty()) continue;
        const Plan plan = equalLayersUnder(*made.costs, *made.family, settings);
        made.plan = editing::spelledOut(plan, simulate(*made.costs, plan));
        return made;
    }
}

/// A family's order in which one pass was moved, and that still runs to its end.
struct MovedPass {
    const ScheduleFamily* family = nullptr;
    PlanRun run;
    int device = 0;
    std::size_t place = 0;  ///< the first that is another
};

MovedPass randomMovedPass(std::mt19937& random) {
    while (true) {
        const SpelledPlan made = randomSpelledPlan(random);
        const auto& orders = std::get<ExplicitSchedule>(made.plan.schedule.order).orders;
        auto chosen = orders.begin();
        std::advance(chosen, static_cast<long>(random() % orders.size()));
        const auto& [device, order] = *chosen;
        // A family without an order of its own is near to nothing; a pair moves as one.
        const bool has = made.family->order || made.family->deviceOrders;
        if (!has || std::any_of(order.begin(), order.end(), [](const Task& task) { return task.paired; }))
            continue;
        const int last = static_cast<int>(order.size()) - 1;
        const int from = random_problem::upTo(random, last), to = random_problem::upTo(random, last);
        if (from == to) continue;
        const Plan plan = editing::editedPlan(made.plan, MoveTask{device, from, to});
        MovedPass moved{made.family, evaluatePlan(made.costs, plan), device,
                        static_cast<std::size_t>(std::min(from, to))};
        if (moved.run.ok()) return moved;  // else devices wait for each other
    }
}

const NearSchedule* nearOf(const RecognisedSchedule& recognised, const ScheduleFamily& family) {
    const auto found = std::find_if(recognised.nearest.begin(), recognised.nearest.end(),
                                    [&](const NearSchedule& each) { return each.family == &family; });
    return found == recognised.nearest.end() ? nullptr : &*found;
}

/// Four equal layers on as many GPUs.
std::shared_ptr<const CostModel> chainCosts(int microbatches) {
    Problem problem;
    for (int i = 0; i < 4; ++i) {
        const std::string id = "g" + std::to_string(i);
        problem.profile.layers.push_back({"l", 1e-3, 2e-3, 8, 4, 4, 16, 1e-3});
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 32});
        if (i > 0) problem.cluster.links.push_back({"g" + std::to_string(i - 1), id, 1e12, 0, ""});
    }
    problem.setup.microbatches = microbatches;
    return std::make_shared<const CostModel>(problem);
}

PlanRun chainRun(const std::string& family, int microbatches, const ScheduleParameters& parameters = {}) {
    const auto costs = chainCosts(microbatches);
    const ScheduleFamily& own = *findScheduleFamily(family);
    Plan plan = equalLayersUnder(*costs, own, defaultValues(settingsOf(own)));
    std::get<FamilySchedule>(plan.schedule.order).parameters = parameters;
    return evaluatePlan(costs, editing::spelledOut(plan, simulate(*costs, plan)));
}

}  // namespace

RC_GTEST_PROP(RecognisedSchedule, TheOrderOfEachFamilyIsRecognisedAsIt, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const SpelledPlan made = randomSpelledPlan(random);
    RC_TAG(made.family->id);
    const PlanRun run = evaluatePlan(made.costs, made.plan);
    RC_ASSERT(run.ok());
    const RecognisedSchedule recognised = recognisedSchedule(run);
    RC_ASSERT(recognised.isKnown());
    RC_ASSERT(nearOf(recognised, *made.family) != nullptr);
}

RC_GTEST_PROP(RecognisedSchedule, AfterOnePassWasMovedItIsStillTheNearestAndDiffersThere,
              (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const MovedPass moved = randomMovedPass(random);
    RC_TAG(moved.family->id);
    const RecognisedSchedule recognised = recognisedSchedule(moved.run);
    const NearSchedule* near = nearOf(recognised, *moved.family);
    if (recognised.isKnown()) {  // it is another family's now, and no longer this one's as it is at first
        const bool isItself = near && near->parameters.empty();
        RC_ASSERT(!isItself);
        return;
    }
    RC_ASSERT(near != nullptr);
    RC_ASSERT(near->difference.moved == 1);
    RC_ASSERT(near->difference.devices.size() == 1u);
    RC_ASSERT(near->difference.devices.front().device == moved.device);
    RC_ASSERT(near->difference.devices.front().place == moved.place);
}

TEST(RecognisedSchedule, FamiliesOfOneOrderAreAllNamed) {
    const RecognisedSchedule one = recognisedSchedule(chainRun("1f1b", 1));
    EXPECT_TRUE(one.isKnown());
    EXPECT_TRUE(nearOf(one, *findScheduleFamily("gpipe")));
    EXPECT_TRUE(nearOf(one, *findScheduleFamily("1f1b")));
    const RecognisedSchedule eight = recognisedSchedule(chainRun("1f1b", 8));
    EXPECT_EQ(recognitionText(eight), "This is 1F1B");
    EXPECT_EQ(eight.passes, 4 * 2 * 8);
}

TEST(RecognisedSchedule, ParametersAreFound) {
    const RecognisedSchedule warm = recognisedSchedule(chainRun("zb-h2", 16, {{"warm_up", 3}}));
    EXPECT_EQ(recognitionText(warm), "This is ZB-H2 (warm-up 3)");
    const RecognisedSchedule more = recognisedSchedule(chainRun("1f1b", 16, {{"extra_in_flight", 2}}));
    EXPECT_TRUE(more.isKnown());
    EXPECT_EQ(more.nearest.front().family->id, "1f1b");
    EXPECT_EQ(more.nearest.front().parameters, (ScheduleParameters{{"extra_in_flight", 2}}));
}

TEST(RecognisedSchedule, SaysWhereAnOrderDiffers) {
    PlanRun run = chainRun("1f1b", 8);
    // The last GPU runs F0 B0 F1 …; its third pass comes second.
    const Plan moved = editing::editedPlan(run.result.plan, MoveTask{3, 2, 1});
    run = evaluatePlan(run.costs, moved);
    ASSERT_TRUE(run.ok());
    const RecognisedSchedule recognised = recognisedSchedule(run);
    EXPECT_EQ(recognitionText(recognised), "Nearest: 1F1B; 1 of 64 passes moved");
    const NearSchedule& near = recognised.nearest.front();
    ASSERT_EQ(near.difference.devices.size(), 1u);
    EXPECT_EQ(differenceText(near.difference.devices.front(), near, run.result.plan.stages),
              "F1 where 1F1B has B0");
}

TEST(RecognisedSchedule, AnOrderOfAPersonsOwnIsKnownByItsName) {
    const PlanRun run = chainRun("1f1b", 8);
    const Plan moved = editing::editedPlan(run.result.plan, MoveTask{3, 2, 1});
    const std::vector<CustomSchedule> own = {customSchedule("Mine", moved, 8)};
    EXPECT_EQ(recognitionText(recognisedSchedule(evaluatePlan(run.costs, moved), own)), "This is Mine");
    EXPECT_EQ(recognitionText(recognisedSchedule(run, own)), "This is 1F1B");
}

TEST(RecognisedSchedule, WithoutABarrierMiniBatchesAreLookedAtTogether) {
    // One microbatch in each: any of them alone has the same order under every family.
    Problem problem = chainCosts(1)->problem();
    problem.setup.mode = TrainingMode::asynchronous;
    const auto costs = std::make_shared<const CostModel>(problem);
    for (const char* id : {"gpipe", "1f1b"}) {
        const ScheduleFamily& family = *findScheduleFamily(id);
        const Plan plan = equalLayersUnder(*costs, family, defaultValues(settingsOf(family)));
        const RecognisedSchedule recognised = recognisedSchedule(evaluatePlan(costs, plan));
        EXPECT_TRUE(recognised.isKnown());
        EXPECT_TRUE(nearOf(recognised, family));
        EXPECT_FALSE(nearOf(recognised, *findScheduleFamily(std::string(id) == "gpipe" ? "1f1b" : "gpipe")));
    }
}

TEST(RecognisedSchedule, APatternThatRepeatsHasNoOrder) {
    PlanRun run = chainRun("1f1b", 8);
    run.result.plan.schedule.order = PeriodicSchedule{};
    EXPECT_THROW(recognisedSchedule(run), std::exception);
}
