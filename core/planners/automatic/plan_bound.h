#pragma once

#include "core/cost/cost_model.h"

#include <functional>
#include <vector>

namespace stagecraft::planners {

/// Seconds that no order of the passes of a plan takes less than, by two terms for each device: from when the
/// first pass can reach it, all of its passes; and from then on its forwards and input gradients, and what
/// the gradient of the last of them has to go through up to the first stage. After its last pass a device
/// still has the sync of the stage that ended last, and all of its syncs where they wait for the end of all
/// passes.
/// @param plan on stages of one device each, of which each runs one pass at a time
/// @param syncS of a stage's parameters
/// @param againS by device: what it computes again of each microbatch, beyond what the plan says
double leastOfAnyOrderS(const CostModel& costs, const Plan& plan,
                        const std::function<double(const Stage&)>& syncS,
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
