#include "core/simulation/simulator.h"

#include "core/base/indices.h"
#include "core/base/work_context.h"
#include "core/simulation/build_graph.h"
#include "core/simulation/event_loop.h"
#include "core/simulation/fixed_order_run.h"
#include "core/simulation/instants.h"
#include "core/simulation/pattern_unroll.h"

#include <cmath>

namespace stagecraft::simulation {

namespace {

void requireIterations(const SimulationOptions& options) {
    if (options.iterations < 1) throw SimulationError("at least one iteration must be simulated");
}

void throwIfStopped(const SimulationOptions& options) {
    if (options.stop.stop_requested()) throw Cancelled();
}

SimulatedRun unrolled(const CostModel& costs, const Plan& plan, const PeriodicSchedule& pattern, int asked) {
    const int microbatches = costs.problem().setup.microbatches;
    const int iterations = iterationsToUnroll(pattern, microbatches, asked);
    auto graph = std::make_shared<const ExecutionGraph>(buildExecutionGraph(costs, plan, iterations));
    Timeline timeline = unrollPattern(*graph, pattern, microbatches);
    return {std::move(timeline), std::move(graph)};
}

/// What has run, its instants not joined yet.
struct Unjoined {
    SimulatedRun run;
    TimesOrigin origin;
};

Unjoined runLowered(const CostModel& costs, const Plan& plan, std::shared_ptr<const LoweredPlan> lowered,
                    const SimulationOptions& options) {
    throwIfStopped(options);
    ExecutionGraph graph = buildExecutionGraph(costs, plan, std::move(lowered), options.iterations);
    throwIfStopped(options);
    if (FixedOrderRun fixed(graph, options.stop); fixed.applies())
        if (std::optional<Timeline> timeline = fixed.run()) {
            const TimesOrigin origin = fixed.origin();
            return {{*std::move(timeline), std::make_shared<const ExecutionGraph>(std::move(graph))}, origin};
        }
    EventLoop loop(std::move(graph), options.stop);
    Timeline timeline = loop.run();
    return {{std::move(timeline), std::make_shared<const ExecutionGraph>(loop.takeGraph())}, {}};
}

/// Under the order that makes one iteration shortest, of equal ones the first. Searches look at how long
/// passes and transfers take; that transfers queue for their channels is seen here alone.
Unjoined runShortest(const CostModel& costs, const Plan& plan, PlansAsFound found,
                     const SimulationOptions& options) {
    constexpr double rounding = 1e-9;
    Unjoined shortest;
    double shortestS = infinity;
    for (std::size_t choice = 0; choice < found.count(); ++choice) {
        if (shortest.run.graph && found.leastS(choice) >= shortestS * (1 - rounding)) continue;
        Unjoined made = runLowered(costs, plan, std::make_shared<const LoweredPlan>(found.take(choice)),
                                   {1, options.stop});
        const double lastEndS = made.run.timeline.lastEndS();
        if (shortest.run.graph && lastEndS >= shortestS * (1 - rounding)) continue;
        shortest = std::move(made);
        shortestS = lastEndS;
    }
    return options.iterations == 1 ? std::move(shortest)
                                   : runLowered(costs, plan, shortest.run.graph->lowered, options);
}

}  // namespace

SimulatedRun simulatedRun(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    requireIterations(options);
    if (const auto* pattern = std::get_if<PeriodicSchedule>(&plan.schedule.order)) {
        SimulatedRun run = unrolled(costs, plan, *pattern, options.iterations);
        joinInstants(run.timeline);
        return run;
    }
    requireWellFormed(costs, plan);
    PlansAsFound found(costs, plan, options.stop);
    Unjoined made =
        found.count() == 0
            ? runLowered(costs, plan, loweredPlan(costs, plan, options.iterations, options.stop), options)
            : runShortest(costs, plan, std::move(found), options);
    throwIfStopped(options);
    joinInstants(made.run.timeline, made.origin);
    return std::move(made.run);
}

double simulatedLastEndS(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    if (std::holds_alternative<PeriodicSchedule>(plan.schedule.order))
        return simulate(costs, plan, options).lastEndS();
    requireIterations(options);
    requireWellFormed(costs, plan);
    if (PlansAsFound found(costs, plan, options.stop); found.count() > 0) {
        const Timeline timeline = runShortest(costs, plan, std::move(found), options).run.timeline;
        requireFiniteEnds(timeline);
        return timeline.lastEndS();
    }
    ExecutionGraph graph = buildExecutionGraph(costs, plan, options.iterations);
    if (FixedOrderRun fixed(graph, options.stop); fixed.applies())
        if (const std::optional<double> lastEndS = fixed.lastEndS(); lastEndS && std::isfinite(*lastEndS))
            return *lastEndS;
    const Timeline timeline = EventLoop(std::move(graph), options.stop).run();
    requireFiniteEnds(timeline);
    return timeline.lastEndS();
}

Timeline simulate(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    return simulatedRun(costs, plan, options).timeline;
}

}  // namespace stagecraft::simulation
