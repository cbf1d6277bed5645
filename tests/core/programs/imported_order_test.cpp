// Orders that are read from files become plans as any other.
#include "core/programs/imported_order.h"

#include "core/editing/plan_edit.h"
#include "core/formats/input_error.h"
#include "core/formats/orders/order_table.h"
#include "core/formats/orders/pipelining_csv.h"
#include "core/planners/planned_run.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/core/programs/custom_program.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

/// As many layers, devices and microbatches as every family can take.
Problem largeToy() {
    Problem problem = custom_program::toy().problem;
    while (problem.profile.layerCount() < 16)
        problem.profile.layers.push_back(problem.profile.layers.front());
    problem.profile.edges.clear();
    problem.setup.microbatches = 8;
    return problem;
}

std::string complaint(const std::string& text, const Problem& problem, std::vector<Stage> stages = {}) {
    try {
        importedOrder(text, "o.csv", problem, std::move(stages));
    } catch (const InputError& error) {
        return error.problem();
    }
    return "none";
}

/// One rank per GPU, each F then B of one microbatch.
std::string oneMicrobatch(int ranks) {
    std::string text;
    for (int rank = 0; rank < ranks; ++rank)
        text += std::to_string(rank) + "F0," + std::to_string(rank) + "B0\n";
    return text;
}

}  // namespace

TEST(ImportedOrder, WhatEveryFamilyWritesReadsBackAsTheSameOrder) {
    const auto costs = std::make_shared<const CostModel>(largeToy());
    int written = 0;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (sharesVocabulary(family)) continue;  // the toy has no words
        SCOPED_TRACE(family.id);
        const Plan cut = equalLayersUnder(*costs, family, defaultValues(settingsOf(family)));
        const PlanRun run = evaluatePlan(costs, cut);
        ASSERT_TRUE(run.ok()) << run.result.reason;
        Plan spelled = editing::spelledOut(cut, run.evaluation->timeline);
        // Of what pairs hide an order does not speak.
        std::get<ExplicitSchedule>(spelled.schedule.order).pairTimes.hidden = 0;
        const Plan tabled =
            importedOrder(writeOrderTable(spelled, costs->problem().cluster), "a.csv", costs->problem());
        EXPECT_EQ(tabled.schedule, spelled.schedule);
        EXPECT_EQ(tabled.stages, spelled.stages);
        EXPECT_DOUBLE_EQ(evaluatePlan(costs, tabled).iterationTimeS(), run.iterationTimeS());
        if (family.placement == Placement::opposite || cutsSequences(family) || family.evicts) {
            EXPECT_THROW(rankOrders(spelled), std::invalid_argument);
            continue;
        }
        for (const PipeliningForm form : {PipeliningForm::computeOnly, PipeliningForm::computeComms}) {
            if (form == PipeliningForm::computeComms && !run.evaluation->timeline.pairs.empty()) {
                EXPECT_THROW(writePipeliningCsv(rankOrders(spelled), form), std::invalid_argument);
                continue;
            }
            const Plan back =
                importedOrder(writePipeliningCsv(rankOrders(spelled), form), "a.csv", costs->problem());
            EXPECT_EQ(back.schedule, spelled.schedule);
            EXPECT_EQ(back.stages, spelled.stages);
            const PlanRun again = evaluatePlan(costs, back);
            ASSERT_TRUE(again.ok()) << again.result.reason;
            EXPECT_DOUBLE_EQ(again.iterationTimeS(), run.iterationTimeS());
        }
        ++written;
    }
    EXPECT_GE(written, 13);
}

TEST(ImportedOrder, WhatDoesNotGoWithTheProblemIsRefused) {
    Problem problem = largeToy();
    problem.setup.microbatches = 1;
    const int devices = problem.cluster.deviceCount();
    EXPECT_EQ(complaint(oneMicrobatch(devices), problem), "none");
    EXPECT_EQ(complaint(oneMicrobatch(devices + 1), problem),
              "the order is for " + std::to_string(devices + 1) + " ranks, and the cluster has " +
                  std::to_string(devices) + " devices");
    EXPECT_EQ(complaint(oneMicrobatch(2), problem, {{0, 15, {}}}),
              "the order has 2 stages, and the split has 1");
    problem.setup.microbatches = 4;
    EXPECT_EQ(complaint(oneMicrobatch(2), problem), "the order runs 1 microbatch, and the setup has 4");
    problem.setup.microbatches = 1;
    problem.profile.layers.resize(1);
    EXPECT_EQ(complaint(oneMicrobatch(2), problem), "the order has 2 stages, and the profile has 1 layer");
}

TEST(ImportedOrder, ASplitNamesTheStages) {
    Problem problem = largeToy();
    problem.setup.microbatches = 1;
    const Plan plan = importedOrder(oneMicrobatch(2), "/x/mine.csv", problem, {{0, 2, {}}, {3, 15, {}}});
    EXPECT_EQ(plan.name, "mine");
    EXPECT_EQ(plan.stages, (std::vector<Stage>{{0, 2, {0}}, {3, 15, {1}}}));
}
