#include "core/cost/state_bytes.h"

namespace stagecraft::cost {

namespace {

constexpr double halfBytes = 2, singleBytes = 4;

}  // namespace

StateBytes::StateBytes(const Problem& problem) {
    const TrainingSetup& setup = problem.setup;
    const double numbers = optimizerStateFactor(setup.optimizer);
    moments = numbers;
    if (setup.precision == StatePrecision::uniform) return;
    const double element = problem.profile.elementBytes.value_or(static_cast<int>(halfBytes));
    sentWeights = halfBytes / element;
    weights = (halfBytes + (setup.precision == StatePrecision::fp8 ? 1 : 0)) / element;
    gradients = (setup.gradients == GradientPrecision::half ? halfBytes : singleBytes) / element;
    master = singleBytes / element;
    moments = numbers * singleBytes / element;
}

StateBytes::StateBytes(const Problem& problem, double copies) : StateBytes(problem) {
    const ZeroStage zero = problem.setup.zero;
    if (zero >= ZeroStage::optimizer) {
        master /= copies;
        moments /= copies;
    }
    if (zero >= ZeroStage::gradients) gradients /= copies;
    if (zero >= ZeroStage::weights) weights /= copies;
}

}  // namespace stagecraft::cost
