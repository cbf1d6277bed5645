#include "core/training/stage_weights.h"

#include <cmath>

namespace stagecraft::training {

Updater::Updater(const OptimizerSettings& settings, Eigen::Index weights) : settings_(settings) {
    if (settings.kind != OptimizerKind::adam) momentum_ = Vector::Zero(weights);
    if (settings.kind == OptimizerKind::adam) mean_ = Vector::Zero(weights);
    if (settings.kind != OptimizerKind::sgd) square_ = Vector::Zero(weights);
}

void Updater::step(Vector& weights, const Vector& gradient, double learningRate) {
    ++steps_;
    const OptimizerSettings& own = settings_;
    switch (own.kind) {
        case OptimizerKind::sgd:
            momentum_ = own.momentum * momentum_ + gradient;
            weights -= learningRate * momentum_;
            return;
        case OptimizerKind::rmsprop:
            square_ = own.smoothing * square_ + (1 - own.smoothing) * gradient.cwiseAbs2();
            momentum_.array() =
                own.momentum * momentum_.array() + gradient.array() / (square_.array().sqrt() + own.epsilon);
            weights -= learningRate * momentum_;
            return;
        case OptimizerKind::adam:
            mean_ = own.decay1 * mean_ + (1 - own.decay1) * gradient;
            square_ = own.decay2 * square_ + (1 - own.decay2) * gradient.cwiseAbs2();
            const double correction1 = 1 - std::pow(own.decay1, steps_);
            const double correction2 = 1 - std::pow(own.decay2, steps_);
            weights.array() -= learningRate * (mean_.array() / correction1) /
                               ((square_.array() / correction2).sqrt() + own.epsilon);
            return;
    }
}

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
