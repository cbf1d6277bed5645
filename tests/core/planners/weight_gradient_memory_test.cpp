// What a device keeps between the input and the weight gradient is what the profile says, in the engine's
// memory and in the validator's, which each have it from the profile.
#include "core/analysis/evaluation.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "core/validation/validator.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

bool exceedsMemory(const std::vector<Violation>& violations) {
    return std::any_of(violations.begin(), violations.end(),
                       [](const Violation& violation) { return violation.rule == Rule::memoryLimit; });
}

RC_GTEST_PROP(WeightGradientMemory, TheEnginesPeakIsTheLeastLimitThatTheValidatorTakes,
              (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 4 + random_problem::upTo(random, 4), 3);
    for (Layer& layer : problem.profile.layers)
        if (random() % 3 != 0) layer.weightGradientBytes = random_problem::upTo(random, 80);
    problem.setup.mode = TrainingMode::synchronous;
    const ScheduleFamily& family = *findScheduleFamily(random() % 2 == 0 ? "zb-h1" : "zb-search");
    Plan plan = equalLayersUnder(CostModel(problem), family, defaultValues(settingsOf(family)));
    plan.claims.fitsMemory = true;
    const Evaluation evaluation = evaluate(CostModel(problem), plan);
    double peak = 0;
    for (const MemoryCurve& curve : evaluation.memory) peak = std::max(peak, curve.peakBytes());
    problem.setup.memoryLimitBytes = peak * (1 + 1e-9);
    RC_ASSERT(!exceedsMemory(validate(problem, plan, evaluation.timeline)));
    problem.setup.memoryLimitBytes = peak * (1 - 1e-6);
    RC_ASSERT(exceedsMemory(validate(problem, plan, evaluation.timeline)));
}

TEST(WeightGradientMemory, IsHalfOfWhatIsStoredWhereTheProfileIsSilent) {
    Problem problem;
    problem.profile.layers = {{"a", 1, 2, 0, 0, 0, 10, 1}};
    problem.cluster.devices = {{"g", "s", "", 1000}};
    problem.setup.microbatches = 1;
    Plan plan;
    plan.stages = {{0, 0, {0}}};
    plan.schedule.order = FamilySchedule{"zb-h1", {}};
    plan.schedule.splitBackward = true;
    const auto heldAt = [&](double timeS) {
        const MemoryCurve curve = evaluate(CostModel(problem), plan).memory.front();
        return curve.totalAt(curve.stepAt(timeS));
    };
    EXPECT_EQ(heldAt(1.5), 10);
    EXPECT_EQ(heldAt(2.5), 5);
    problem.profile.layers[0].weightGradientBytes = 8;
    EXPECT_EQ(heldAt(2.5), 8);
    problem.profile.layers[0].weightGradientBytes = 12;  // more than the forward stored: gradients too
    EXPECT_EQ(heldAt(1.5), 10);
    EXPECT_EQ(heldAt(2.5), 12);
}

}  // namespace
}  // namespace stagecraft
