#pragma once

#include "core/cost/cost_model.h"

namespace stagecraft::cost {

/// Of what copies of a stage's layers send each other for each microbatch (ZeRO-2 and 3), the shares that
/// nothing is computed beside; 1: all of it.
struct ExposedSyncs {
    double beforeForward = 1;   ///< of the weights that are gathered
    double beforeBackward = 1;  ///< the same, ahead of recomputation and backward
    double afterBackward = 1;   ///< of the gradients that are scattered
};

/// By the setup's zeroOverlap: that share goes on while the pass that it is for computes its layers, as far
/// as these take as long (FSDP gathers the weights of the next layer and scatters the gradients of the last
/// one meanwhile: Zhao et al., PyTorch FSDP, VLDB 2023, Sec. 3.3). In a backward both go over the same links
/// and share its time, recomputation included, alike. Where backwards are split weights go with the input
/// gradient; gradients, which are there after the weight gradient, are scattered bare. Of a group of several
/// stages the one that hides least decides for gradients, which they scatter together.
ExposedSyncs exposedSyncs(const CostModel& costs, const Plan& plan, const DataParallelGroup& group,
                          int stage);

}  // namespace stagecraft::cost
