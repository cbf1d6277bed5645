#pragma once

#include "core/simulation/execution_graph.h"

namespace stagecraft::simulation {

/// Microbatches that a pattern must be unrolled for until each of its operations runs in at least two periods
/// in a row: from then on every period looks like the one before, and so does memory.
int microbatchesToSteadyState(const PeriodicSchedule& pattern);

/// A periodic pattern laid out over time: microbatch j of iteration i is number i*M + j, and an operation
/// with shift h runs it at (number + h) * period + start, shifted so that the first block starts at 0. At
/// least as many iterations as the steady state needs. Where a lane's next block starts when one ends but
/// for rounding, the two meet exactly. No rule is checked here; that is the validator's work.
/// @throws SimulationError if the pattern lacks an operation or names one that does not exist
/// @param graph of the plan, for iterationsToUnroll()
Timeline unrollPattern(const ExecutionGraph& graph, const PeriodicSchedule& pattern, int microbatches);
/// How many iterations of so many microbatches are laid out where `asked` are asked for.
/// @throws SimulationError if the pattern's numbers are none
int iterationsToUnroll(const PeriodicSchedule& pattern, int microbatches, int asked);

}  // namespace stagecraft::simulation
