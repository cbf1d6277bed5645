#pragma once

#include "core/planners/plan_run.h"

#include <QString>

namespace stagecraft {

/// "iteration 531 ms · 27 % bubbles · peak 9.40 of 16.0 GiB · bounded by stage 3"; for a run without a plan,
/// why.
QString summaryOf(const PlanRun& run);

}  // namespace stagecraft
