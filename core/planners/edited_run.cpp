#include "core/planners/edited_run.h"

#include "core/planners/madpipe/scheduled_plan.h"

namespace stagecraft::planners {

namespace {

constexpr double patternLimitS = 0.25;

bool lacksItsPattern(const Plan& plan) {
    const auto* pattern = std::get_if<PeriodicSchedule>(&plan.schedule.order);
    return pattern && pattern->operations.empty();
}

/// Nothing if no pattern of these stages fits.
std::optional<Plan> withPattern(const CostModel& costs, const Plan& plan, const WorkContext& context) {
    SecondPhaseOptions options;
    options.timeLimitS = patternLimitS;
    const ScheduledPlan made = schedulePlan(costs, plan.stages, options, context);
    if (!made.plan) return std::nullopt;
    Plan complete = plan;
    complete.schedule = made.plan->schedule;
    complete.miniBatch = made.plan->miniBatch;
    return complete;
}

}  // namespace

PlanRun evaluateEdited(std::shared_ptr<const CostModel> costs, const Plan& plan, const WorkContext& context) {
    if (!lacksItsPattern(plan)) return evaluatePlan(std::move(costs), plan, context);
    if (const auto complete = withPattern(*costs, plan, context))
        return evaluatePlan(std::move(costs), *complete, context);
    PlanRun run;
    run.microbatchesAsked = costs->problem().setup.microbatches;
    run.costs = std::move(costs);
    run.result.plan = plan;
    run.result.status = PlanStatus::infeasible;
    run.result.reason = "no pattern of these stages fits into memory";
    return run;
}

}  // namespace stagecraft::planners
