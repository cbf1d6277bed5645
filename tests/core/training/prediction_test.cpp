#include "core/training/prediction.h"

#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft::training {
namespace {

using stagecraft::testing::goldenCase;
using stagecraft::testing::GoldenCase;

Vector vectorOf(const nlohmann::json& numbers) {
    Vector made(static_cast<Eigen::Index>(numbers.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i) made[static_cast<Eigen::Index>(i)] = numbers[i];
    return made;
}

TEST(Prediction, IsThatOfTheGoldenCase) {
    const GoldenCase golden = goldenCase("xp-05-prediction");
    const Vector weights = vectorOf(golden.input["W"]);
    const double learningRate = golden.input["lr"];
    GradientMoments moments(weights.size());
    EXPECT_EQ(moments.direction(PredictionRule::adam).norm(), 0);
    for (const auto& gradient : golden.input["gradients"]) moments.add(vectorOf(gradient));
    EXPECT_TRUE(moments.first().isApprox(vectorOf(golden.expected["v3"]), 1e-14));
    EXPECT_TRUE(moments.second().isApprox(vectorOf(golden.expected["m3"]), 1e-14));
    for (int ahead = 0; ahead <= 2; ++ahead) {
        const auto predicted = [&](PredictionRule rule) -> Vector {
            return weights - ahead * learningRate * moments.direction(rule);
        };
        const std::string suffix = std::to_string(ahead);
        EXPECT_TRUE(
            predicted(PredictionRule::adam).isApprox(vectorOf(golden.expected["adam_s" + suffix]), 1e-13));
        EXPECT_TRUE(predicted(PredictionRule::adamPrinted)
                        .isApprox(vectorOf(golden.expected["printed_s" + suffix]), 1e-13));
    }
}

TEST(Prediction, TheMomentumRuleFollowsTheRunningGradient) {
    GradientMoments moments(1);
    moments.add(Vector::Constant(1, 2.0));
    moments.add(Vector::Constant(1, -1.0));
    EXPECT_DOUBLE_EQ(moments.direction(PredictionRule::momentum)[0], 0.9 * 0.2 - 0.1);
}

}  // namespace
}  // namespace stagecraft::training
