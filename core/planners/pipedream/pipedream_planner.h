#pragma once

#include "core/planners/planner.h"

namespace stagecraft {

/// PipeDream's partitioner with a barrier after each iteration, as SPP compares with it (Sec. V-A).
std::unique_ptr<Planner> makePipeDreamPlanner();

}  // namespace stagecraft
