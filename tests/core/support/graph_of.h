#pragma once

#include "core/simulation/build_graph.h"
#include "tests/support/every_room.h"

#include <algorithm>

namespace stagecraft {

/// What waits for what in a plan, for a timeline that was simulated alone.
inline std::shared_ptr<const ExecutionGraph> graphOf(const CostModel& costs, const Plan& plan,
                                                     const Timeline& timeline) {
    const int iterations = timeline.iteration.empty()
                               ? 1
                               : 1 + *std::max_element(timeline.iteration.begin(), timeline.iteration.end());
    return std::make_shared<const ExecutionGraph>(buildExecutionGraph(costs, plan, iterations));
}

}  // namespace stagecraft
