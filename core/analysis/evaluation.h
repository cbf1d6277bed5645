#pragma once

#include "core/analysis/metrics.h"
#include "core/memory/memory.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"

#include <memory>
#include <vector>

namespace stagecraft::analysis {

/// Everything that follows from a plan. Built by evaluate() alone, so that no figure has another source.
struct Evaluation {
    Timeline timeline;
    std::shared_ptr<const TaskGraph> graph;  ///< what waits for what, as it was run
    std::vector<MemoryCurve> memory;
    Metrics metrics;
    std::vector<Violation> violations;

    bool valid() const { return violations.empty(); }
    /// The orders that were run, and what stages send.
    const LoweredPlan& lowered() const { return *graph->lowered; }
};

/// What a run shows, not yet validated. @throws Cancelled once `stop` is requested
Evaluation measureRun(const CostModel& costs, const Plan& plan, SimulatedRun run,
                      const std::stop_token& stop = {});

/// Simulates and measures as evaluate() does and does not validate: for searches that look at many plans and
/// validate the one that they take. @throws SimulationError, Cancelled
Evaluation measure(const CostModel& costs, const Plan& plan, const SimulationOptions& options = {});

/// Simulates, measures and validates under the plan's own setup, which `costs` must have. @throws
/// SimulationError, Cancelled
Evaluation evaluate(const CostModel& costs, const Plan& plan, const SimulationOptions& options = {});

}  // namespace stagecraft::analysis
