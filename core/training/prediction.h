#pragma once

#include "core/training/matrix.h"

#include <vector>

namespace stagecraft::training {

/// How the direction of a prediction is made from the running moments of the gradients.
enum class PredictionRule {
    momentum,     ///< SpecTrain: the running gradient
    adam,         ///< XPipe Eq. (4) with Adam's corrections (E-XP-4)
    adamPrinted,  ///< XPipe Eq. (4) as printed: no power t, the second moment as it is, epsilon under the
                  ///< root
};

/// Running moments of a stage's gradients, from which its weights are foretold: W - s lr D (XPipe, Eq. (3)).
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

/// XPipe Eq. (1) and (2) as printed, rounded half to even: the updates that a bellwether expects between its
/// pass on GPU `rank` of `size` and the end of its mini-batch's last backward on GPU 0. T microbatches a
/// mini-batch.
int printedForwardDifference(int size, int rank, int microbatches);
int printedBackwardDifference(int rank, int microbatches);
/// What these are in steady state if all passes take equally long (E-XP-3), the mini-batch's own update not
/// counted. For T = 1 it is SpecTrain's.
int exactForwardDifference(int size, int rank, int microbatches);
int exactBackwardDifference(int rank, int microbatches);

}  // namespace stagecraft::training
