#pragma once

#include "core/planners/plan_run.h"

namespace stagecraft::planners {

/// As evaluatePlan(), for a plan that was edited by hand. Where the edit left out a pattern that repeats, the
/// one of the least period that fits into memory is made for its stages, by 1F1B* where each GPU holds one
/// (MadPipe 4.1), else in a fraction of a second by the second phase; the run's plan then has it. Without one
/// the run says why.
PlanRun evaluateEdited(std::shared_ptr<const CostModel> costs, const Plan& plan,
                       const WorkContext& context = {});

}  // namespace stagecraft::planners
