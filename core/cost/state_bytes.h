#pragma once

#include "core/model/problem.h"

namespace stagecraft::cost {

/// What a stage keeps of its parameters between passes, in bytes for each byte of a version of its weights
/// (MODEL.md section 2). The validator states it in its own words.
struct StateBytes {
    double weights = 1;    ///< of a version
    double gradients = 1;  ///< summed over the mini-batch
    double moments = 0;    ///< the optimizer's: 0, 1 or 2

    explicit StateBytes(const TrainingSetup& setup) : moments(optimizerStateFactor(setup.optimizer)) {}

    double besidesWeights() const { return gradients + moments; }
    double withVersions(double versions) const { return versions * weights + besidesWeights(); }
};

}  // namespace stagecraft::cost
