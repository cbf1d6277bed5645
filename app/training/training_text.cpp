#include "app/training/training_text.h"

#include "core/model/units.h"

namespace stagecraft {

using namespace training;

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

std::string counted(long count, const std::string& one, const std::string& many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string trainingText(const Problem& problem, const Plan& plan, const TrainingSettings& settings,
                         int seeds) {
    const Trainee trainee = traineeFor(plan, settings);
    const DataSet& data = *trainee.data;
    return std::string(settings.data == DataKind::digits ? "Digits" : "Spirals") + ": " +
           std::to_string(data.training.count()) + " samples to train on, " +
           std::to_string(data.validation.count()) + " to validate on. " +
           (settings.model == ModelKind::perceptron ? "A perceptron" : "A convolutional network") + " of " +
           counted(trainee.network->layerCount(), "layer", "layers") + ", " +
           std::to_string(trainee.network->weightCount()) + " weights, on " +
           counted(plan.stageCount(), "stage", "stages") + ". " + optimizerText(settings.optimizer.kind) +
           " at " + formatNumber(settings.optimizer.learningRate) + ", mini-batches of " +
           std::to_string(settings.batchSize) + " samples in " +
           counted(setupOf(plan, problem.setup).microbatches, "microbatch", "microbatches") + ", " +
           counted(settings.epochs, "epoch", "epochs") + ", " + counted(seeds, "seed", "seeds") + ".";
}

}  // namespace stagecraft
