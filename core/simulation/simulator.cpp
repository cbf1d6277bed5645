#include "core/simulation/simulator.h"

#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "core/schedules/family_parameters.h"
#include "core/simulation/event_loop.h"
#include "core/simulation/fixed_order_run.h"
#include "core/simulation/instants.h"
#include "core/simulation/pattern_unroll.h"

#include <stdexcept>

namespace stagecraft::simulation {

namespace {

Timeline run(const CostModel& costs, const Plan& plan, const SimulationOptions& options,
             const ExplicitSchedule* orders = nullptr) {
    if (options.iterations < 1) throw SimulationError("at least one iteration must be simulated");
    if (const auto* pattern = std::get_if<PeriodicSchedule>(&plan.schedule.order))
        return unrollPattern(costs, plan, *pattern, options.iterations);
    ExecutionGraph graph = buildExecutionGraph(costs, plan, options.iterations, orders);
    if (FixedOrderRun fixed(graph, options.stop); fixed.applies())
        if (std::optional<Timeline> timeline = fixed.run()) return *std::move(timeline);
    return EventLoop(std::move(graph), options.stop).run();
}

/// The family that leaves it to a run which of the orders that it has found is the shortest.
const ScheduleFamily* searchingFamily(const Plan& plan) {
    const auto* policy = std::get_if<PolicySchedule>(&plan.schedule.order);
    const ScheduleFamily* family = policy ? findScheduleFamily(policy->name) : nullptr;
    return family && family->found && !parameterFault(*policy) ? family : nullptr;
}

/// The orders that a family has found for a plan; none where it does not apply, which running the plan says.
std::vector<FoundSchedule> ordersFound(const CostModel& costs, const Plan& plan, const ScheduleFamily& family) {
    try {
        return foundSchedules(family, plan.stages, costs.problem().setup.microbatches,
                              std::get<PolicySchedule>(plan.schedule.order).parameters,
                              passTimes(costs, plan));
    } catch (const std::invalid_argument&) {
        return {};
    }
}

/// Under the order that makes one iteration shortest, of equal ones the first. Searches look at how long
/// passes and transfers take; that transfers queue for their channels is seen here alone.
Timeline runShortest(const CostModel& costs, const Plan& plan, const std::vector<FoundSchedule>& found,
                     const SimulationOptions& options) {
    constexpr double rounding = 1e-9;
    const ExplicitSchedule* chosen = nullptr;
    Timeline shortest;
    for (const FoundSchedule& each : found) {
        if (chosen && each.leastS >= shortest.lastEndS() * (1 - rounding)) continue;
        Timeline timeline = run(costs, plan, {1, options.stop}, &each.schedule);
        if (chosen && timeline.lastEndS() >= shortest.lastEndS() * (1 - rounding)) continue;
        chosen = &each.schedule;
        shortest = std::move(timeline);
    }
    return options.iterations == 1 ? std::move(shortest) : run(costs, plan, options, chosen);
}

}  // namespace

Timeline simulate(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    std::vector<FoundSchedule> found;
    if (const ScheduleFamily* family = searchingFamily(plan)) {
        requireWellFormed(costs, plan);
        found = ordersFound(costs, plan, *family);
    }
    Timeline timeline = found.empty() ? run(costs, plan, options) : runShortest(costs, plan, found, options);
    joinInstants(timeline);
    return timeline;
}

}  // namespace stagecraft::simulation
