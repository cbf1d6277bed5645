#include "core/cost/update_cost.h"

#include "core/cost/state_bytes.h"

namespace stagecraft::cost {

double sharersOfStates(const CostModel& costs, const Plan& plan, int index) {
    if (costs.problem().setup.zero == ZeroStage::off) return 1;
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const double bytes = costs.parameterBytes(stage.firstLayer, stage.lastLayer, stage.group);
    // Where its own layers have none, its copies share out what they hold of the words.
    return bytes > 0 ? bytes / costs.sharedParameterBytes(plan, index) : double(stage.devices.size());
}

bool updatesTakeTime(const TrainingSetup& setup) {
    return setup.updateBytesPerS > 0 && setup.mode == TrainingMode::synchronous;
}

double updateBytesOfEach(const Problem& problem) {
    const StateBytes whole(problem);
    const double master = whole.master > 0 ? 2 * whole.master + whole.weights : 2 * whole.weights;
    const bool clips = problem.setup.gradientPasses != GradientPasses::none;
    return (clips ? 4 : 1) * whole.gradients + master + 2 * whole.moments;
}

double updateBytes(const CostModel& costs, const Plan& plan, int stage) {
    return updateBytesOfEach(costs.problem()) * costs.heldParameterBytes(plan, stage) /
           sharersOfStates(costs, plan, stage);
}

double updateS(const CostModel& costs, const Plan& plan, int stage) {
    const TrainingSetup& setup = costs.problem().setup;
    return updatesTakeTime(setup) ? updateBytes(costs, plan, stage) / setup.updateBytesPerS : 0;
}

double gradientPassS(const CostModel& costs, const Plan& plan, int stage, bool isSummed) {
    const TrainingSetup& setup = costs.problem().setup;
    if (!updatesTakeTime(setup) || setup.gradientPasses != GradientPasses::megatron) return 0;
    const double held = StateBytes(costs.problem()).gradients * costs.heldParameterBytes(plan, stage);
    return (isSummed ? 4 : 2) * held / setup.updateBytesPerS;
}

}  // namespace stagecraft::cost
