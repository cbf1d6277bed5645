#pragma once

#include "core/planners/planner.h"

namespace stagecraft::planners {

/// Layers given to one device after another, so that the slowest takes as little time as it can: last layer
/// of each of paces.size() stages (at most as many as layers). Ties: the earliest cut, from the last stage
/// back.
std::vector<int> leastMaximumPartition(const CostModel& costs, const std::vector<ComputePace>& paces);

}  // namespace stagecraft::planners
