#pragma once

#include "core/schedules/lowering.h"

#include <cstdint>
#include <vector>

namespace stagecraft::analysis {

/// Bytes that one link of the cluster carries in an iteration, each transfer spread evenly over its device
/// pairs and along their widest paths; AllReduce around the ring of its devices in ascending order; what
/// ranks of a group send each other inside of passes as InsideHop says.
struct LinkLoad {
    int link = 0;             ///< index into Cluster::links
    double bytes = 0;         ///< both directions together
    double busyFraction = 0;  ///< of its busier direction: bytes / (bandwidth * iteration time)
};

/// What each link of the cluster carries in one iteration that takes `iterationTimeS`; by link index.
std::vector<LinkLoad> linkLoads(const CostModel& costs, const Plan& plan, const LoweredPlan& lowered,
                                double iterationTimeS);

enum class TrafficCause : std::uint8_t {
    transfers,  ///< between two stages, evictions among them
    allReduce,
    inside,  ///< within the group of a stage, while its passes run
};

/// What one cause sends over links in an iteration.
struct Traffic {
    /// The two of transfers, earlier one first; those of the AllReduce, ascending; or the one.
    std::vector<int> stages;
    TrafficCause cause = TrafficCause::transfers;
    double bytes = 0;             ///< handed over: from stage to stage both ways, or sent by all devices
    std::vector<LinkLoad> links;  ///< the links that carry any of it, ascending
};
/// Of a plan whose iteration takes `iterationTimeS`: transfers by their stages, then AllReduces by their
/// first stage, then stages whose groups divide their layers. The bytes of each link add up to its linkLoads.
std::vector<Traffic> traffic(const CostModel& costs, const Plan& plan, const LoweredPlan& lowered,
                             double iterationTimeS);

}  // namespace stagecraft::analysis
