#pragma once

#include "core/planners/planner.h"
#include "core/planners/vpipe/rounds.h"

namespace stagecraft::planners {

/// vPipe over GPipe (synchronous) or PipeDream (asynchronous): swap, recompute and repartition by its
/// Algorithm 1 (Zhao et al., TPDS 2021). PlanningResult::rounds has the iteration.
std::unique_ptr<Planner> makeVpipePlanner();

}  // namespace stagecraft::planners

namespace stagecraft::planners::vpipe {

/// The settings that a plan's or a person's parameters give. @param mode of the setup asked for
Settings settingsOf(const ParameterValues& values, TrainingMode mode);

}  // namespace stagecraft::planners::vpipe
