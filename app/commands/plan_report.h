#pragma once

#include "core/planners/plan_run.h"

#include <ostream>
#include <string>
#include <vector>

namespace stagecraft {

/// A planner that was asked, and what came of it.
struct PlannerOutcome {
    std::string planner;  ///< id
    PlanRun run;
};

/// {"results": […]} as FORMATS.md has it. A number that is not finite or not known is null.
std::string planReportJson(const std::vector<PlannerOutcome>& outcomes);
/// A table for people, and below it what it has no room for: reasons, what does not fit, what does not hold.
void printPlanReport(const std::vector<PlannerOutcome>& outcomes, std::ostream& out);

}  // namespace stagecraft
