#pragma once

#include "core/model/cluster.h"

#include <vector>

namespace stagecraft::cost {

/// Between which nodes there is a link, by node: devices first, then switches.
struct NetworkHop {
    int node = 0;
    int way = 0;  ///< twice the link, 1 more if back: a search reads many, and small ones are read faster
    double bandwidthBps = 0;
    double latencyS = 0;
};
using NetworkHops = std::vector<std::vector<NetworkHop>>;

/// Widest paths of a cluster in which devices forward nothing, pair by pair: for clusters so large that a
/// matrix of all pairs would take longer than all that is asked of it. Between switches the widest path is
/// that of the maximum spanning tree (Hu, The maximum capacity route problem, 1961), whose joins are kept by
/// falling width.
class WidestSwitches {
public:
    WidestSwitches() = default;
    WidestSwitches(const NetworkHops& hops, int devices);

    /// Whether there is a path between any two devices.
    bool joinsAll() const;
    /// Bytes per second; 0 where there is no path.
    double bandwidthBps(int a, int b) const;

private:
    struct End {
        int node = 0;
        double bandwidthBps = 0;
    };
    double betweenSwitches(int a, int b) const;
    int topOf(int node) const;

    int devices_ = 0;
    std::vector<std::vector<End>> devicesAt_, switchesAt_;  // by device: the widest link to each, ascending
    std::vector<int> above_;                                // by switch, and then by join; -1: there is none
    std::vector<double> widthBps_;                          // of a join
};

}  // namespace stagecraft::cost
