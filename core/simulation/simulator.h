#pragma once

#include "core/cost/cost_model.h"
#include "core/model/timeline.h"

#include <stdexcept>
#include <stop_token>

namespace stagecraft {

struct SimulationOptions {
    int iterations = 1;    ///< mini-batches (periodic patterns: microbatches to unroll)
    std::stop_token stop;  ///< checked every few thousand blocks; a stop throws Cancelled
};

/// The plan cannot be simulated: it does not fit the problem, or it deadlocks. what() names the blocks.
struct SimulationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
};

/// The one simulator (MODEL.md section 3).
/// @throws SimulationError if the plan is malformed for the problem or its orders wait for each other in a
/// circle
Timeline simulate(const CostModel& costs, const Plan& plan, const SimulationOptions& options = {});

}  // namespace stagecraft
