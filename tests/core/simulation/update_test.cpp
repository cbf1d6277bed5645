// The optimizer's step, where the setup says how fast it is.
#include "core/analysis/evaluation.h"
#include "core/model/vocabulary.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

/// Two layers of 10 and 20 numbers in 2 bytes, 1 s forward and 2 s backward; links that take next to no time.
struct TwoLayers {
    explicit TwoLayers(int devices) {
        problem.profile.layers = {{"a", 1, 2, 20, 0, 0, 0, 1}, {"b", 1, 2, 40, 0, 0, 0, 1}};
        problem.profile.elementBytes = 2;
        for (int device = 0; device < devices; ++device) {
            const std::string id = "g" + std::to_string(device);
            problem.cluster.devices.push_back({id, "", "", 1e9, 1, 0});
            for (int other = 0; other < device; ++other)
                problem.cluster.links.push_back({"g" + std::to_string(other), id, 1e15, 0, ""});
        }
        problem.setup.microbatches = 2;
        problem.setup.optimizer = Optimizer::adam;
        problem.setup.precision = StatePrecision::mixed;
        problem.setup.updateBytesPerS = 10;
        plan.schedule.order = FamilySchedule{.name = "gpipe"};
    }

    /// Seconds of each stage's update; the validator agrees.
    std::vector<double> updatesS() {
        timeline = simulate(CostModel(problem), plan);
        EXPECT_TRUE(validate(problem, plan, timeline).empty());
        std::vector<double> all;
        for (int stage = 0; stage < plan.stageCount(); ++stage)
            all.push_back(timeline.durationS(timeline.find(BlockKind::update, stage, -1, 0)));
        return all;
    }

    double startS(BlockKind kind, int stage) const {
        return timeline.startS[timeline.find(kind, stage, -1, 0)];
    }

    Problem problem;
    Plan plan;
    Timeline timeline;
};

TEST(Update, TakesTheBytesOfItsStatesAtTheRate) {
    TwoLayers it(2);
    it.plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    EXPECT_EQ(it.updatesS(), (std::vector<double>{30, 60}));  // 30 bytes a number
    // Two forwards, one more on the second stage, two backwards, and its update; the first ends before.
    EXPECT_NEAR(it.timeline.lastEndS(), 1 + 2 * 3 + 60, 1e-9);
    it.problem.setup.gradients = GradientPrecision::half;
    EXPECT_EQ(it.updatesS(), (std::vector<double>{28, 56}));
    it.problem.setup.optimizer = Optimizer::sgd;
    EXPECT_EQ(it.updatesS(), (std::vector<double>{12, 24}));  // 2 + 2 * 4 + 2
    it.problem.setup.precision = StatePrecision::uniform;
    EXPECT_EQ(it.updatesS(), (std::vector<double>{6, 12}));
    it.problem.setup.updateBytesPerS = 0;
    EXPECT_EQ(it.updatesS(), (std::vector<double>{0, 0}));
}

TEST(Update, OfSharedOutStatesIsOfEachCopysPart) {
    TwoLayers it(2);
    it.plan.stages = {{0, 1, {0, 1}}};
    for (const auto& [zero, seconds] : {std::pair{ZeroStage::off, 90.0},
                                        {ZeroStage::optimizer, 45.0},
                                        {ZeroStage::gradients, 45.0},
                                        {ZeroStage::weights, 45.0}}) {
        it.problem.setup.zero = zero;
        EXPECT_EQ(it.updatesS(), std::vector<double>{seconds});
    }
}

TEST(Update, OfSeveralStagesOnADeviceComesWhenNothingElseIsLeft) {
    TwoLayers it(1);
    it.plan.stages = {{0, 0, {0}}, {1, 1, {0}}};
    it.plan.schedule.order = FamilySchedule{.name = "greedy"};
    EXPECT_EQ(it.updatesS(), (std::vector<double>{30, 60}));
    EXPECT_NEAR(it.timeline.lastEndS(), 2 * 2 * 3 + 90, 1e-9);
    const std::uint32_t first = it.timeline.find(BlockKind::update, 0, -1, 0);
    EXPECT_NEAR(it.timeline.startS[first], 12, 1e-9);
}

