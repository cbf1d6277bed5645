#include "core/training/updater.h"

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

}  // namespace stagecraft::training
