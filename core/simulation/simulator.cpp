#include "core/simulation/simulator.h"

#include "core/simulation/event_loop.h"
#include "core/simulation/fixed_order_run.h"
#include "core/simulation/pattern_unroll.h"

namespace stagecraft::simulation {

namespace {

Timeline run(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    if (options.iterations < 1) throw SimulationError("at least one iteration must be simulated");
    if (const auto* pattern = std::get_if<PeriodicSchedule>(&plan.schedule.order))
        return unrollPattern(costs, plan, *pattern, options.iterations);
    ExecutionGraph graph = buildExecutionGraph(costs, plan, options.iterations);
    if (FixedOrderRun fixed(graph, options.stop); fixed.applies())
        if (std::optional<Timeline> timeline = fixed.run()) return *std::move(timeline);
    return EventLoop(std::move(graph), options.stop).run();
}

}  // namespace

Timeline simulate(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    Timeline timeline = run(costs, plan, options);
    return timeline;
}

}  // namespace stagecraft::simulation
