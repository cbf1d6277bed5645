#pragma once

#include "core/analysis/metric_catalogue.h"
#include "core/planners/planner.h"

#include <memory>

namespace stagecraft::planners {

/// What people read for a plan: its own name, else its planner's title, with the schedule of a planner that
/// chooses one: "Schedule search: ZB-V".
std::string titleOf(const Plan& plan);

/// One plan with everything that is known about it: what the window's tabs, the comparison, the exports and
/// the command line all show. Immutable once made; share it by pointer.
struct PlanRun {
    std::shared_ptr<const CostModel> costs;  ///< and through it the problem, under the plan's own setup
    PlanningResult result;  ///< for a plan read from a file: status ok, planner as the file says
    std::shared_ptr<const Evaluation> evaluation;  ///< null unless result.status is ok
    int microbatchesAsked = 0;  ///< M of the setup asked for; `costs` has the plan's own mini-batches
    std::optional<ProblemHash> plannedFor;  ///< what the planner was given; nothing: no planner made it
    PlanAge age = PlanAge::current;         ///< against the problem that it was evaluated for
    std::string changed;      ///< what differs where it is not current: "setup", "profile and cluster"
    bool lacksWords = false;  ///< a planner's, from a file that does not hold what the planner said

    bool ok() const { return evaluation != nullptr; }
    std::string title() const;  ///< titleOf() its plan
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

/// Plans, simulates and validates. Failures come back as status, Cancelled is thrown.
PlanRun runAndEvaluate(const Planner& planner, std::shared_ptr<const CostModel> costs,
                       const ParameterValues& values, const WorkContext& context = {});

/// Simulates and validates a plan that exists already.
PlanRun evaluatePlan(std::shared_ptr<const CostModel> costs, const Plan& plan,
                     const WorkContext& context = {});

/// The same for a plan that was saved: no planner runs. What its planner said comes along where the plan was
/// made for this problem; of one made for another, the attempts alone, as numbers without their partitions.
PlanRun reopenPlan(std::shared_ptr<const CostModel> costs, const Plan& plan, const PlanOrigin& origin,
                   const WorkContext& context = {});
/// A run that says why there is no plan.
PlanRun planlessRun(std::shared_ptr<const CostModel> costs, const PlanlessAnswer& answer);

/// The parameters of a saved plan's planner; one that it no longer has or takes has its default.
ParameterValues valuesOf(const Planner& planner, const std::map<std::string, std::string>& parameters);

/// What is saved with a plan, and what is saved instead of one.
PlanOrigin originOf(const PlanRun& run);
PlanlessAnswer answerOf(const PlanRun& run);

/// Says how old the run's plan is for that problem.
void setAge(PlanRun& run, const std::optional<ProblemHash>& madeFor, const ProblemHash& now);

}  // namespace stagecraft::planners
