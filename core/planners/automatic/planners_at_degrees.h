#pragma once

#include "core/planners/automatic/auto_frontier.h"
#include "core/runs/plan_run.h"

namespace stagecraft::planners {

/// What the planners make of a model at each of its degrees: each group, number of samples of a microbatch
/// and stage of ZeRO.
struct PlannersAnswer {
    std::optional<PlanRun> faster;  ///< the fastest plan that fits, if it is faster than asked
    Problem problem;                ///< for which that was planned
    long long degrees = 0;          ///< in all
    long long noFaster = 0;         ///< of them proven to have no plan that is faster than the fastest known
    long long left = 0;             ///< of them, when it was enough
    long long run() const { return degrees - noFaster - left; }
};

/// Runs each planner at each degree that may have a plan that takes less than `seconds`, the degree with the
/// least work first. Where a planner's plan does not fit, it is run again with activations computed again,
/// selectively, then fully. The same answer with any number of threads; it is enough with
/// AutoLimits::mostDegrees, or when asked for the best so far (WorkContext::enough).
/// @param question of time, on all devices
/// @throws std::invalid_argument for one of another objective, or of a part of the devices; Cancelled
PlannersAnswer plannersAtDegrees(const AutoQuestion& question, double seconds,
                                 const WorkContext& context = {});

}  // namespace stagecraft::planners
