// The optimizer's step, where the setup says how fast it is.
#include "core/analysis/evaluation.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"
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
