#include "core/schedules/version_difference.h"

#include <cmath>
#include <variant>

namespace stagecraft::schedules {

namespace {

/// numerator / denominator rounded, ties to the even integer.
int roundHalfEven(int numerator, int denominator) {
    const int below = static_cast<int>(std::floor(static_cast<double>(numerator) / denominator));
    const int twiceRest = 2 * (numerator - below * denominator);
    if (twiceRest == denominator) return below + (below % 2 == 0 ? 0 : 1);
    return twiceRest > denominator ? below + 1 : below;
}

}  // namespace

int printedForwardDifference(int size, int rank, int microbatches) {
    // (size + T - rank/2 - 2) / T, doubled to stay in integers.
    return roundHalfEven(2 * (size + microbatches - 2) - rank, 2 * microbatches);
}

int printedBackwardDifference(int rank, int microbatches) {
    return roundHalfEven(microbatches + rank / 2 - 1, microbatches);
}

int exactForwardDifference(int size, int rank, int microbatches) {
    const int ahead = size - rank - 1;
    return (ahead + microbatches - 1) / microbatches + rank / (2 * microbatches);
}

int exactBackwardDifference(int rank, int microbatches) { return rank / (2 * microbatches); }

double predictionS(const CostModel& costs, const Plan& plan, int stage, bool backward) {
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    if (!policy || plan.weights.kind != WeightPolicyKind::predicted || plan.pipelineCount() != 1) return 0;
    const auto rate = policy->parameters.find(predictionParameter);
    if (rate == policy->parameters.end() || !(rate->second > 0)) return 0;
    const int size = plan.stageCount(), microbatches = costs.problem().setup.microbatches;
    const bool printed = plan.weights.difference == VersionDifference::printed;
    const int ahead = printed ? (backward ? printedBackwardDifference(stage, microbatches)
                                          : printedForwardDifference(size, stage, microbatches))
                              : (backward ? exactBackwardDifference(stage, microbatches)
                                          : exactForwardDifference(size, stage, microbatches));
    const Stage& layers = plan.stages[static_cast<std::size_t>(stage)];
    return ahead > 0 ? rate->second * costs.parameterBytes(layers.firstLayer, layers.lastLayer, layers.group)
                     : 0;
}

}  // namespace stagecraft::schedules
