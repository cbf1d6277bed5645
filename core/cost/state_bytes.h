#pragma once

#include "core/model/problem.h"

namespace stagecraft::cost {

/// What a stage keeps of its parameters between passes, in bytes for each byte of them in the profile
/// (MODEL.md section 2; PARALLELISM.md, "Bytes per parameter"). The validator states it in its own words.
struct StateBytes {
    double weights = 1;      ///< of a version
    double gradients = 1;    ///< summed over the mini-batch
    double master = 0;       ///< weights in 4 bytes, of which those of a mixed precision are made
    double moments = 0;      ///< the optimizer's
    double sentWeights = 1;  ///< of a version, where copies send it to each other

    explicit StateBytes(const Problem& problem);
    /// On each of `copies` devices that hold the same layers and share their states out as the setup says.
    StateBytes(const Problem& problem, double copies);

    double besidesWeights() const { return gradients + master + moments; }
    double withVersions(double versions) const { return versions * weights + besidesWeights(); }
};

}  // namespace stagecraft::cost
