#pragma once

#include "core/planners/planner.h"
#include "core/runs/plan_run.h"
#include "core/runs/seen_problem.h"

#include <span>

namespace stagecraft::planners {

/// What the planner of that id says of itself (findPlanner); of one that is not known, what holds for plans
/// that no planner made.
PlanMaker makerOf(const std::string& planner);

/// runs::titleOf() a plan.
std::string titleOf(const Plan& plan);

/// runPlanner(), with a pattern that holds for the times of each type of GPU.
PlanningResult planWith(const Planner& planner, const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context = {});
/// Simulates and validates what a planner answered (planWith()) to those costs.
PlanRun evaluateAnswer(const Planner& planner, std::shared_ptr<const CostModel> costs, PlanningResult answer,
                       const WorkContext& context = {});
/// Plans, simulates and validates. Failures come back as status, Cancelled is thrown.
PlanRun runAndEvaluate(const Planner& planner, std::shared_ptr<const CostModel> costs,
                       const ParameterValues& values, const WorkContext& context = {});

/// Simulates and validates a plan that exists already. What is proven for it comes along
/// (Planner::provenFor).
PlanRun evaluatePlan(std::shared_ptr<const CostModel> costs, const Plan& plan,
                     const WorkContext& context = {});
/// The same for a plan that was edited by hand (runs::evaluateEdited). The pattern that it may lack is made
/// by 1F1B* where each GPU holds one stage (MadPipe 4.1), else in a fraction of a second by the second phase.
PlanRun evaluateEdited(std::shared_ptr<const CostModel> costs, const Plan& plan,
                       const WorkContext& context = {});
/// The same for a plan that was saved (runs::withOrigin): no planner runs.
PlanRun reopenPlan(std::shared_ptr<const CostModel> costs, const Plan& plan, const PlanOrigin& origin,
                   const WorkContext& context = {});
/// A run that says why there is no plan.
PlanRun planlessRun(std::shared_ptr<const CostModel> costs, const PlanlessAnswer& answer);

/// The parameters of a saved plan's planner; one that it no longer has or takes has its default.
ParameterValues valuesOf(const Planner& planner, const std::map<std::string, std::string>& parameters);

/// Plans of planners that do not say for which problem they were made count as made for this one.
/// @param origins of the plans, as many or fewer
void stampOrigins(std::span<const Plan> plans, std::vector<PlanOrigin>& origins, const SeenProblem& problem);

}  // namespace stagecraft::planners
