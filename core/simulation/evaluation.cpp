#include "core/simulation/evaluation.h"

#include <algorithm>

namespace stagecraft {

namespace {
/// Enough mini-batches of an asynchronous plan for start-up to be over in the second half.
constexpr int asynchronousIterations = 8;
}  // namespace

Evaluation evaluate(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    SimulationOptions chosen = options;
    if (costs.problem().setup.mode == TrainingMode::asynchronous)
        chosen.iterations = std::max(chosen.iterations, asynchronousIterations);
    Evaluation evaluation;
    evaluation.timeline = simulate(costs, plan, chosen);
    evaluation.memory = memoryCurves(costs, plan, evaluation.timeline);
    evaluation.metrics = computeMetrics(costs, plan, evaluation.timeline, evaluation.memory);
    evaluation.violations = validate(costs.problem(), plan, evaluation.timeline);
    return evaluation;
}

}  // namespace stagecraft
