#pragma once

#include "core/model/plan_origin.h"

#include <string>

namespace stagecraft::runs {

/// What a run has to know of the system that made its plan. Runs do not know planners: these fill it in, out
/// of what they say of themselves (planners/planned_run.h). As it stands here it is that of a plan that no
/// planner made, or one that is not known.
struct PlanMaker {
    bool isKnown = false;
    std::string title;             ///< "SPP"
    std::string summary;           ///< one sentence
    std::string paper;             ///< authors, title, venue
    bool seesMemory = true;        ///< looks at how much memory devices have
    bool seesSequences = true;     ///< looks at whether samples are causal sequences
    bool choosesSchedule = false;  ///< its plans are named after their schedule too
};

/// A plan and what its planner said of it, or why there is none.
struct PlanningResult : PlannerReport {
    PlanStatus status = PlanStatus::failed;
    std::string reason;  ///< for infeasible and failed
    Plan plan;
};

}  // namespace stagecraft::runs
