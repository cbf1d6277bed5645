#pragma once

#include "core/runs/plan_run.h"
#include "views/rooms.h"

#include <QString>

namespace stagecraft::views::compare {

/// XPipe's version differences of a plan that predicts weights, as a table of rich text: one row per stage,
/// forwards and backwards, what is counted beside what the formulae say, muted where they are right and in
/// the theme's warning colour where they are not. Empty for other plans.
QString versionTable(const PlanRun& run);

/// What is known about a plan as a page of rich text: guarantees with their formulae and numbers, lower
/// bounds with their reasons, the critical path's shares, what does not fit in memory, notes, violations.
/// Colours from Theme::current().
/// @param reference the plan that it is compared with; null: with none
QString planDetails(const PlanRun& run, const PlanRun* reference = nullptr);

}  // namespace stagecraft::views::compare
