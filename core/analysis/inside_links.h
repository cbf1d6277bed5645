#pragma once

#include "core/cost/cost_model.h"

#include <vector>

namespace stagecraft::analysis {

/// What a rank of a stage sends to another within the stage's group for one whole microbatch.
struct InsideHop {
    int from = 0, to = 0;
    int way = -1;  ///< RankHop::way
    double forwardBytes = 0, backwardBytes = 0;
    double recomputeBytes = 0;  ///< of the forwards that are computed again
};

/// Of all copies of the stage's layers, which share the microbatch. Each collective where its
/// algorithm sends it (cost::collectiveHops), as CostModel::insideSends counts; of experts' uneven load the
/// mean, as only how much the busiest has is known.
/// Nothing where no group divides the layers.
std::vector<InsideHop> insideHops(const CostModel& costs, const Plan& plan, int stage);

}  // namespace stagecraft::analysis
