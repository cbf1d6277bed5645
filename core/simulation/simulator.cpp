#include "core/simulation/simulator.h"

#include "core/simulation/event_loop.h"
#include "core/simulation/pattern_unroll.h"

namespace stagecraft {

Timeline simulate(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    if (options.iterations < 1) throw SimulationError("at least one iteration must be simulated");
    if (const auto* pattern = std::get_if<PeriodicSchedule>(&plan.schedule.order))
        return unrollPattern(costs, plan, *pattern, options.iterations);
    return EventLoop(buildExecutionGraph(costs, plan, options.iterations), options.stop).run();
}

}  // namespace stagecraft
