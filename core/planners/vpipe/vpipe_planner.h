#pragma once

#include "core/planners/planner.h"
#include "core/planners/vpipe/rounds.h"

namespace stagecraft::planners::vpipe {

/// The settings that a plan's or a person's parameters give. @param mode of the setup asked for
Settings settingsOf(const ParameterValues& values, TrainingMode mode);

}  // namespace stagecraft::planners::vpipe
