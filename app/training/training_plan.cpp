#include "app/training/training_plan.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/planners/planned_run.h"
#include "core/training/data_sets.h"
#include "core/training/policy.h"
#include "core/training/small_network.h"
#include "core/training/training.h"

namespace stagecraft::app::training {

PlannedProblem planToTrain(Problem problem, const std::string& plannerId, std::stop_token stop) {
    const Planner* planner = findPlanner(plannerId);
    if (!planner) throw stagecraft::training::TrainingError("no planner '" + plannerId + "'");
    const PlannerDescription& about = planner->description();
    if (!about.plansWithBarrier) problem.setup.mode = TrainingMode::asynchronous;
    WorkContext context;
    context.stop = std::move(stop);
    PlanningResult result = planWith(*planner, CostModel(problem), defaultValues(about.parameters), context);
    if (result.status != PlanStatus::ok)
        throw stagecraft::training::TrainingError("the planner '" + plannerId +
                                                  "' has no plan: " + result.reason);
    return {std::move(problem), std::move(result.plan)};
}

using stagecraft::training::DataKind;
using stagecraft::training::DataSet;
using stagecraft::training::ModelKind;
using stagecraft::training::OptimizerKind;
using stagecraft::training::Trainee;
using stagecraft::training::TrainingSettings;

namespace {

const char* optimizerText(OptimizerKind kind) {
    switch (kind) {
        case OptimizerKind::sgd:
            return "SGD";
        case OptimizerKind::rmsprop:
            return "RMSProp";
        case OptimizerKind::adam:
            return "Adam";
    }
    return "";
}

}  // namespace

std::string trainingText(const Problem& problem, const Plan& plan, const TrainingSettings& settings,
                         int seeds) {
    const Trainee trainee = traineeFor(plan, settings);
    const DataSet& data = *trainee.data;
    return std::string(settings.data == DataKind::digits ? "Digits" : "Spirals") + ": " +
           counted(data.training.count(), "sample") + " to train on, " +
           std::to_string(data.validation.count()) + " to validate on. " +
           (settings.model == ModelKind::perceptron ? "A perceptron" : "A convolutional network") + " of " +
           counted(trainee.network->layerCount(), "layer") + ", " +
           counted(trainee.network->weightCount(), "weight") + ", on " + counted(plan.stageCount(), "stage") +
           ". " + optimizerText(settings.optimizer.kind) + " at " +
           formatNumber(settings.optimizer.learningRate) + ", mini-batches of " +
           counted(settings.batchSize, "sample") + " in " +
           counted(setupOf(plan, problem.setup).microbatches, "microbatch", "microbatches") + ", " +
           counted(settings.epochs, "epoch") + ", " + counted(seeds, "seed") + ".";
}

}  // namespace stagecraft::app::training
