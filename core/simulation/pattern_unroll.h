#pragma once

#include "core/cost/cost_model.h"
#include "core/model/timeline.h"

namespace stagecraft {

/// A periodic pattern laid out over time: microbatch j of iteration i is number i*M + j, and an operation
/// with shift h runs it at (number + h) * period + start, shifted so that the first block starts at 0. No
/// rule is checked here; that is the validator's work.
/// @throws SimulationError if the pattern lacks an operation or names one that does not exist
Timeline unrollPattern(const CostModel& costs, const Plan& plan, const PeriodicSchedule& pattern,
                       int iterations);

}  // namespace stagecraft
