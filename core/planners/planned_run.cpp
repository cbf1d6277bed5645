#include "core/planners/planned_run.h"

#include "core/planners/added_planners.h"
#include "core/planners/madpipe/scheduled_plan.h"
#include "core/runs/plan_run.h"

#include <chrono>

namespace stagecraft::planners {

namespace {

constexpr double patternLimitS = 0.25;

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

/// A pattern has an instant for each pass: one that was made for a speed of each type of GPU is none for the
/// times of each type's layers.
void makePatternAnew(const CostModel& costs, PlanningResult& answer, const WorkContext& context) {
    const bool isPattern = std::holds_alternative<PeriodicSchedule>(answer.plan.schedule.order);
    if (answer.status != PlanStatus::ok || !isPattern || !costs.measuredKinds()) return;
    if (std::optional<Plan> made = withPattern(costs, answer.plan, context)) {
        answer.plan = std::move(*made);
        answer.notes.emplace_back(
            "The pattern was made anew for its stages, with the times that were measured on each type of "
            "GPU.");
        return;
    }
    answer.status = PlanStatus::infeasible;
    answer.reason =
        "its stages were cut with one speed for each type of GPU; with the times that were measured on each "
        "type no pattern of them that repeats fits into memory";
    answer.plan.stages.clear();
}

PlanRun withProofs(PlanRun run) {
    // Their theorems are about devices that work by themselves, each by its speed.
    if (!run.ok() || run.result.plan.dividesLayers() || run.costs->measuredKinds()) return run;
    for (const auto& planner : allPlanners())
        for (Guarantee& guarantee : planner->provenFor(*run.costs, run.result.plan))
            run.result.guarantees.push_back(std::move(guarantee));
    return run;
}

}  // namespace

PlanMaker makerOf(const std::string& planner) {
    const Planner* found = findPlanner(planner);
    if (!found) return {};
    const PlannerDescription& about = found->description();
    return {.isKnown = true,
            .title = about.title,
            .summary = about.summary,
            .paper = about.paper,
            .seesMemory = about.plansForMemory || about.checksMemory,
            .seesSequences = about.choosesSchedule || findAddedPlanner(planner),
            .choosesSchedule = about.choosesSchedule};
}

std::string titleOf(const Plan& plan) { return runs::titleOf(plan, makerOf(plan.planner)); }

PlanningResult planWith(const Planner& planner, const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) {
    const auto start = std::chrono::steady_clock::now();
    PlanningResult answer = runPlanner(planner, costs, values, context);
    makePatternAnew(costs, answer, context);
    answer.planningTimeS = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return answer;
}

PlanRun evaluateAnswer(const Planner& planner, std::shared_ptr<const CostModel> costs, PlanningResult answer,
                       const WorkContext& context) {
    const ProblemHash plannedFor = SeenProblem(costs->problem()).by(makerOf(planner.description().id));
    const bool planned = answer.status == PlanStatus::ok;
    PlanMaker maker = makerOf(answer.plan.planner);
    PlanRun run = runs::evaluateAnswer(std::move(costs), std::move(answer), std::move(maker), context);
    run.plannedFor = plannedFor;
    if (planned && !run.ok()) run.result.reason = planner.failureOf(run.result.reason);
    if (!run.ok()) return run;
    for (std::string& note : planner.notesOn(*run.evaluation)) run.result.notes.push_back(std::move(note));
    if (std::string note = noteOnPrediction(run); !note.empty()) run.result.notes.push_back(std::move(note));
    return run;
}

PlanRun runAndEvaluate(const Planner& planner, std::shared_ptr<const CostModel> costs,
                       const ParameterValues& values, const WorkContext& context) {
    PlanningResult answer = planWith(planner, *costs, values, context);
    return evaluateAnswer(planner, std::move(costs), std::move(answer), context);
}

PlanRun evaluatePlan(std::shared_ptr<const CostModel> costs, const Plan& plan, const WorkContext& context) {
    return withProofs(runs::evaluatePlan(std::move(costs), plan, makerOf(plan.planner), context));
}

PlanRun evaluateEdited(std::shared_ptr<const CostModel> costs, const Plan& plan, const WorkContext& context) {
    return withProofs(
        runs::evaluateEdited(std::move(costs), plan, makerOf(plan.planner), withPattern, context));
}

PlanRun reopenPlan(std::shared_ptr<const CostModel> costs, const Plan& plan, const PlanOrigin& origin,
                   const WorkContext& context) {
    const ProblemHash now = SeenProblem(costs->problem()).by(makerOf(plan.planner), origin.plannedFor);
    return withOrigin(evaluatePlan(std::move(costs), plan, context), origin, now);
}

PlanRun planlessRun(std::shared_ptr<const CostModel> costs, const PlanlessAnswer& answer) {
    return runs::planlessRun(std::move(costs), answer, makerOf(answer.planner));
}

ParameterValues valuesOf(const Planner& planner, const std::map<std::string, std::string>& parameters) {
    const std::vector<Parameter>& known = planner.description().parameters;
    ParameterValues values = defaultValues(known);
    for (const auto& [name, text] : parameters) {
        try {
            setParameter(known, values, name + "=" + text);
        } catch (const std::invalid_argument&) {
            continue;  // of another version of the planner
        }
    }
    return values;
}

void stampOrigins(std::span<const Plan> plans, std::vector<PlanOrigin>& origins, const SeenProblem& problem) {
    origins.resize(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i)
        if (const PlanMaker maker = makerOf(plans[i].planner); !origins[i].plannedFor && maker.isKnown)
            origins[i].plannedFor = problem.by(maker);
}

}  // namespace stagecraft::planners
