#include "core/cost/update_cost.h"

#include "core/cost/state_bytes.h"

namespace stagecraft::cost {

double sharersOfStates(const CostModel& costs, const Plan& plan, int index) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const double bytes = costs.parameterBytes(stage.firstLayer, stage.lastLayer, stage.group);
    if (costs.problem().setup.zero == ZeroStage::off || bytes == 0) return 1;
    return bytes / costs.sharedParameterBytes(plan, index);
}

double updateBytes(const CostModel& costs, const Plan& plan, int stage) {
    const StateBytes whole(costs.problem());
    const double master = whole.master > 0 ? 2 * whole.master + whole.weights : 2 * whole.weights;
    return (whole.gradients + master + 2 * whole.moments) * costs.heldParameterBytes(plan, stage) /
           sharersOfStates(costs, plan, stage);
}

double updateS(const CostModel& costs, const Plan& plan, int stage) {
    const TrainingSetup& setup = costs.problem().setup;
    if (!(setup.updateBytesPerS > 0) || setup.mode != TrainingMode::synchronous) return 0;
    return updateBytes(costs, plan, stage) / setup.updateBytesPerS;
}

}  // namespace stagecraft::cost
