#pragma once

#include "core/cost/routes.h"
#include "core/model/plan.h"
#include "core/model/timeline.h"

#include <vector>

namespace stagecraft::analysis {

/// The way of one packet of a transfer through the cluster.
struct PacketRoute {
    int from = 0;            ///< device
    int to = 0;              ///< device
    std::vector<int> links;  ///< of the widest path, from `from` to `to`
    bool operator==(const PacketRoute&) const = default;
};

/// Ways by which to show what a lane carries. Of a channel one for each device of its larger side, in turn to
/// those of the other: all pairs, over which a transfer is spread, would be too many to follow. Of an
/// AllReduce once around the ring of its devices, as LinkLoad counts it. Other lanes use no links.
std::vector<PacketRoute> packetRoutes(Routes& routes, const Plan& plan, const Lane& lane);

/// Whether a transfer of a stage goes along a route that starts at that device, or back along it.
bool goesAlong(const Plan& plan, int fromDevice, int sendingStage);

}  // namespace stagecraft::analysis
