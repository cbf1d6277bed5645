#include "core/training/stage_weights.h"

namespace stagecraft::training {

StageWeights::StageWeights(Vector initial, const OptimizerSettings& settings, PredictionRule rule)
    : optimizer_(settings, initial.size()), moments_(initial.size()), rule_(rule), kind_(settings.kind) {
    versions_[0] = std::make_shared<Vector>(std::move(initial));
}

std::shared_ptr<const Vector> StageWeights::of(const WeightUse& use, int iteration, bool backward, int passes,
                                               double learningRate) {
    if (use.ahead == 0) return versions_.at(use.version);
    const auto [entry, isNew] = predicted_.try_emplace({iteration, backward});
    PredictedWeights& predicted = entry->second;
    if (isNew) predicted = {std::make_shared<const Vector>(predict(use, learningRate)), passes};
    const std::shared_ptr<const Vector> weights = predicted.weights;
    if (--predicted.passesLeft == 0) predicted_.erase(entry);
    return weights;
}

/// SpecTrain knows SGD with momentum alone, where the direction is the step that the optimizer made last.
/// Under other optimizers it is the mean of the gradients.
Vector StageWeights::predict(const WeightUse& use, double learningRate) const {
    const bool ownStep = rule_ == PredictionRule::momentum && kind_ == OptimizerKind::sgd;
    const Vector direction = ownStep ? optimizer_.momentum() : moments_.direction(rule_);
    return *versions_.at(use.version) - use.ahead * learningRate * direction;
}

void StageWeights::update(const Vector& gradient, double learningRate) {
    auto next = std::make_shared<Vector>(newest());
    optimizer_.step(*next, gradient, learningRate);
    moments_.add(gradient);
    versions_[versions_.rbegin()->first + 1] = std::move(next);
}

void StageWeights::forgetBelow(int version) {
    while (versions_.size() > 1 && versions_.begin()->first < version) versions_.erase(versions_.begin());
}

}  // namespace stagecraft::training
