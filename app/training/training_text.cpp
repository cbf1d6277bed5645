#include "app/training/training_text.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/training/training.h"

namespace stagecraft::app {

using training::DataKind;
using training::DataSet;
using training::ModelKind;
using training::OptimizerKind;
using training::Trainee;
using training::TrainingSettings;

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

}  // namespace stagecraft::app
