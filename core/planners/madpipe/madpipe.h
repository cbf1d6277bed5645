#pragma once

#include "core/model/plan_origin.h"
#include "core/planners/madpipe/allocation.h"
#include "core/planners/madpipe/scheduled_plan.h"

namespace stagecraft::planners {

enum class MadPipeStages {
    madpipe,     ///< MadPipe-DP: one device may hold several stages
    contiguous,  ///< the best plan with one stage per device
    pipedream,   ///< PipeDream's partition, the baseline of MadPipe Sec. 5
};

struct MadPipeOptions {
    MadPipeStages stages = MadPipeStages::madpipe;
    MadPipeGrid grid;
    int iterations = 10;  ///< K of Algorithm 1
    /// Not only the allocation that Algorithm 1 returns but those on its way and the best contiguous one.
    bool severalAllocations = true;
    SecondPhaseOptions secondPhase;  ///< its time limit is for all allocations together
};

struct MadPipeOutcome {
    PlanStatus status = PlanStatus::infeasible;
    std::string reason;
    std::optional<Plan> plan;
    double expectedS = std::numeric_limits<double>::infinity();  ///< period, by the first phase
    double periodS = std::numeric_limits<double>::infinity();    ///< of the plan
    bool proven = false;  ///< none of the allocations that were scheduled has a shorter pattern
    std::vector<std::string> notes;
};

/// Both phases. @throws Cancelled
MadPipeOutcome planMadPipe(const CostModel& costs, const MadPipeOptions& options,
                           const WorkContext& context = {});

}  // namespace stagecraft::planners
