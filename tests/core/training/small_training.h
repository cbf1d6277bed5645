#pragma once

#include "core/training/data_sets.h"
#include "core/training/small_network.h"
#include "core/training/prediction.h"
#include "core/training/stage_weights.h"
#include "core/training/training.h"
#include "tests/support/every_room.h"

#include <cmath>
#include <functional>
#include <string>

namespace stagecraft::training::test {

/// Sums over samples in another order: some hundred roundings of numbers around 1.
inline constexpr double rounding = 1e-11;

/// `layers` layers that take 1 s forward and 1 s backward, on as many devices; transfers take no time.
inline Problem unitProblem(int layers, int microbatches, TrainingMode mode = TrainingMode::asynchronous,
                           double seconds = 1) {
    Problem problem;
    for (int i = 0; i < layers; ++i) {
        const std::string device = "g" + std::to_string(i);
        problem.profile.layers.push_back(
            {"layer " + std::to_string(i), seconds, seconds, 100, 0, 0, 50, seconds / 2});
        problem.cluster.devices.push_back({device, "s0", "", 1e6, 1.0, 100});
        for (int other = 0; other < i; ++other)
            problem.cluster.links.push_back({"g" + std::to_string(other), device, 10, 0, ""});
    }
    problem.setup.microbatches = microbatches;
    problem.setup.mode = mode;
    return problem;
}

/// A layer and a device a stage, 1F1B.
inline Plan unitPlan(int stages) {
    Plan plan;
    for (int stage = 0; stage < stages; ++stage) plan.stages.push_back({stage, stage, {stage}});
    return plan;
}

/// Small and quick: 11 mini-batches of 120 digits an epoch.
inline TrainingSettings quickSettings(OptimizerKind kind = OptimizerKind::sgd) {
    TrainingSettings settings;
    settings.width = 16;
    settings.batchSize = 120;
    settings.epochs = 1;
    settings.optimizer.kind = kind;
    settings.optimizer.learningRate = usualLearningRate(kind);
    settings.optimizer.weightDecay = 1e-3;
    return settings;
}

/// The weights of all layers with which mini-batch `iteration` goes forward, or comes back.
using WeightsFor = std::function<Vector(int iteration)>;

/// The gradient of a mini-batch, all samples at once and without a pipeline; weight decay included.
inline Vector plainGradient(const SmallNetwork& network, const Batch& batch, const Vector& forward,
                            const Vector& backward) {
    std::vector<Kept> kept(static_cast<std::size_t>(network.layerCount()));
    const auto part = [&](const Vector& all, int layer) {
        return all.segment(network.firstWeight(layer), network.layer(layer).weightCount());
    };
    Matrix values = batch.values;
    for (int layer = 0; layer < network.layerCount(); ++layer)
        values =
            network.layer(layer).forward(part(forward, layer), values, kept[static_cast<std::size_t>(layer)]);
    Matrix gradient = lossGradient(values, batch.labels);
    Vector total = Vector::Zero(network.weightCount());
    for (int layer = network.layerCount() - 1; layer >= 0; --layer)
        gradient = network.layer(layer).backward(
            part(backward, layer), kept[static_cast<std::size_t>(layer)], gradient,
            total.segment(network.firstWeight(layer), network.layer(layer).weightCount()));
    return total / static_cast<double>(batch.labels.size());
}

/// Every version of the weights, and the moments of the gradients at that time: mini-batch after mini-batch,
/// with whatever older weights `forward` and `backward` take for it.
struct PlainTraining {
    const PreparedTraining& prepared;
    std::uint64_t seed = 0;
    std::vector<Vector> versions;
    std::vector<GradientMoments> moments;
    std::vector<Vector> momentum;  ///< of the optimizer

    explicit PlainTraining(const PreparedTraining& training, std::uint64_t withSeed)
        : prepared(training), seed(withSeed) {}

    void run(const WeightsFor& forward, const WeightsFor& backward) {
        const SmallNetwork& network = *prepared.network;
        const OptimizerSettings& settings = prepared.settings.optimizer;
        SampleOrder order(prepared.data->training, seed, prepared.settings.batchSize, 1);
        Updater optimizer(settings, network.weightCount());
        versions = {network.initialWeights(seed)};
        moments = {GradientMoments(network.weightCount())};
        momentum = {Vector::Zero(network.weightCount())};
        for (int iteration = 0; iteration < prepared.iterations(); ++iteration) {
            Vector gradient =
                plainGradient(network, order.batch(iteration, 0), forward(iteration), backward(iteration));
            gradient += settings.weightDecay * versions.back();
            Vector next = versions.back();
            optimizer.step(next, gradient, settings.learningRate);
            versions.push_back(next);
            moments.push_back(moments.back());
            moments.back().add(gradient);
            momentum.push_back(optimizer.momentum());
        }
    }
    /// Each mini-batch with the newest weights: plain training.
    void run() {
        const WeightsFor newest = [this](int) { return versions.back(); };
        run(newest, newest);
    }
};

/// Largest difference, relative to the largest weight.
inline double difference(const Vector& a, const Vector& b) {
    return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

/// The weights after a run.
inline Vector weightsOf(const TrainingRun& run) {
    return Vector::Map(run.weights.data(), static_cast<Eigen::Index>(run.weights.size()));
}

}  // namespace stagecraft::training::test
