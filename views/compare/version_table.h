#pragma once

#include "core/runs/plan_run.h"

#include <QString>

namespace stagecraft::views {

/// XPipe's version differences of a plan that predicts weights, as a table of rich text: one row per stage,
/// forwards and backwards, what is counted beside what the formulae say, muted where they are right and in
/// the theme's warning colour where they are not. Empty for other plans.
QString versionTable(const PlanRun& run);

}  // namespace stagecraft::views
