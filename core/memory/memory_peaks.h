#pragma once

#include "core/cost/stage_edges.h"
#include "core/model/timeline.h"

#include <stop_token>
#include <vector>

namespace stagecraft::memory {

/// The most that a device holds at once, in bytes.
struct MemoryPeak {
    int device = 0;
    double limitBytes = 0;
    double bytes = 0;
    double heldBytes = 0;  ///< without buffers, which depend on when transfers run
};

/// The peaks of memoryCurves(), one for each device of the cluster, by index, for those who look at nothing
/// else of them: in a fraction of the time and without a table of steps.
/// @param edges of the plan @throws Cancelled once `stop` is requested
std::vector<MemoryPeak> memoryPeaks(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                                    const Timeline& timeline, const std::stop_token& stop = {});

}  // namespace stagecraft::memory
