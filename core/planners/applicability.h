#pragma once

#include "core/planners/planner.h"

namespace stagecraft::planners {

/// Whether the planner, with these parameters (defaults where none is given), always trains without a
/// barrier: TrainingMode::synchronous then leaves it nothing to plan.
bool needsAsynchronousMode(const Planner& planner, const ParameterValues& values = {});
/// The same for a plan's planner with the plan's parameters; false if either is unknown.
bool needsAsynchronousMode(const Plan& plan);

/// Whether there is any point in asking the planner. The one reason against it so far is the mode.
bool appliesTo(const Planner& planner, const TrainingSetup& setup, const ParameterValues& values = {});

/// "XPipe and MadPipe train without a barrier; the setup keeps one."; empty if there are none.
std::string whyLeftOut(const std::vector<const Planner*>& planners);

}  // namespace stagecraft::planners
