#include "core/runs/plan_run.h"

#include "core/analysis/evaluation.h"
#include "core/base/units.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/seen_problem.h"
#include "core/schedules/families.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace stagecraft::runs {

namespace {

/// What a plan is judged by.
struct Judged {
    double iterationS, spanS, peakBytes;
};

/// From the first start on a device to the last end there, of the device where that is longest.
double longestSpanS(const Timeline& timeline) {
    double longest = 0;
    for (const Lane& lane : timeline.lanes)
        if (lane.kind == LaneKind::compute && lane.blockCount() > 0)
            longest = std::max(longest, timeline.endS[lane.endBlock - 1] - timeline.startS[lane.firstBlock]);
    return longest;
}

Judged judged(const Timeline& timeline, const std::vector<MemoryCurve>& memory) {
    double peak = 0;
    for (const MemoryCurve& curve : memory) peak = std::max(peak, curve.peakBytes());
    return {timeline.lastEndS(), longestSpanS(timeline), peak};
}

bool deviates(const Plan& plan) {
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    if (!policy) return false;
    const auto found = policy->parameters.find(deviateParameter);
    return found != policy->parameters.end() && found->second > 0;
}

/// What a plan whose schedule deviates from its family's fixed order trades against that: the iteration, the
/// longest span of a device and the peak memory of both, as a sentence. Empty where it follows it.
/// @param evaluation of the plan, with these costs
std::string noteOnDeviation(const CostModel& costs, const Plan& plan, const Evaluation& evaluation) {
    if (!deviates(plan) || costs.problem().setup.mode == TrainingMode::asynchronous) return {};
    Plan fixed = plan;
    std::get<FamilySchedule>(fixed.schedule.order).parameters.erase(deviateParameter);
    const SimulatedRun run = simulatedRun(costs, fixed);
    const Judged own = judged(evaluation.timeline, evaluation.memory),
                 other = judged(run.timeline, memoryCurves(costs, fixed, run.lowered().edges, run.timeline));
    constexpr double rounding = 1e-9;
    const auto same = [](double a, double b) { return std::abs(a - b) <= rounding * std::max(a, b); };
    if (same(own.iterationS, other.iterationS) && same(own.spanS, other.spanS) &&
        same(own.peakBytes, other.peakBytes))
        return "Nothing shorter than the fixed order was found.";
    const auto against = [](const std::string& is, const std::string& was) { return is + " (" + was + ")"; };
    return "Deviates from the fixed order, whose figures are in brackets: " +
           against(formatSeconds(own.iterationS), formatSeconds(other.iterationS)) +
           " an iteration, longest span of a device " +
           against(formatSeconds(own.spanS), formatSeconds(other.spanS)) + ", peak memory " +
           against(formatBytes(own.peakBytes), formatBytes(other.peakBytes)) + ".";
}

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
        attempt.fits = false;
    }
    return attempts;
}

/// What the planner said, as far as it holds for the run's problem.
void recall(PlanRun& run, const PlannerReport& report) {
    const Problem& problem = run.costs->problem();
    if (run.age != PlanAge::current) {
        run.result.attempts = withoutPartitions(report.attempts);
        return;
    }
    const bool known = fitsProblem(problem, report.attempts) && fitsProblem(problem, report.rounds);
    PlannerReport& kept = run.result;
    std::vector<Guarantee> guarantees = report.guarantees.empty() ? kept.guarantees : report.guarantees;
    kept = report;
    kept.guarantees = std::move(guarantees);
    if (known) return;
    kept.attempts = withoutPartitions(report.attempts);
    kept.rounds.clear();
}

}  // namespace

std::string titleOf(const Plan& plan, const PlanMaker& maker) {
    if (!plan.name.empty()) return plan.name;
    if (!maker.isKnown) return plan.planner;
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    const bool isNamed = maker.choosesSchedule && policy && !plan.stages.empty();
    const ScheduleFamily* family = isNamed ? findScheduleFamily(policy->name) : nullptr;
    return family ? maker.title + ": " + shortTitle(*family) : maker.title;
}

