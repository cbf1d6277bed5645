#pragma once

#include "core/analysis/metrics.h"

#include <vector>

namespace stagecraft {

/// What each link of the cluster carries in one iteration that takes `iterationTimeS`; by link index.
std::vector<LinkLoad> linkLoads(const CostModel& costs, const Plan& plan, double iterationTimeS);

/// What one cause sends over links in an iteration: the transfers between two stages, or an AllReduce.
struct Traffic {
    std::vector<int>
        stages;  ///< the two of a transfer, earlier one first; or those of the AllReduce, ascending
    bool isAllReduce = false;
    double bytes =
        0;  ///< handed over: from stage to stage both ways, or sent by all devices of the AllReduce
    std::vector<LinkLoad> links;  ///< the links that carry any of it, ascending
};
/// Of a plan whose iteration takes `iterationTimeS`: transfers by their stages, then AllReduces by their
/// first stage. The bytes of each link add up to its linkLoads.
std::vector<Traffic> traffic(const CostModel& costs, const Plan& plan, double iterationTimeS);

}  // namespace stagecraft
