#pragma once

#include "core/experiments/results.h"

namespace stagecraft::experiments {

enum class Agreement {
    same,             ///< every number to the last digit
    withinTolerance,  ///< except what trainings end with, which is as near as TrainingTolerance says
    other,
};

/// By how much what a training ends with may differ on a machine whose mathematics library rounds otherwise.
/// The last digits of all initial weights changed, the papers' experiments end with losses that differ by
/// 1e-12 at most and with the same accuracies.
struct TrainingTolerance {
    double ofLoss = 1e-6;  ///< relative
    int samples = 1;       ///< of the validation set that an accuracy counts otherwise
    int epochs = 1;        ///< more or fewer until the accuracy aimed at
};
inline constexpr TrainingTolerance trainingTolerance;

/// How the results of one run compare with those of another.
Agreement agreementOf(const ExperimentResults& found, const ExperimentResults& before);

}  // namespace stagecraft::experiments
