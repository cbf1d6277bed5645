#pragma once

#include "app/rooms.h"
#include "core/runs/reference_plan.h"

#include <string>

namespace stagecraft::app::figures {

/// The numbers of plans as LaTeX macros, so that a text says what its figures show: of each plan that has a
/// timeline every metric that is the same whenever it is worked out, as \GPipeIterationTime; of the problem
/// \ProjectGPUs and its like. Figures in names are spelt out, for TeX takes letters alone: 1F1B gives
/// \OneFOneBIterationTime. Names differ.
/// @param chosen the index of the plan that the others are compared with; -1: as referencePlan() chooses
std::string paperNumbers(const PlanRuns& runs, int chosen = -1);

/// "1F1B (edited)" is "OneFOneBEdited".
std::string macroName(const std::string& title);

}  // namespace stagecraft::app::figures
