#pragma once

#include "core/training/matrix.h"

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

/// Turns gradients into steps; one for each stage. The definitions are PyTorch's: sgd b <- momentum b + g, w
/// <- w - lr b; rmsprop the same with g / (sqrt(mean of g^2) + epsilon) in place of g.
class Optimizer {
public:
    Optimizer(const OptimizerSettings& settings, Eigen::Index weights);

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
