#pragma once

#include "core/cost/cost_model.h"

#include <functional>
#include <vector>

namespace stagecraft::planners {

/// What a device has of a stage besides its passes, in seconds.
struct BesidePasses {
    double syncS = 0;      ///< of its gradients and parameters, between copies, after its last backward
    double onceS = 0;      ///< of that what an iteration has once, and not for each microbatch
    double updateS = 0;    ///< the optimizer's step
    double gatherS = 0;    ///< of weights, ahead of each forward and of each backward
    bool hasSync = false;  ///< whether there are copies
    /// Whether all of syncS is once, be it nothing: then it may have to wait for the end of all passes.
    bool isOnce = false;
};

/// Seconds that no order of the passes of a plan takes less than, by two terms for each device: from when the
/// first pass can reach it, all of its passes; and from then on its forwards and input gradients, and what
/// the gradient of the last of them has to go through up to the first stage. After its last pass a device
/// still has the sync of the stage that ended last, all that it syncs once where that waits for the end of
/// all passes, and then the updates of all of its stages. What is gathered for a pass comes between the pass
/// before it on its device and itself.
/// @param plan on stages of one device each, of which each runs one pass at a time
/// @param againS by device: what it computes again of each microbatch, beyond what the plan says
double leastOfAnyOrderS(const CostModel& costs, const Plan& plan,
                        const std::function<BesidePasses(const Stage&)>& besidePasses,
                        const std::vector<double>& againS = {});

/// Seconds of a microbatch that devices at least compute again so as to hold so much less, by device;
/// infinity: no more can be saved. At the peak of a device each stage saves no more than what its layers do
/// of as many microbatches as it ever holds.
/// @param lacksBytes by device @param inFlight by stage: microbatches at most, whatever is computed again
std::vector<double> leastAgainS(const CostModel& costs, const Plan& plan,
                                const std::vector<double>& lacksBytes, const std::vector<int>& inFlight);

/// Of these bounds, by which sums of the same times in another order may differ.
inline constexpr double planBoundRounding = 1e-9;

}  // namespace stagecraft::planners
