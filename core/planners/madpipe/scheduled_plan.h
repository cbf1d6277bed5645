#pragma once

#include "core/base/work_context.h"
#include "core/planners/madpipe/allocation.h"
#include "core/planners/madpipe/second_phase.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::planners {

/// Stages of the problem's layers for an allocation. Devices are taken as they are numbered, the special
/// processor's where it first holds a stage.
std::vector<Stage> stagesOf(const MadPipeChain& chain, const std::vector<MadPipeStage>& stages);

/// An allocation with the pattern found for it.
struct ScheduledPlan {
    std::optional<Plan> plan;  ///< none: no pattern fits (or none was found in time, if not proven)
    double periodS = std::numeric_limits<double>::infinity();
    double boundS = 0;     ///< no pattern of the allocation is shorter
    bool proven = false;   ///< nothing shorter, or nothing at all, is possible with these stages
    std::string provenBy;  ///< "1F1B*", "built-in search", "cbc"
    bool cbcIsMissing = false;
    int mostActive = 0;  ///< batches that some stage stores at most
};

/// A pattern of the least period within the devices' memories: by 1F1B* where every device holds one stage
/// (Proposition 1), else by the second phase. The plan claims to fit; that is checked on its simulated
/// timeline. Two weight versions are enough if a mini-batch is no shorter than what is in flight, less one:
/// where the setup's is, the plan gets mini-batches of its own.
/// @throws Cancelled
ScheduledPlan schedulePlan(const CostModel& costs, const std::vector<Stage>& stages,
                           const SecondPhaseOptions& options, const WorkContext& context = {});

}  // namespace stagecraft::planners
