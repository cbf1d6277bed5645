#include "core/training/prediction.h"

#include <cmath>

namespace stagecraft::training {

namespace {

constexpr double decay1 = 0.9;
constexpr double decay2 = 0.999;
constexpr double epsilon = 1e-8;

/// numerator / denominator rounded, ties to the even integer.
int roundHalfEven(int numerator, int denominator) {
    const int below = static_cast<int>(std::floor(static_cast<double>(numerator) / denominator));
    const int twiceRest = 2 * (numerator - below * denominator);
    if (twiceRest == denominator) return below + (below % 2 == 0 ? 0 : 1);
    return twiceRest > denominator ? below + 1 : below;
}

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

int printedForwardDifference(int size, int rank, int microbatches) {
    // (size + T - rank/2 - 2) / T, doubled to stay in integers.
    return roundHalfEven(2 * (size + microbatches - 2) - rank, 2 * microbatches);
}

int printedBackwardDifference(int rank, int microbatches) {
    return roundHalfEven(microbatches + rank / 2 - 1, microbatches);
}

int exactForwardDifference(int size, int rank, int microbatches) {
    const int ahead = size - rank - 1;
    return (ahead + microbatches - 1) / microbatches + rank / (2 * microbatches);
}

int exactBackwardDifference(int rank, int microbatches) { return rank / (2 * microbatches); }

}  // namespace stagecraft::training