PlanRun evaluateAnswer(std::shared_ptr<const CostModel> costs, PlanningResult answer, PlanMaker maker,
                       const WorkContext& context) {
    PlanRun run;
    run.costs = std::move(costs);
    run.result = std::move(answer);
    run.maker = std::move(maker);
    evaluateInto(run, context);
    return run;
}

PlanRun evaluatePlan(std::shared_ptr<const CostModel> costs, const Plan& plan, PlanMaker maker,
                     const WorkContext& context) {
    PlanningResult answer;
    answer.plan = plan;
    answer.status = PlanStatus::ok;
    if (const auto& reason = costs->whyUnplannable()) {
        answer.status = PlanStatus::failed;
        answer.reason = *reason;
    }
    PlanRun run = evaluateAnswer(std::move(costs), std::move(answer), std::move(maker), context);
    if (!run.ok()) return run;
    run.result.notes = notesOnSchedule(*run.costs, plan);
    if (std::string note = noteOnDeviation(*run.costs, plan, *run.evaluation); !note.empty())
        run.result.notes.push_back(std::move(note));
    return run;
}

PlanRun withOrigin(PlanRun run, const PlanOrigin& origin, const ProblemHash& now) {
    setAge(run, origin.plannedFor, now);
    run.plannedFor = origin.plannedFor;
    if (origin.report) recall(run, *origin.report);
    run.reportMissing = !origin.report && run.maker.isKnown;
    return run;
}

PlanRun planlessRun(std::shared_ptr<const CostModel> costs, const PlanlessAnswer& answer, PlanMaker maker) {
    PlanRun run;
    run.maker = std::move(maker);
    setAge(run, answer.origin.plannedFor,
           SeenProblem(costs->problem()).by(run.maker, answer.origin.plannedFor));
    run.plannedFor = answer.origin.plannedFor;
    run.microbatchesAsked = costs->problem().setup.microbatches;
    run.costs = std::move(costs);
    run.result.status = answer.status;
    run.result.reason = answer.reason;
    run.result.plan.planner = answer.planner;
    run.result.plan.parameters = answer.parameters;
    if (answer.origin.report) recall(run, *answer.origin.report);
    return run;
}

std::string noteOnPrediction(const PlanRun& run) {
    constexpr double tolerance = 1e-9;
    const LowerBound& bound = run.evaluation->metrics.planBound;
    if (!run.result.predictedS || *run.result.predictedS >= bound.seconds * (1 - tolerance)) return {};
    return "The prediction, " + formatSeconds(*run.result.predictedS) +
           ", is below what any schedule of this plan takes, " + formatSeconds(bound.seconds) + " (" +
           bound.because + ").";
}

PlanOrigin originOf(const PlanRun& run) { return {run.plannedFor, PlannerReport(run.result)}; }

PlanlessAnswer answerOf(const PlanRun& run) {
    return {run.result.plan.planner, run.result.plan.parameters, run.result.status, run.result.reason,
            originOf(run)};
}

void setAge(PlanRun& run, const std::optional<ProblemHash>& madeFor, const ProblemHash& now) {
    run.age = madeFor ? planAge(*madeFor, now) : PlanAge::current;
    run.changed = madeFor ? changedParts(*madeFor, now) : "";
    if (run.age == PlanAge::current) run.changed.clear();
}

namespace {

bool lacksItsPattern(const Plan& plan) {
    const auto* pattern = std::get_if<PeriodicSchedule>(&plan.schedule.order);
    return pattern && pattern->operations.empty();
}

}  // namespace

PlanRun evaluateEdited(std::shared_ptr<const CostModel> costs, const Plan& plan, PlanMaker maker,
                       PatternFinder search, const WorkContext& context) {
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
