#include "app/training/training_plan.h"

#include "core/planners/planner.h"
#include "core/training/policy.h"

namespace stagecraft::app {

PlannedProblem planToTrain(Problem problem, const std::string& plannerId, std::stop_token stop) {
    const Planner* planner = findPlanner(plannerId);
    if (!planner) throw training::TrainingError("no planner '" + plannerId + "'");
    const PlannerDescription& about = planner->description();
    if (!about.plansWithBarrier) problem.setup.mode = TrainingMode::asynchronous;
    WorkContext context;
    context.stop = std::move(stop);
    PlanningResult result =
        runPlanner(*planner, CostModel(problem), defaultValues(about.parameters), context);
    if (result.status != PlanStatus::ok)
        throw training::TrainingError("the planner '" + plannerId + "' has no plan: " + result.reason);
    return {std::move(problem), std::move(result.plan)};
}

}  // namespace stagecraft::app
