#pragma once

#include "core/analysis/evaluation.h"
#include "core/analysis/metric_catalogue.h"
#include "core/base/work_context.h"
#include "core/runs/planning_result.h"

#include <memory>

namespace stagecraft::runs {

/// What people read for a plan: its own name, else its planner's title, with the schedule of a planner that
/// chooses one: "Schedule search: ZB-V".
std::string titleOf(const Plan& plan, const PlanMaker& maker);

/// One plan with everything that is known about it: what the window's tabs, the comparison, the exports and
/// the command line all show. Immutable once made; share it by pointer.
struct PlanRun {
    std::shared_ptr<const CostModel> costs;  ///< and through it the problem, under the plan's own setup
    PlanningResult result;  ///< for a plan read from a file: status ok, planner as the file says
    std::shared_ptr<const Evaluation> evaluation;  ///< null unless result.status is ok
    PlanMaker maker;                               ///< of the plan
    int microbatchesAsked = 0;  ///< M of the setup asked for; `costs` has the plan's own mini-batches
    std::optional<ProblemHash> plannedFor;  ///< what the planner was given; nothing: no planner made it
    PlanAge age = PlanAge::current;         ///< against the problem that it was evaluated for
    std::string changed;         ///< what differs where it is not current: "setup", "profile and cluster"
    bool reportMissing = false;  ///< a planner's, from a file that does not hold what the planner said

    bool ok() const { return evaluation != nullptr; }
    std::string title() const { return titleOf(result.plan, maker); }
    /// What lasts `seconds` in the plan's own mini-batch, for the microbatches asked for: so that plans with
    /// mini-batches of different size stand side by side.
    double perIteration(double seconds) const { return measured().perIteration(seconds); }
    /// Seconds for the microbatches asked for. The run must be ok.
    double iterationTimeS() const { return measured().iterationTimeS(); }
    /// What metrics are read off; it refers to this run.
    MeasuredPlan measured() const {
        return {*costs, result.plan, result, evaluation.get(), microbatchesAsked};
    }
};

// Planners, which know who made a plan, have these with one argument less (planners/planned_run.h).

/// A planner's answer, simulated and validated. Failures come back as status, Cancelled is thrown.
PlanRun evaluateAnswer(std::shared_ptr<const CostModel> costs, PlanningResult answer, PlanMaker maker,
                       const WorkContext& context = {});
/// Simulates and validates a plan that exists already.
PlanRun evaluatePlan(std::shared_ptr<const CostModel> costs, const Plan& plan, PlanMaker maker,
                     const WorkContext& context = {});
/// The run of a plan that was saved. What its planner said comes along where the plan was made for this
/// problem; of one made for another, the attempts alone, as numbers without their partitions.
/// @param run of evaluatePlan() @param now the problem, as the plan's maker sees it
PlanRun withOrigin(PlanRun run, const PlanOrigin& origin, const ProblemHash& now);
/// A run that says why there is no plan.
PlanRun planlessRun(std::shared_ptr<const CostModel> costs, const PlanlessAnswer& answer, PlanMaker maker);

/// A prediction that no schedule of the plan can keep, as a sentence; empty for one that some might. The run
/// must be ok.
std::string noteOnPrediction(const PlanRun& run);

/// What is saved with a plan, and what is saved instead of one.
PlanOrigin originOf(const PlanRun& run);
PlanlessAnswer answerOf(const PlanRun& run);

/// Says how old the run's plan is for that problem.
void setAge(PlanRun& run, const std::optional<ProblemHash>& madeFor, const ProblemHash& now);

/// Makes the pattern that repeats of the least period for a plan's stages; nothing if none fits into memory.
using PatternFinder = std::optional<Plan> (*)(const CostModel& costs, const Plan& plan,
                                              const WorkContext& context);

/// As evaluatePlan(), for a plan that was edited by hand. Where the edit left out a pattern that repeats, the
/// search makes one for its stages; the run's plan then has it. Without one the run says why.
PlanRun evaluateEdited(std::shared_ptr<const CostModel> costs, const Plan& plan, PlanMaker maker,
                       PatternFinder search, const WorkContext& context = {});

}  // namespace stagecraft::runs
