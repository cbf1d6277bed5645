#pragma once

#include "core/planners/madpipe/madpipe.h"
#include "core/planners/planner.h"

namespace stagecraft::planners {

/// MadPipe: an allocation by dynamic programming in which one device may hold several stages, and a periodic
/// pattern of it that fits into memory.
std::unique_ptr<Planner> makeMadPipePlanner();

/// The parameters by name.
MadPipeOptions madPipeOptions(const ParameterValues& values);

}  // namespace stagecraft::planners
