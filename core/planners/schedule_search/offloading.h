#pragma once

#include "core/cost/cost_model.h"
#include "core/model/plan.h"

#include <stop_token>

namespace stagecraft::planners {

struct OffloadedPlan {
    Plan plan;
    int simulations = 0;
};

/// The plan with activations of as many layers offloaded to the hosts' memory (LayerMemory::swap) as it takes
/// for it to fit, if that can be reached: on each device that lacks memory, of the stage first whose
/// microbatches wait longest between forward and backward, since what waits longest is away longest (Wan et
/// al., PipeOffload, 2025: its selective offloading), and of the stage's layers those that free most. Layers
/// without activations, and those on devices without a link to their host, stay.
/// @throws std::invalid_argument, SimulationError, in words; Cancelled once `stop` is requested
OffloadedPlan offloadedToFit(const CostModel& costs, Plan plan, const std::stop_token& stop = {});

}  // namespace stagecraft::planners
