#pragma once

#include "core/schedules/lowering.h"

#include <vector>

namespace stagecraft::analysis {

/// Bytes that one link of the cluster carries in an iteration, each transfer spread evenly over its device
/// pairs and along their widest paths; AllReduce around the ring of its devices in ascending order.
struct LinkLoad {
    int link = 0;             ///< index into Cluster::links
    double bytes = 0;         ///< both directions together
    double busyFraction = 0;  ///< of its busier direction: bytes / (bandwidth * iteration time)
};

/// What each link of the cluster carries in one iteration that takes `iterationTimeS`; by link index.
std::vector<LinkLoad> linkLoads(const CostModel& costs, const Plan& plan, const LoweredPlan& lowered,
                                double iterationTimeS);

/// What one cause sends over links in an iteration: the transfers between two stages, evictions among them,
/// or an AllReduce.
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
std::vector<Traffic> traffic(const CostModel& costs, const Plan& plan, const LoweredPlan& lowered,
                             double iterationTimeS);

}  // namespace stagecraft::analysis
