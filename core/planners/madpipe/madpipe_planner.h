#pragma once

#include "core/planners/madpipe/madpipe.h"
#include "core/planners/planner.h"

namespace stagecraft::planners {

/// The parameters by name.
MadPipeOptions madPipeOptions(const ParameterValues& values);

}  // namespace stagecraft::planners
