#pragma once

#include "core/planners/planner.h"
#include "core/planners/schedule_search/plan_course.h"

#include <functional>
#include <memory>
#include <optional>

namespace stagecraft::planners {

/// A planner's plan that fits, and what the engine makes of it.
struct FittingPlan {
    std::shared_ptr<const CostModel> costs;  ///< under the recomputation that it takes
    PlanningResult answer;
    PlanCourse course;
};

/// The plan with as little computed again as it takes to fit: nothing, scores of attention, all. Nothing:
/// there is none that fits and is wanted.
/// @param isWanted of a plan, before it is simulated; empty: each is @throws Cancelled
std::optional<FittingPlan> fittingPlan(
    const Planner& planner, const CostModel& costs, const ParameterValues& values, const WorkContext& context,
    const std::function<bool(const CostModel&, const Plan&)>& isWanted = {});

}  // namespace stagecraft::planners
