#pragma once

#include "core/runs/plan_run.h"

namespace stagecraft::runs {

/// Makes the pattern that repeats of the least period for a plan's stages; nothing if none fits into memory.
using PatternSearch = std::optional<Plan> (*)(const CostModel& costs, const Plan& plan,
                                              const WorkContext& context);

/// As evaluatePlan(), for a plan that was edited by hand. Where the edit left out a pattern that repeats, the
/// search makes one for its stages; the run's plan then has it. Without one the run says why.
PlanRun evaluateEdited(std::shared_ptr<const CostModel> costs, const Plan& plan, PlanMaker maker,
                       PatternSearch search, const WorkContext& context = {});

}  // namespace stagecraft::runs
