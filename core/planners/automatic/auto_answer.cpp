#include "core/planners/automatic/auto_answer.h"

namespace stagecraft::planners {

std::vector<ZeroStage> zeroStagesToPlan(const Problem& problem, const AutoLimits& limits) {
    if (limits.zero) return {*limits.zero};
    if (problem.cluster.deviceCount() == 1) return {ZeroStage::off};
    if (problem.setup.holdsAllGradients()) return {ZeroStage::optimizer, ZeroStage::off};
    return {ZeroStage::optimizer, ZeroStage::weights, ZeroStage::gradients, ZeroStage::off};
}

}  // namespace stagecraft::planners
