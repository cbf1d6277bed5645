#pragma once

#include "core/training/comparison.h"

namespace stagecraft::training {

enum class Measure { validationLoss, validationAccuracy, trainingLoss, trainingAccuracy, batchLoss };

/// A measure of one policy at one place, over the seeds that have come as far.
struct CurvePoint {
    double at = 0;               ///< epochs done; of batchLoss: mini-batches done
    SeedSpread spread;           ///< mean and sample standard deviation of the finite values
    double least = 0, most = 0;  ///< of the finite values
    int diverged = 0;            ///< seeds whose value is no finite number
    bool operator==(const CurvePoint&) const = default;
};

/// Points in order; one without a finite value has a mean that is not a number.
/// @param group of batchLoss: this many mini-batches become one point, their mean
std::vector<CurvePoint> curveOf(const PolicyRuns& runs, Measure measure, int group = 1);

/// The longest of the runs, in mini-batches.
int batchesOf(const std::vector<PolicyRuns>& runs);

}  // namespace stagecraft::training
