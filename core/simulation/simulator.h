#pragma once

#include "core/simulation/execution_graph.h"

#include <memory>
#include <stop_token>

namespace stagecraft::simulation {

struct SimulationOptions {
    int iterations = 1;    ///< mini-batches (periodic patterns: microbatches to unroll)
    std::stop_token stop;  ///< checked every few thousand blocks; a stop throws Cancelled
};

/// What a plan's simulation gives.
struct SimulatedRun {
    Timeline timeline;
    std::shared_ptr<const ExecutionGraph> graph;  ///< that was run

    const LoweredPlan& lowered() const { return *graph->lowered; }
};

/// The one simulator (MODEL.md section 3). What happens at one instant has one time (joinInstants), so that
/// memory read off the timeline is the same for all who read it.
/// @throws SimulationError if the plan is malformed for the problem or its orders wait for each other in a
/// circle
SimulatedRun simulatedRun(const CostModel& costs, const Plan& plan, const SimulationOptions& options = {});
/// Its timeline alone.
Timeline simulate(const CostModel& costs, const Plan& plan, const SimulationOptions& options = {});

/// When the last block of its timeline ends, in seconds, for those who look at nothing else: what the rest
/// takes, joining instants among it, is left out. @throws as simulatedRun()
double simulatedLastEndS(const CostModel& costs, const Plan& plan, const SimulationOptions& options = {});

}  // namespace stagecraft::simulation
