#pragma once

#include "core/training/layers.h"
#include "core/training/training_settings.h"

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

}  // namespace stagecraft::training
