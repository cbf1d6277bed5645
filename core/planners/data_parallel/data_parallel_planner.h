#pragma once

#include "core/planners/planner.h"

namespace stagecraft::planners {

/// The whole network on every device, each microbatch split over all, one AllReduce at the end (SPP Sec. V-A,
/// E-SPP-13), or several that overlap with the last microbatch's backwards.
std::unique_ptr<Planner> makeDataParallelPlanner();

}  // namespace stagecraft::planners
