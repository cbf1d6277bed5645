#pragma once

#include "core/planners/planner.h"
#include "core/simulation/evaluation.h"

#include <memory>

namespace stagecraft {

/// One plan with everything that is known about it: what the window's tabs, the comparison, the exports and
/// the command line all show. Immutable once made; share it by pointer.
struct PlanRun {
    std::shared_ptr<const CostModel> costs;  ///< and through it the problem, under the plan's own setup
    PlanningResult result;  ///< for a plan read from a file: status ok, planner as the file says
    std::shared_ptr<const Evaluation> evaluation;  ///< null unless result.status is ok
    double planningTimeS = 0;                      ///< wall clock of the planner alone
    int microbatchesAsked = 0;  ///< M of the setup asked for; `costs` has the plan's own mini-batches

    bool ok() const { return evaluation != nullptr; }
    /// The plan's own name, else its planner's title.
    std::string title() const;
    /// What lasts `seconds` in the plan's own mini-batch, for the microbatches asked for: so that plans with
    /// mini-batches of different size stand side by side.
    double perIteration(double seconds) const;
    /// Seconds for the microbatches asked for. The run must be ok.
    double iterationTimeS() const { return perIteration(evaluation->metrics.iterationTimeS); }
};

/// Plans, simulates and validates. Failures come back as status, Cancelled is thrown.
PlanRun runAndEvaluate(const Planner& planner, std::shared_ptr<const CostModel> costs,
                       const ParameterValues& values, const PlanningContext& context = {});

/// Simulates and validates a plan that exists already.
PlanRun evaluatePlan(std::shared_ptr<const CostModel> costs, const Plan& plan,
                     const PlanningContext& context = {});

/// The same for a plan out of a file, with what its planner said of it where that can be had again: the
/// planner runs with the plan's parameters, and if it still gives this plan, its attempts, guarantees and
/// notes come along.
PlanRun reopenPlan(std::shared_ptr<const CostModel> costs, const Plan& plan,
                   const PlanningContext& context = {});

}  // namespace stagecraft
