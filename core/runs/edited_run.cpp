#include "core/runs/edited_run.h"

namespace stagecraft::runs {

namespace {

bool lacksItsPattern(const Plan& plan) {
    const auto* pattern = std::get_if<PeriodicSchedule>(&plan.schedule.order);
    return pattern && pattern->operations.empty();
}

}  // namespace

PlanRun evaluateEdited(std::shared_ptr<const CostModel> costs, const Plan& plan, PlanMaker maker,
                       PatternSearch search, const WorkContext& context) {
    if (!lacksItsPattern(plan)) return evaluatePlan(std::move(costs), plan, std::move(maker), context);
    if (const auto complete = search(*costs, plan, context))
        return evaluatePlan(std::move(costs), *complete, std::move(maker), context);
    PlanRun run;
    run.maker = std::move(maker);
    run.microbatchesAsked = costs->problem().setup.microbatches;
    run.costs = std::move(costs);
    run.result.plan = plan;
    run.result.status = PlanStatus::infeasible;
    run.result.reason = "no pattern of these stages fits into memory";
    return run;
}

}  // namespace stagecraft::runs
