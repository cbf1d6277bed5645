#pragma once

#include "core/base/parameters.h"
#include "core/model/plan.h"

namespace stagecraft::training {

enum class OptimizerKind { sgd, rmsprop, adam };

struct OptimizerSettings {
    OptimizerKind kind = OptimizerKind::sgd;
    double learningRate = 0.01;
    double momentum = 0.9;    ///< sgd and rmsprop; 0: none
    double weightDecay = 0;   ///< times the weights, added to the gradient
    double decay1 = 0.9;      ///< adam: of the mean of the gradients
    double decay2 = 0.999;    ///< adam: of the mean of their squares
    double smoothing = 0.99;  ///< rmsprop: of the mean of the squares
    double epsilon = 1e-8;
};
/// A rate at which the digits are learnt: 0.01 for sgd, 0.0003 for rmsprop, 0.001 for adam.
double usualLearningRate(OptimizerKind kind);

enum class ModelKind { perceptron, convolutional };
enum class DataKind { digits, spirals };

struct TrainingSettings {
    ModelKind model = ModelKind::perceptron;
    DataKind data = DataKind::digits;
    int layers = 0;  ///< with weights; 0: four, or as many as the plan has parts
    int width = 64;  ///< of a perceptron
    OptimizerSettings optimizer;
    int dropEvery = 0;   ///< epochs after which the learning rate falls to a tenth, again and again; 0: never
    int batchSize = 32;  ///< samples of a mini-batch; those that fill none at an epoch's end are left out
    int epochs = 20;
    VersionDifference difference = VersionDifference::counted;
    bool printedPrediction = false;  ///< XPipe's Eq. (4) as printed
    bool recompute = false;          ///< every backward runs its forward again, even where the plan does not
};

/// What can be chosen about a training, described once: the window's fields, the command line's options and
/// their help are made from it. On the command line a name has dashes: "batch-size".
const std::vector<Parameter>& trainingParameters();

struct TrainingChoice {
    TrainingSettings settings;
    int seeds = 1;
};
/// The parameters that the values spell; those that are missing have their default.
/// @param microbatches of a mini-batch of the plan, each of which gets a sample at least where the size of
/// mini-batches is left open
TrainingChoice trainingChoice(const ParameterValues& values, int microbatches);

}  // namespace stagecraft::training
