// What a person has recomputed runs, and the validator accepts it.
#include "core/editing/plan_edit.h"
#include "core/editing/recompute_modes.h"
#include "core/memory/memory.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

using random_problem::upTo;
using test::textOf;

/// Some layers store scores of attention among other things.
void storeScores(std::mt19937& random, LayerProfile& profile) {
    for (Layer& layer : profile.layers) {
        if (random() % 3 == 0) continue;
        const double rest = upTo(random, 30), scores = upTo(random, 40);
        layer.storedParts = {{ActivationCause::input, rest}, {ActivationCause::scores, scores}};
        layer.storedActivationBytes = rest + scores;
        layer.scoresRecomputeS = layer.forwardS / (1 + upTo(random, 3));
    }
}

/// A few edits one after the other; those that are refused change nothing.
Plan withEdits(std::mt19937& random, const Problem& problem, Plan plan) {
    for (int edit = 1 + upTo(random, 3); edit > 0; --edit) {
        const LayerMemory memory = recomputeModes[random() % std::size(recomputeModes)].memory;
        const int first = upTo(random, problem.profile.layerCount() - 1);
        const int last = first + upTo(random, problem.profile.layerCount() - 1 - first);
        try {
            const SetMemory asked =
                random() % 2 ? memoryOfLayers(problem, first, last, memory)
                             : memoryOfStage(problem, plan, upTo(random, plan.stageCount() - 1), memory);
            plan = editedPlan(plan, asked);
        } catch (const std::invalid_argument&) {
        }
    }
    return plan;
}

std::string violationsOf(const Problem& problem, const Plan& plan) {
    return textOf(validate(problem, plan, simulate(CostModel(problem), plan)));
}

double lastEndS(const Timeline& timeline) {
    return *std::max_element(timeline.endS.begin(), timeline.endS.end());
}

double highestPeak(const CostModel& costs, const Plan& plan) {
    double highest = 0;
    for (const MemoryCurve& curve : memoryCurves(costs, plan, stageEdges(costs, plan), simulate(costs, plan)))
        highest = std::max(highest, curve.peakBytes());
    return highest;
}

}  // namespace

RC_GTEST_PROP(EditedMemory, WhateverIsRecomputedIsAccepted, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 1 + upTo(random, 8), 1 + upTo(random, 6));
    storeScores(random, problem.profile);
    if (random() % 2) problem = random_problem::underSetupOfToday(random, problem);
    Plan plan = random_problem::plan(random, problem);
    if (random() % 3 == 0) random_problem::takeTurns(plan, [&] { return random() % 2 != 0; });
    RC_ASSERT(violationsOf(problem, withEdits(random, problem, plan)) == "");
}

RC_GTEST_PROP(EditedMemory, OrdersThatSpellItOutAreCarriedOver, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 2 + upTo(random, 6), 1 + upTo(random, 4));
    storeScores(random, problem.profile);
    Plan plan = random_problem::plan(random, problem);
    plan.schedule = {FamilySchedule{"gpipe", {}}};
    plan.memory.layers = {{0, LayerMemory::checkpoint}};
    plan = spelledOut(plan, simulate(CostModel(problem), plan));
    // The first stage says that it recomputes as early as it can; what follows must still run.
    auto& orders = std::get<ExplicitSchedule>(plan.schedule.order).orders;
    for (const int device : plan.stages[0].devices) {
        std::vector<Task> order;
        for (const Task& task : orders.at(device)) {
            if (task.kind == TaskKind::backward)
                order.push_back({TaskKind::recompute, task.stage, task.microbatch, false, task.slice});
            order.push_back(task);
        }
        orders.at(device) = order;
    }
    RC_ASSERT(violationsOf(problem, plan) == "");
    RC_ASSERT(violationsOf(problem, withEdits(random, problem, plan)) == "");
}

RC_GTEST_PROP(EditedMemory, FullRecomputationLowersThePeakWhereActivationsDominate, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int stages = 2 + upTo(random, 2);
    Problem problem = test::smallProblem(2 * stages, stages, 3 + upTo(random, 4));
    for (Layer& layer : problem.profile.layers) layer.storedActivationBytes = 5000.0 + upTo(random, 5000);
    std::vector<std::vector<int>> devices;
    for (int stage = 0; stage < stages; ++stage) devices.push_back({stage});
    const Plan kept = test::smallPlan(problem, devices);
    Plan full = kept;
    for (int stage = 0; stage < stages; ++stage)
        full = editedPlan(full, memoryOfStage(problem, full, stage, LayerMemory::checkpoint));
    const CostModel costs(problem);
    const double before = highestPeak(costs, kept), after = highestPeak(costs, full);
    RC_ASSERT(after < before);
    // Of all that is in flight, one layer is back at a time, beside what came into the others.
    RC_ASSERT(after < 10000.0 + before / 10 + 2000);
    RC_ASSERT(lastEndS(simulate(costs, full)) > lastEndS(simulate(costs, kept)));
}

}  // namespace stagecraft
