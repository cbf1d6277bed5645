#pragma once

#include "core/analysis/metrics.h"
#include "core/memory/memory.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"

#include <vector>

namespace stagecraft::analysis {

/// Everything that follows from a plan. Built by evaluate() alone, so that no figure has another source.
struct Evaluation {
    Timeline timeline;
    std::vector<MemoryCurve> memory;
    Metrics metrics;
    std::vector<Violation> violations;

    bool valid() const { return violations.empty(); }
};

/// Simulates, measures and validates under the plan's own setup, which `costs` must have. @throws
/// SimulationError, Cancelled
Evaluation evaluate(const CostModel& costs, const Plan& plan, const SimulationOptions& options = {});

}  // namespace stagecraft::analysis
