#include "core/planners/plan_run.h"

#include <chrono>

namespace stagecraft {

namespace {

/// Fills in the evaluation, or turns an ok result into a failed one that says why there is none.
void evaluateInto(PlanRun& run, const PlanningContext& context) {
    if (run.result.status != PlanStatus::ok) return;
    SimulationOptions options;
    options.stop = context.stop;
    try {
        run.evaluation = std::make_shared<const Evaluation>(evaluate(*run.costs, run.result.plan, options));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        run.result.status = PlanStatus::failed;
        run.result.reason = error.what();
    }
}

}  // namespace

std::string PlanRun::title() const {
    if (!result.plan.name.empty()) return result.plan.name;
    const Planner* planner = findPlanner(result.plan.planner);
    return planner ? planner->description().title : result.plan.planner;
}

PlanRun runAndEvaluate(const Planner& planner, std::shared_ptr<const CostModel> costs,
                       const ParameterValues& values, const PlanningContext& context) {
    PlanRun run;
    run.costs = std::move(costs);
    const auto start = std::chrono::steady_clock::now();
    run.result = runPlanner(planner, *run.costs, values, context);
    run.planningTimeS = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    evaluateInto(run, context);
    return run;
}

PlanRun evaluatePlan(std::shared_ptr<const CostModel> costs, const Plan& plan,
                     const PlanningContext& context) {
    PlanRun run;
    run.costs = std::move(costs);
    run.result.plan = plan;
    run.result.status = PlanStatus::ok;
    if (const auto reason = whyUnplannable(run.costs->problem())) {
        run.result.status = PlanStatus::failed;
        run.result.reason = *reason;
    }
    evaluateInto(run, context);
    return run;
}

}  // namespace stagecraft
