#include "core/simulation/simulator.h"

#include "core/simulation/build_graph.h"
#include "core/simulation/event_loop.h"
#include "core/simulation/fixed_order_run.h"
#include "core/simulation/instants.h"
#include "core/simulation/pattern_unroll.h"

namespace stagecraft::simulation {

namespace {

SimulatedRun unrolled(const CostModel& costs, const Plan& plan, const PeriodicSchedule& pattern, int asked) {
    const int microbatches = costs.problem().setup.microbatches;
    const int iterations = iterationsToUnroll(pattern, microbatches, asked);
    auto graph = std::make_shared<const ExecutionGraph>(buildExecutionGraph(costs, plan, iterations));
    Timeline timeline = unrollPattern(*graph, pattern, microbatches);
    return {std::move(timeline), std::move(graph)};
}

SimulatedRun runLowered(const CostModel& costs, const Plan& plan, std::shared_ptr<const LoweredPlan> lowered,
                        const SimulationOptions& options) {
    ExecutionGraph graph = buildExecutionGraph(costs, plan, std::move(lowered), options.iterations);
    if (FixedOrderRun fixed(graph, options.stop); fixed.applies())
        if (std::optional<Timeline> timeline = fixed.run())
            return {*std::move(timeline), std::make_shared<const ExecutionGraph>(std::move(graph))};
    EventLoop loop(std::move(graph), options.stop);
    Timeline timeline = loop.run();
    return {std::move(timeline), std::make_shared<const ExecutionGraph>(loop.takeGraph())};
}

/// Under the order that makes one iteration shortest, of equal ones the first. Searches look at how long
/// passes and transfers take; that transfers queue for their channels is seen here alone.
SimulatedRun runShortest(const CostModel& costs, const Plan& plan, std::vector<LoweredPlan> found,
                         const SimulationOptions& options) {
    constexpr double rounding = 1e-9;
    SimulatedRun shortest;
    for (LoweredPlan& each : found) {
        if (shortest.graph && each.leastS >= shortest.timeline.lastEndS() * (1 - rounding)) continue;
        SimulatedRun run =
            runLowered(costs, plan, std::make_shared<const LoweredPlan>(std::move(each)), {1, options.stop});
        if (shortest.graph && run.timeline.lastEndS() >= shortest.timeline.lastEndS() * (1 - rounding))
            continue;
        shortest = std::move(run);
    }
    return options.iterations == 1 ? std::move(shortest)
                                   : runLowered(costs, plan, shortest.graph->lowered, options);
}

}  // namespace

SimulatedRun simulatedRun(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    if (options.iterations < 1) throw SimulationError("at least one iteration must be simulated");
    if (const auto* pattern = std::get_if<PeriodicSchedule>(&plan.schedule.order)) {
        SimulatedRun run = unrolled(costs, plan, *pattern, options.iterations);
        joinInstants(run.timeline);
        return run;
    }
    requireWellFormed(costs, plan);
    std::vector<LoweredPlan> found = loweredAsFound(costs, plan);
    SimulatedRun run = found.empty()
                           ? runLowered(costs, plan, loweredPlan(costs, plan, options.iterations), options)
                           : runShortest(costs, plan, std::move(found), options);
    joinInstants(run.timeline);
    return run;
}

Timeline simulate(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    return simulatedRun(costs, plan, options).timeline;
}

}  // namespace stagecraft::simulation
