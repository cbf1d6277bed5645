// Which weights each pass uses: against golden cases, and against what the validator works out for itself.
#include "core/simulation/simulator.h"
#include "tests/support/every_room.h"
#include "core/validation/validator.h"
#include "core/validation/weight_versions.h"
#include "core/weights/weight_use.h"
#include "tests/core/support/golden_cases.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/weights/weight_setting.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

using stagecraft::testing::goldenCase;

using weight_setting::Setting;
using weight_setting::unitSetting;

TEST(WeightUse, StashedVersionsAreThoseOfTheGoldenCase) {
    const auto golden = goldenCase("pd-08-weight-versions");
    const int stages = golden.input["stages"], miniBatches = golden.input["minibatches"];
    for (const auto& [policy, key] : {std::pair{WeightPolicyKind::stashing, "stashing"},
                                      std::pair{WeightPolicyKind::verticalSync, "vertical"}}) {
        const Setting setting = unitSetting(policy, stages, 1, miniBatches);
        const PassHistory history(setting.plan, setting.timeline);
        const WeightUses uses(setting.plan, history);
        for (int stage = 0; stage < stages; ++stage)
            for (int miniBatch = 0; miniBatch < miniBatches; ++miniBatch) {
                const WeightUse expected{golden.expected[key][stage][miniBatch], 0};
                EXPECT_EQ(uses.of(stage, miniBatch, 0).forward, expected) << key << " " << stage;
                EXPECT_EQ(uses.of(stage, miniBatch, 0).backward, expected) << key << " " << stage;
            }
    }
}

TEST(WeightUse, CountedDifferencesAreThoseOfTheGoldenCasesInSteadyState) {
    for (const char* id : {"xp-01-versions-N2", "xp-02-versions-N4"}) {
        const auto golden = goldenCase(id);
        const int stages = golden.input["N"], iterations = 30, steady = 15;
        for (const int microbatches : golden.input["T"])
            // Thirds of a second do not add up exactly.
            for (const double seconds : {1.0, 1.0 / 3}) {
                const Setting setting =
                    unitSetting(WeightPolicyKind::predicted, stages, microbatches, iterations, seconds);
                const PassHistory history(setting.plan, setting.timeline);
                const WeightUses uses(setting.plan, history);
                const auto& expected = golden.expected[std::to_string(microbatches)];
                for (int stage = 0; stage < stages; ++stage) {
                    const MicrobatchUse& use = uses.of(stage, steady, 0);
                    EXPECT_EQ(use.forward.ahead, expected["true_fwd"][stage])
                        << id << ", T = " << microbatches << ", GPU " << stage;
                    EXPECT_EQ(use.backward.ahead, expected["true_bwd"][stage])
                        << id << ", T = " << microbatches << ", GPU " << stage;
                    // All of a mini-batch use what the bellwether made.
                    EXPECT_EQ(uses.of(stage, steady, microbatches - 1).forward, use.forward);
                    EXPECT_EQ(uses.of(stage, steady, microbatches - 1).backward, use.backward);
                }
            }
    }
}

TEST(WeightUse, IsWhatTheValidatorWorksOut) {
    int compared = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        Setting setting{random_problem::problem(random, 6, 5), {}, {}};
        setting.problem.setup.mode = TrainingMode::asynchronous;
        setting.plan = random_problem::plan(random, setting.problem);
        for (const WeightPolicyKind policy :
             {WeightPolicyKind::stashing, WeightPolicyKind::verticalSync, WeightPolicyKind::doubleBuffer}) {
            Plan plan = setting.plan;
            plan.memory.layers.clear();
            // Run as if no pass had to wait for a version, so that some will be missing.
            plan.weights.kind = WeightPolicyKind::latest;
            const Timeline timeline = simulate(CostModel(setting.problem), plan, {6, {}});
            plan.weights.kind = policy;
            validation::Report report(1);
            const validation::Facts facts(setting.problem, plan);
            const validation::BlockIndex index(setting.problem, facts, timeline, report);
            const validation::Context context{setting.problem, plan, timeline, facts, index, report};
            const validation::WeightVersions theirs(context);
            const PassHistory history(plan, timeline);
            const WeightUses ours(plan, history);
            const std::vector<Violation> violations = validate(setting.problem, plan, timeline);
            // What names a version that does not exist is no valid plan either.
            EXPECT_EQ(ours.missing().has_value(),
                      std::any_of(violations.begin(), violations.end(),
                                  [](const Violation& each) { return each.rule == Rule::weightVersion; }))
                << "seed " << seed;
            if (ours.missing()) continue;
            for (int stage = 0; stage < plan.stageCount(); ++stage)
                for (int iteration = 0; iteration < 6; ++iteration)
                    for (int microbatch = 0; microbatch < setting.problem.setup.microbatches; ++microbatch) {
                        const MicrobatchUse& use = ours.of(stage, iteration, microbatch);
                        const int named = theirs.namedFor(stage, iteration, microbatch);
                        ASSERT_EQ(use.forward.version, named) << "seed " << seed;
                        ASSERT_EQ(use.backward.version, named) << "seed " << seed;
                        ++compared;
                    }
        }
    }
    EXPECT_GT(compared, 1000);
}

TEST(WeightUse, WithoutStashingTheBackwardHasTheNewest) {
    const Setting setting = unitSetting(WeightPolicyKind::latest, 3, 1, 10);
    const PassHistory history(setting.plan, setting.timeline);
    const WeightUses uses(setting.plan, history);
    EXPECT_EQ(uses.of(0, 6, 0).forward.version, 4);
    EXPECT_EQ(uses.of(0, 6, 0).backward.version, 6);
    EXPECT_EQ(uses.of(2, 6, 0).forward.version, 6);
}

TEST(WeightUse, DoubleBufferingNeedsAsManyMicrobatchesAsStages) {
    for (const int microbatches : {2, 4}) {
        // Run as if no pass had to wait for its version.
        Setting setting = unitSetting(WeightPolicyKind::latest, 4, microbatches, 10);
        setting.plan.weights.kind = WeightPolicyKind::doubleBuffer;
        const PassHistory history(setting.plan, setting.timeline);
        const WeightUses uses(setting.plan, history);
        EXPECT_EQ(uses.missing().has_value(), microbatches < 4);
        if (!uses.missing()) {
            EXPECT_EQ(uses.of(0, 5, 0).forward.version, 4);
        }
    }
}

TEST(WeightUse, StalenessUnderStashingIsWhatTheStagesBehindStillHold) {
    const Setting setting = unitSetting(WeightPolicyKind::stashing, 4, 1, 12);
    const PassHistory history(setting.plan, setting.timeline);
    const WeightUses uses(setting.plan, history);
    for (int stage = 0; stage < 4; ++stage) {
        EXPECT_EQ(uses.staleness(stage, 8, 0, false), 3 - stage);
        EXPECT_EQ(uses.staleness(stage, 8, 0, true), 3 - stage);
    }
}

}  // namespace
}  // namespace stagecraft
