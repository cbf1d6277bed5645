#pragma once

#include "core/training/layers.h"

#include <vector>

namespace stagecraft::training {

/// How the direction of a prediction is made from the running moments of the gradients.
enum class PredictionRule {
    momentum,     ///< SpecTrain: the running gradient
    adam,         ///< XPipe Eq. (4) with Adam's corrections (E-XP-4)
    adamPrinted,  ///< XPipe Eq. (4) as printed: no power t, the second moment as it is, epsilon under the
                  ///< root
};

/// Running moments of a stage's gradients, from which its weights are predicted: W - s lr D (XPipe, Eq. (3)).
/// XPipe's constants: 0.9, 0.999, 1e-8. Both moments start at 0.
class GradientMoments {
public:
    explicit GradientMoments(Eigen::Index weights)
        : first_(Vector::Zero(weights)), second_(Vector::Zero(weights)) {}

    void add(const Vector& gradient);
    /// D, one update's worth at learning rate 1; 0 before the first gradient.
    Vector direction(PredictionRule rule) const;
    const Vector& first() const { return first_; }
    const Vector& second() const { return second_; }

private:
    Vector first_, second_;
    int count_ = 0;
};

}  // namespace stagecraft::training
