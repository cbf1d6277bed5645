#pragma once

#include "core/model/plan_origin.h"

#include <string>

namespace stagecraft::runs {

/// A plan and what its planner said of it, or why there is none.
struct PlanningResult : PlannerWords {
    PlanStatus status = PlanStatus::failed;
    std::string reason;  ///< for infeasible and failed
    Plan plan;
};

}  // namespace stagecraft::runs
