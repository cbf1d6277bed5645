#pragma once

#include "core/planners/planner.h"
#include "core/runs/plan_run.h"
#include "tests/support/every_room.h"

#include <string>

namespace stagecraft::testing {

/// The planner of that id on the problem, its parameters at their defaults.
PlanRun runWithDefaults(const std::string& planner, const Problem& problem);

/// What the planner said of its plan, a line a note.
std::string notesOf(const PlanRun& run);

}  // namespace stagecraft::testing
