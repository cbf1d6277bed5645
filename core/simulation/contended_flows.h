#pragma once

#include "core/simulation/execution_graph.h"

namespace stagecraft::simulation {

/// Moves the flows of a draft into its graph, with those ways alone on which they can get in each other's
/// way, or in their own: where a way is wide enough for the most that each lane can send over it at one time,
/// nobody ever waits. Of ways that the same flows cross the narrowest is left. A task without any such way
/// has no flow, and a pass no such sending. Lanes and rows must be there.
void keepContended(ExecutionGraph& graph, LinkFlows& flows, const Cluster& cluster);

}  // namespace stagecraft::simulation
