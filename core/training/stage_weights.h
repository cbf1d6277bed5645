#pragma once

#include "core/training/layers.h"
#include "core/training/prediction.h"
#include "core/training/program.h"
#include "core/training/training_settings.h"

#include <map>
#include <memory>
#include <utility>

namespace stagecraft::training {

/// Turns gradients into steps; one for each stage. The definitions are PyTorch's: sgd b <- momentum b + g, w
/// <- w - lr b; rmsprop the same with g / (sqrt(mean of g^2) + epsilon) instead of g.
class Updater {
public:
    Updater(const OptimizerSettings& settings, Eigen::Index weights);

    /// One update at the given learning rate. `gradient`: with weight decay already in it.
    void step(Vector& weights, const Vector& gradient, double learningRate);
    /// sgd: the sum b of decayed gradients, times the learning rate the last step. Empty for the others.
    const Vector& momentum() const { return momentum_; }

private:
    OptimizerSettings settings_;
    Vector momentum_, mean_, square_;
    int steps_ = 0;
};

/// The weights of one stage: every version that a later pass still uses, what is predicted from them, and the
/// optimizer that makes the next.
class StageWeights {
public:
    StageWeights(Vector initial, const OptimizerSettings& settings, PredictionRule rule);

    const Vector& newest() const { return *versions_.rbegin()->second; }
    /// The weights of a pass. Those of a prediction are made by the first pass of the mini-batch that asks,
    /// its bellwether, and kept for the others.
    /// @param passes of the mini-batch through this stage in this direction
    std::shared_ptr<const Vector> of(const WeightUse& use, int iteration, bool backward, int passes,
                                     double learningRate);
    void update(const Vector& gradient, double learningRate);
    /// Forgets versions below it, but never the newest.
    void forgetBelow(int version);

private:
    struct PredictedWeights {
        std::shared_ptr<const Vector> weights;
        int passesLeft = 0;
    };
    Vector predict(const WeightUse& use, double learningRate) const;

    std::map<int, std::shared_ptr<Vector>> versions_;
    std::map<std::pair<int, bool>, PredictedWeights> predicted_;  // by mini-batch and direction
    Updater optimizer_;
    GradientMoments moments_;
    PredictionRule rule_;
    OptimizerKind kind_;
};

}  // namespace stagecraft::training
