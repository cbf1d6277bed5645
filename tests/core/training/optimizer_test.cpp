#include "core/training/stage_weights.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stagecraft::training {
namespace {

/// The weight after two gradients of 0.5 and -0.25, from 1, at a learning rate of 0.1.
double afterTwoSteps(OptimizerSettings settings) {
    Vector weights = Vector::Constant(1, 1.0);
    Updater optimizer(settings, 1);
    optimizer.step(weights, Vector::Constant(1, 0.5), 0.1);
    optimizer.step(weights, Vector::Constant(1, -0.25), 0.1);
    return weights[0];
}

TEST(Optimizers, SgdAddsDecayedGradients) {
    OptimizerSettings settings;
    settings.momentum = 0.8;
    EXPECT_DOUBLE_EQ(afterTwoSteps(settings), 1 - 0.1 * 0.5 - 0.1 * (0.8 * 0.5 - 0.25));
}

TEST(Optimizers, RmsPropDividesByTheRootOfTheMeanSquare) {
    OptimizerSettings settings;
    settings.kind = OptimizerKind::rmsprop;
    settings.momentum = 0.5;
    settings.smoothing = 0.9;
    const double first = 0.5 / (std::sqrt(0.1 * 0.25) + 1e-8);
    const double second = 0.5 * first - 0.25 / (std::sqrt(0.09 * 0.25 + 0.1 * 0.0625) + 1e-8);
    EXPECT_NEAR(afterTwoSteps(settings), 1 - 0.1 * (first + second), 1e-15);
}

TEST(Optimizers, AdamCorrectsItsMoments) {
    OptimizerSettings settings;
    settings.kind = OptimizerKind::adam;
    const double mean = (0.9 * 0.05 - 0.1 * 0.25) / (1 - 0.81);
    const double square = (0.999 * 0.00025 + 0.001 * 0.0625) / (1 - 0.999 * 0.999);
    EXPECT_NEAR(afterTwoSteps(settings), 1 - 0.1 - 0.1 * mean / std::sqrt(square), 1e-7);
}

}  // namespace
}  // namespace stagecraft::training
