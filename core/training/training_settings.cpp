#include "core/training/training_settings.h"

#include "core/model/model_names.h"

#include <algorithm>

namespace stagecraft::training {

double usualLearningRate(OptimizerKind kind) {
    switch (kind) {
        case OptimizerKind::sgd:
            return 0.01;
        case OptimizerKind::rmsprop:
            return 0.0003;
        case OptimizerKind::adam:
            return 0.001;
    }
    return 0.01;
}

namespace {

const std::vector<std::string> dataNames = {"digits", "spirals"};
const std::vector<std::string> modelNames = {"mlp", "cnn"};
const std::vector<std::string> optimizerKinds = {"sgd", "rmsprop", "adam"};
const std::vector<std::string> differenceNames = {"counted", "exact", "printed"};
const std::vector<std::string> predictionNames = {"corrected", "printed"};

/// The enumerator whose name is at the same place in `names`.
template <typename Enum>
Enum chosen(const ParameterValue& value, const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), std::get<std::string>(value));
    return static_cast<Enum>(found - names.begin());
}

std::vector<Parameter> described() {
    const TrainingSettings usual;
    return {
        {"data", "Data set", "What is learnt: 1,797 handwritten digits, or points on three spiral arms",
         dataNames.front(), 0, 0, dataNames},
        {"model", "Network", "A perceptron, or a small convolutional network for images", modelNames.front(),
         0, 0, modelNames},
        {"layers", "Layers", "Layers with weights; 0: four, or as many as the plan needs", usual.layers, 0,
         1000},
        {"width", "Units per layer", "Units of a perceptron's hidden layers", usual.width, 1, 4096},
        {"optimizer", "Optimizer", "SGD and RMSProp with momentum, Adam; as PyTorch defines them",
         optimizerKinds.front(), 0, 0, optimizerKinds},
        {"learning_rate", "Learning rate",
         "0: the usual one, 0.01 for sgd, 0.0003 for rmsprop, 0.001 for adam", 0.0, 0, 1000},
        {"momentum", "Momentum", "Of SGD and RMSProp", usual.optimizer.momentum, 0, 1},
        {"weight_decay", "Weight decay", "Times the weights, added to the gradient",
         usual.optimizer.weightDecay, 0, 1000},
        {"drop_every", "Rate drops every",
         "Epochs after which the learning rate falls to a tenth, again and again; 0: never", usual.dropEvery,
         0, 100'000},
        {"batch_size", "Mini-batch",
         "Samples of a mini-batch; 0: 32, or one per microbatch where the plan has more of those", 0, 0,
         100'000},
        {"epochs", "Epochs", "How often the network sees every sample", usual.epochs, 1, 100'000},
        {"seeds", "Seeds",
         "Runs of each policy, from the seeds 0, 1, …: initial weights and order of samples", 1, 1, 1000},
        {"version_difference", "Predictions look ahead",
         "How far ahead SpecTrain and XPipe predict: as counted on the timeline, the exact closed form, or "
         "XPipe's Eq. (1) and (2) as printed",
         differenceNames.front(), 0, 0, differenceNames},
        {"prediction", "XPipe's Eq. (4)", "With Adam's corrections, or as printed, which does not learn",
         predictionNames.front(), 0, 0, predictionNames},
        {"recompute", "Every backward runs its forward again",
         "With the backward's own weights, even on stages that the plan does not recompute",
         usual.recompute}};
}

}  // namespace

const std::vector<Parameter>& trainingParameters() {
    static const std::vector<Parameter> parameters = described();
    return parameters;
}

TrainingChoice trainingChoice(const ParameterValues& values, int microbatches) {
    ParameterValues all = defaultValues(trainingParameters());
    for (const auto& [name, value] : values) all[name] = value;
    const auto whole = [&](const char* name) { return std::get<int>(all.at(name)); };
    const auto number = [&](const char* name) { return std::get<double>(all.at(name)); };
    TrainingChoice choice;
    TrainingSettings& settings = choice.settings;
    settings.data = chosen<DataKind>(all.at("data"), dataNames);
    settings.model = chosen<ModelKind>(all.at("model"), modelNames);
    settings.layers = whole("layers");
    settings.width = whole("width");
    OptimizerSettings& optimizer = settings.optimizer;
    optimizer.kind = chosen<OptimizerKind>(all.at("optimizer"), optimizerKinds);
    optimizer.learningRate = number("learning_rate");
    if (optimizer.learningRate == 0) optimizer.learningRate = usualLearningRate(optimizer.kind);
    optimizer.momentum = number("momentum");
    optimizer.weightDecay = number("weight_decay");
    settings.dropEvery = whole("drop_every");
    if (whole("batch_size") > 0)
        settings.batchSize = whole("batch_size");
    else
        settings.batchSize = std::max(settings.batchSize, microbatches);
    settings.epochs = whole("epochs");
    settings.difference = chosen<VersionDifference>(all.at("version_difference"), differenceNames);
    settings.printedPrediction = std::get<std::string>(all.at("prediction")) == "printed";
    settings.recompute = std::get<bool>(all.at("recompute"));
    choice.seeds = whole("seeds");
    return choice;
}

}  // namespace stagecraft::training
