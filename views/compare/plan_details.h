#pragma once

#include "core/runs/plan_run.h"

#include <QString>

namespace stagecraft::views {

/// What is known about a plan as a page of rich text: guarantees with their formulae and numbers, lower
/// bounds with their reasons, the critical path's shares, what does not fit in memory, notes, violations.
/// Colours from Theme::current().
/// @param reference the plan that it is compared with; null: with none
QString planDetails(const PlanRun& run, const PlanRun* reference = nullptr);

}  // namespace stagecraft::views