TEST(Update, WaitsForAllGradientsWhereTheyAreClippedByTheirNorm) {
    TwoLayers it(2);
    it.plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    it.problem.setup.gradientPasses = GradientPasses::norm;
    // 30 bytes a number, and three times 4: read for the norm, read and written to be scaled.
    EXPECT_EQ(it.updatesS(), (std::vector<double>{42, 84}));
    // The second stage's gradients are there at 7, but the first one's at 9.
    EXPECT_NEAR(it.startS(BlockKind::update, 0), 9, 1e-9);
    EXPECT_NEAR(it.startS(BlockKind::update, 1), 9, 1e-9);
    EXPECT_EQ(it.timeline.find(BlockKind::gradientPass, 0, -1, 0), noBlock);
}

TEST(Update, ComesAfterMegatronsPassesOverGradients) {
    TwoLayers it(2);
    it.plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    it.problem.setup.gradientPasses = GradientPasses::megatron;
    EXPECT_EQ(it.updatesS(), (std::vector<double>{42, 84}));
    // 10 and 20 numbers of 4 bytes are written to be zero and read to be checked; nobody sums them.
    EXPECT_NEAR(it.startS(BlockKind::gradientPass, 0), 9, 1e-9);
    EXPECT_NEAR(it.startS(BlockKind::gradientPass, 1), 7, 1e-9);
    // The norm is of all gradients.
    EXPECT_NEAR(it.startS(BlockKind::update, 0), 7 + 16, 1e-9);
    EXPECT_NEAR(it.startS(BlockKind::update, 1), 7 + 16, 1e-9);
}

/// What copies sum is scaled too: read and written once more. Each copy has all of it, also where they share
/// out the states.
TEST(Update, ComesAfterWhatCopiesSumIsScaled) {
    for (const ZeroStage zero : {ZeroStage::off, ZeroStage::optimizer}) {
        TwoLayers it(2);
        it.plan.stages = {{0, 1, {0, 1}}};
        it.problem.setup.zero = zero;
        it.problem.setup.gradientPasses = GradientPasses::megatron;
        EXPECT_EQ(it.updatesS(), std::vector<double>{zero == ZeroStage::off ? 126.0 : 63.0});
        const std::uint32_t pass = it.timeline.find(BlockKind::gradientPass, 0, -1, 0);
        EXPECT_NEAR(it.timeline.durationS(pass), 30 * 4 * 4 / 10.0, 1e-9);
        EXPECT_NEAR(it.startS(zero == ZeroStage::off ? BlockKind::allReduce : BlockKind::reduceScatter, 0),
                    it.timeline.endS[pass], 1e-9);
    }
}

/// Both are found by the validator: an update ahead of other GPUs' gradients, a sum ahead of what scales it.
TEST(Update, AheadOfTheNormOrOfThePassesIsReported) {
    TwoLayers it(4);
    it.plan.stages = {{0, 0, {0, 1}}, {1, 1, {2, 3}}};
    it.problem.setup.gradientPasses = GradientPasses::megatron;
    it.updatesS();
    const auto movedTo = [&it](BlockKind kind, int stage, double startS) {
        Timeline moved = it.timeline;
        const std::uint32_t block = moved.find(kind, stage, -1, 0);
        moved.endS[block] += startS - moved.startS[block];
        moved.startS[block] = startS;
        return test::textOf(validate(it.problem, it.plan, moved));
    };
    const double sumEndsS = it.timeline.endS[it.timeline.find(BlockKind::allReduce, 0, -1, 0)];
    EXPECT_NE(movedTo(BlockKind::update, 0, sumEndsS).find("update-after-allreduce"), std::string::npos);
    const double passEndsS = it.timeline.endS[it.timeline.find(BlockKind::gradientPass, 1, -1, 0)];
    EXPECT_NE(movedTo(BlockKind::allReduce, 1, passEndsS - 0.5).find("allreduce-after-backward"),
              std::string::npos);
    EXPECT_NE(movedTo(BlockKind::gradientPass, 1, 1).find("allreduce-after-backward"), std::string::npos);
}

