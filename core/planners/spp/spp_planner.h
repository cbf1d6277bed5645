#pragma once

#include "core/planners/planner.h"

namespace stagecraft::planners {

/// SPP, Alg. 3: RDO orders the devices, PRM partitions for every number of stages, PE's simulated time
/// chooses. W of the chosen plan is its prediction.
std::unique_ptr<Planner> makeSppPlanner();

}  // namespace stagecraft::planners
