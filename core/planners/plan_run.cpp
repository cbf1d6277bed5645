#include "core/planners/plan_run.h"

#include "core/base/units.h"
#include "core/planners/chosen_schedule.h"
#include "core/planners/deviation.h"
#include "core/planners/seen_problem.h"
#include "core/planners/spp/guarantees.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <chrono>

namespace stagecraft::planners {

namespace {

void applySetup(PlanRun& run) {
    const Plan& plan = run.result.plan;
    const Problem& asked = run.costs->problem();
    run.microbatchesAsked = microbatchesAsked(plan, asked);
    const TrainingSetup own = setupOf(plan, asked.setup);
    if (hasOtherMicrobatches(plan, asked.profile))
        run.costs = std::make_shared<const CostModel>(problemOf(plan, asked));
    else if (!(own == asked.setup))
        run.costs = std::make_shared<const CostModel>(run.costs->withSetup(own));
}

/// Fills in the evaluation, or turns an ok result into a failed one that says why there is none.
void evaluateInto(PlanRun& run, const WorkContext& context) {
    SimulationOptions options;
    options.stop = context.stop;
    try {
        applySetup(run);
        if (run.result.status != PlanStatus::ok) return;
        run.evaluation = std::make_shared<const Evaluation>(evaluate(*run.costs, run.result.plan, options));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        run.result.status = PlanStatus::failed;
        run.result.reason = error.what();
    }
}

/// A prediction that no schedule of the plan can keep; empty for one that some might.
std::string impossiblePrediction(const PlanRun& run) {
    constexpr double tolerance = 1e-9;
    const LowerBound& bound = run.evaluation->metrics.planBound;
    if (!run.result.predictedS || *run.result.predictedS >= bound.seconds * (1 - tolerance)) return {};
    return "The prediction, " + formatSeconds(*run.result.predictedS) +
           ", is below what any schedule of this plan takes, " + formatSeconds(bound.seconds) + " (" +
           bound.because + ").";
}

/// Lemma 1 speaks of any chain of stages under PE, whoever made the plan.
bool runsPipelineExecution(const Plan& plan) {
    const auto* policy = std::get_if<PolicySchedule>(&plan.schedule.order);
    const bool split = std::all_of(plan.stages.begin(), plan.stages.end(), [](const Stage& stage) {
        return stage.replication == Replication::split;
    });
    return policy && policy->name == "pe" && plan.pipelineCount() == 1 && split && plan.memory.layers.empty();
}

/// Whether every stage of the attempts has layers and devices that there are.
bool fitsProblem(const Problem& problem, const std::vector<Attempt>& attempts) {
    const auto known = [&problem](const Stage& stage) {
        return stage.firstLayer >= 0 && stage.firstLayer <= stage.lastLayer &&
               stage.lastLayer < problem.profile.layerCount() &&
               std::all_of(stage.devices.begin(), stage.devices.end(), [&problem](int device) {
                   return device >= 0 && device < problem.cluster.deviceCount();
               });
    };
    return std::all_of(attempts.begin(), attempts.end(), [&](const Attempt& attempt) {
        return std::all_of(attempt.partition.begin(), attempt.partition.end(), known);
    });
}

std::vector<Attempt> withoutPartitions(std::vector<Attempt> attempts) {
    for (Attempt& attempt : attempts) {
        attempt.partition.clear();
        attempt.memory = {};
    }
    return attempts;
}

/// What the planner said, as far as it holds for the run's problem.
void recall(PlanRun& run, const PlannerWords& said) {
    const Problem& problem = run.costs->problem();
    if (run.age != PlanAge::current) {
        run.result.attempts = withoutPartitions(said.attempts);
        return;
    }
    const bool known = fitsProblem(problem, said.attempts) && fitsProblem(problem, said.rounds);
    PlannerWords& words = run.result;
    std::vector<Guarantee> guarantees = said.guarantees.empty() ? words.guarantees : said.guarantees;
    words = said;
    words.guarantees = std::move(guarantees);
    if (known) return;
    words.attempts = withoutPartitions(said.attempts);
    words.rounds.clear();
}

}  // namespace

std::string titleOf(const Plan& plan) {
    if (!plan.name.empty()) return plan.name;
    const Planner* planner = findPlanner(plan.planner);
    if (!planner) return plan.planner;
    const std::string& title = planner->description().title;
    const auto* policy = std::get_if<PolicySchedule>(&plan.schedule.order);
    const bool isNamed = planner->description().choosesSchedule && policy && !plan.stages.empty();
    const ScheduleFamily* family = isNamed ? findScheduleFamily(policy->name) : nullptr;
    return family ? title + ": " + shortTitle(*family) : title;
}

std::string PlanRun::title() const { return titleOf(result.plan); }

PlanRun runAndEvaluate(const Planner& planner, std::shared_ptr<const CostModel> costs,
                       const ParameterValues& values, const WorkContext& context) {
    PlanRun run;
    const Problem& problem = costs->problem();
    run.plannedFor = SeenProblem(problem).by(planner.description().id);
    run.costs = std::move(costs);
    const auto start = std::chrono::steady_clock::now();
    run.result = runPlanner(planner, *run.costs, values, context);
    run.result.planningTimeS =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool planned = run.result.status == PlanStatus::ok;
    evaluateInto(run, context);
    if (planned && !run.ok()) run.result.reason = planner.failureOf(run.result.reason);
    if (!run.ok()) return run;
    for (std::string& note : planner.notesOn(*run.evaluation)) run.result.notes.push_back(std::move(note));
    if (std::string note = impossiblePrediction(run); !note.empty())
        run.result.notes.push_back(std::move(note));
    return run;
}

PlanRun evaluatePlan(std::shared_ptr<const CostModel> costs, const Plan& plan, const WorkContext& context) {
    PlanRun run;
    run.costs = std::move(costs);
    run.result.plan = plan;
    run.result.status = PlanStatus::ok;
    if (const auto reason = whyUnplannable(run.costs->problem())) {
        run.result.status = PlanStatus::failed;
        run.result.reason = *reason;
    }
    evaluateInto(run, context);
    if (!run.ok()) return run;
    if (runsPipelineExecution(plan)) run.result.guarantees = {lemma1(*run.costs, plan.stages)};
    run.result.notes = notesOnSchedule(*run.costs, plan);
    if (std::string note = noteOnDeviation(*run.costs, plan, *run.evaluation); !note.empty())
        run.result.notes.push_back(std::move(note));
    return run;
}

PlanRun reopenPlan(std::shared_ptr<const CostModel> costs, const Plan& plan, const PlanOrigin& origin,
                   const WorkContext& context) {
    const ProblemHash now = SeenProblem(costs->problem()).by(plan.planner, origin.plannedFor);
    PlanRun run = evaluatePlan(std::move(costs), plan, context);
    setAge(run, origin.plannedFor, now);
    run.plannedFor = origin.plannedFor;
    if (origin.said) recall(run, *origin.said);
    run.lacksWords = !origin.said && findPlanner(plan.planner);
    return run;
}

PlanRun planlessRun(std::shared_ptr<const CostModel> costs, const PlanlessAnswer& answer) {
    PlanRun run;
    setAge(run, answer.origin.plannedFor,
           SeenProblem(costs->problem()).by(answer.planner, answer.origin.plannedFor));
    run.plannedFor = answer.origin.plannedFor;
    run.microbatchesAsked = costs->problem().setup.microbatches;
    run.costs = std::move(costs);
    run.result.status = answer.status;
    run.result.reason = answer.reason;
    run.result.plan.planner = answer.planner;
    run.result.plan.parameters = answer.parameters;
    if (answer.origin.said) recall(run, *answer.origin.said);
    return run;
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

PlanOrigin originOf(const PlanRun& run) { return {run.plannedFor, PlannerWords(run.result)}; }

PlanlessAnswer answerOf(const PlanRun& run) {
    return {run.result.plan.planner, run.result.plan.parameters, run.result.status, run.result.reason,
            originOf(run)};
}

void setAge(PlanRun& run, const std::optional<ProblemHash>& madeFor, const ProblemHash& now) {
    run.age = madeFor ? planAge(*madeFor, now) : PlanAge::current;
    run.changed = madeFor ? changedParts(*madeFor, now) : "";
    if (run.age == PlanAge::current) run.changed.clear();
}

}  // namespace stagecraft::planners