/// What is shared out is what a copy holds of the words, too, where the stage's own layers have no
/// parameters.
TEST(Update, OfWordsAloneIsOfEachCopysPart) {
    TwoLayers it(6);
    it.problem.profile.layers = {{"words", 1, 2, 60, 8, 8, 8, 1},
                                 {"a", 1, 2, 0, 8, 8, 8, 1},
                                 {"b", 1, 2, 0, 8, 8, 8, 1},
                                 {"c", 1, 2, 0, 8, 8, 8, 1},
                                 {"head", 1, 2, 60, 0, 0, 8, 1}};
    setVocabularyLayers(it.problem.profile, VocabularyEnds::both);
    it.plan.stages = {{0, 1, {0, 1}}, {2, 2, {2, 3}}, {3, 4, {4, 5}}};
    it.plan.schedule.order = FamilySchedule{.name = "vocab-1"};
    EXPECT_EQ(it.updatesS(), (std::vector<double>{60, 60, 60}));  // 20 numbers a device, 30 bytes each
    it.problem.setup.zero = ZeroStage::optimizer;
    EXPECT_EQ(it.updatesS(), (std::vector<double>{30, 30, 30}));
}

TEST(Update, OfSeveralStagesOnADeviceIsPreparedWhenNoPassIsLeft) {
    TwoLayers it(1);
    it.plan.stages = {{0, 0, {0}}, {1, 1, {0}}};
    it.plan.schedule.order = FamilySchedule{.name = "greedy"};
    it.problem.setup.gradientPasses = GradientPasses::megatron;
    it.updatesS();
    EXPECT_NEAR(it.startS(BlockKind::gradientPass, 0), 12, 1e-9);
    EXPECT_NEAR(it.startS(BlockKind::gradientPass, 1), 12 + 8, 1e-9);
    EXPECT_NEAR(it.startS(BlockKind::update, 0), 12 + 8 + 16, 1e-9);
    const Metrics metrics = evaluate(CostModel(it.problem), it.plan).metrics;
    EXPECT_NEAR(metrics.devices[0].busyS, it.timeline.lastEndS(), 1e-9);
}

TEST(Update, OfWhatMegatronHoldsIsRefusedWhereCopiesShareGradientsOut) {
    TwoLayers it(2);
    it.problem.setup.zero = ZeroStage::gradients;
    it.problem.setup.gradientPasses = GradientPasses::norm;
    EXPECT_FALSE(whyUnplannable(it.problem));
    it.problem.setup.gradientPasses = GradientPasses::megatron;
    EXPECT_NE(whyUnplannable(it.problem).value_or("").find("gradient_passes"), std::string::npos);
    it.problem.setup.updateBytesPerS = 0;
    EXPECT_FALSE(whyUnplannable(it.problem));
}

TEST(Update, IsNoBubble) {
    TwoLayers it(2);
    it.plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    const Metrics metrics = evaluate(CostModel(it.problem), it.plan).metrics;
    EXPECT_NEAR(metrics.devices[0].busyS, 2 * 3 + 30, 1e-9);
    EXPECT_NEAR(metrics.devices[1].busyS, 2 * 3 + 60, 1e-9);
    EXPECT_NEAR(metrics.devices[1].bubbleFraction, 1 / 67.0, 1e-9);
    EXPECT_NEAR(metrics.devices[1].spanBubbleFraction, 0, 1e-9);
}

TEST(Update, WithATimeIsRefusedWithoutABarrier) {
    TwoLayers it(2);
    EXPECT_FALSE(whyUnplannable(it.problem));
    it.problem.setup.mode = TrainingMode::asynchronous;
    EXPECT_NE(whyUnplannable(it.problem).value_or("").find("update_bytes_per_s"), std::string::npos);
}

}  // namespace
}  // namespace stagecraft
