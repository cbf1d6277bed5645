#include "core/training/prediction.h"

#include <cmath>

namespace stagecraft::training {

namespace {

constexpr double decay1 = 0.9;
constexpr double decay2 = 0.999;
constexpr double epsilon = 1e-8;

}  // namespace

void GradientMoments::add(const Vector& gradient) {
    ++count_;
    first_ = decay1 * first_ + (1 - decay1) * gradient;
    second_ = decay2 * second_ + (1 - decay2) * gradient.cwiseAbs2();
}

Vector GradientMoments::direction(PredictionRule rule) const {
    if (count_ == 0) return Vector::Zero(first_.size());
    switch (rule) {
        case PredictionRule::momentum:
            return first_;
        case PredictionRule::adam: {
            const double correction1 = 1 - std::pow(decay1, count_);
            const double correction2 = 1 - std::pow(decay2, count_);
            return (first_.array() / correction1) / ((second_.array() / correction2).sqrt() + epsilon);
        }
        case PredictionRule::adamPrinted:
            return (first_.array() / (1 - decay1)) / (second_.array() + epsilon).sqrt();
    }
    return {};
}

}  // namespace stagecraft::training
