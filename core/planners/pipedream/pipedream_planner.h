#pragma once

#include "core/planners/planner.h"

namespace stagecraft::planners {

/// PipeDream: with a barrier after each iteration, as SPP compares with it (Sec. V-A), in synchronous
/// training, and as itself in asynchronous (MODEL.md section 6).
std::unique_ptr<Planner> makePipeDreamPlanner();

}  // namespace stagecraft::planners
