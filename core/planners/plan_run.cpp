#include "core/planners/plan_run.h"

#include "core/planners/spp/guarantees.h"

#include <algorithm>
#include <chrono>

namespace stagecraft {

namespace {

void setUpInto(PlanRun& run) {
    const TrainingSetup& asked = run.costs->problem().setup;
    run.microbatchesAsked = asked.microbatches;
    const TrainingSetup own = setupOf(run.result.plan, asked);
    if (!(own == asked)) run.costs = std::make_shared<const CostModel>(run.costs->withSetup(own));
}

/// Fills in the evaluation, or turns an ok result into a failed one that says why there is none.
void evaluateInto(PlanRun& run, const PlanningContext& context) {
    setUpInto(run);
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

/// Lemma 1 speaks of any chain of stages under PE, whoever made the plan.
bool runsPipelineExecution(const Plan& plan) {
    const auto* policy = std::get_if<PolicySchedule>(&plan.schedule.order);
    const bool split = std::all_of(plan.stages.begin(), plan.stages.end(), [](const Stage& stage) {
        return stage.replication == Replication::split;
    });
    return policy && policy->name == "pe" && plan.pipelineCount() == 1 && split && plan.memory.layers.empty();
}

/// Nothing if the planner is unknown or no longer takes these parameters.
std::optional<ParameterValues> valuesOf(const Planner& planner, const Plan& plan) {
    ParameterValues values = defaultValues(planner.description().parameters);
    try {
        for (const auto& [name, text] : plan.parameters)
            setParameter(planner.description().parameters, values, name + "=" + text);
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
    return values;
}

}  // namespace

std::string PlanRun::title() const {
    if (!result.plan.name.empty()) return result.plan.name;
    const Planner* planner = findPlanner(result.plan.planner);
    return planner ? planner->description().title : result.plan.planner;
}

double PlanRun::perIteration(double seconds) const {
    const int own = costs->problem().setup.microbatches;
    // A run that was put together by hand asked for its own.
    return microbatchesAsked == 0 || own == microbatchesAsked ? seconds : seconds * microbatchesAsked / own;
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
    if (run.ok() && runsPipelineExecution(plan)) run.result.guarantees = {lemma1(*run.costs, plan.stages)};
    return run;
}

PlanRun reopenPlan(std::shared_ptr<const CostModel> costs, const Plan& plan, const PlanningContext& context) {
    PlanRun run = evaluatePlan(costs, plan, context);
    const Planner* planner = findPlanner(plan.planner);
    const auto values = planner ? valuesOf(*planner, plan) : std::nullopt;
    if (!run.ok() || !values) return run;
    const auto start = std::chrono::steady_clock::now();
    PlanningResult again = runPlanner(*planner, *costs, *values, context);
    again.plan.name = plan.name;
    if (again.status != PlanStatus::ok || !(again.plan == plan)) return run;
    run.planningTimeS = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    run.result = std::move(again);
    return run;
}

}  // namespace stagecraft
