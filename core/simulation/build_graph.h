#pragma once

#include "core/simulation/execution_graph.h"

#include <memory>
#include <stop_token>

namespace stagecraft::simulation {

/// The plan lowered for that many iterations. @throws SimulationError if it does not fit the problem;
/// Cancelled once `stop` is requested
std::shared_ptr<const LoweredPlan> loweredPlan(const CostModel& costs, const Plan& plan, int iterations,
                                               const std::stop_token& stop = {});

/// @param lowered of the plan, for as many iterations
/// @throws SimulationError if the plan does not fit the problem, or its orders do not fit the plan
ExecutionGraph buildExecutionGraph(const CostModel& costs, const Plan& plan,
                                   std::shared_ptr<const LoweredPlan> lowered, int iterations);
/// The same, and lowers the plan itself.
ExecutionGraph buildExecutionGraph(const CostModel& costs, const Plan& plan, int iterations);

}  // namespace stagecraft::simulation
