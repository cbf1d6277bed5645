#pragma once

#include "core/model/plan.h"

namespace stagecraft {

/// PipeDream's 1F1B-RR for a chain of stages that are replicated round robin, one device a stage otherwise:
/// microbatch t of a stage with r replicas runs on replica t mod r, and a replica keeps at most ceil(N / r)
/// in flight, N being the devices of its own and all later stages (E-PD-4).
ExplicitSchedule roundRobinOrders(const std::vector<Stage>& stages, int microbatches);

}  // namespace stagecraft
