#pragma once

#include "core/cost/join_tree.h"
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

/// The bandwidth of the widest path between devices, in memory for devices and links, not for pairs: each
/// device has its switches, and switches are joined as JoinTree says. Devices forward only where there is no
/// path without that; then it is the tree of all nodes that counts.
class WidestPaths {
public:
    WidestPaths() = default;
    WidestPaths(const NetworkHops& hops, int devices);

    /// Bytes per second; 0 where there is no path, infinity from a device to itself.
    double bandwidthBps(int a, int b) const;
    /// Whether only other devices join the two, if anything does.
    bool needsDevices(int a, int b) const { return a != b && !(withoutDevices(a, b) > 0); }
    /// The least over all pairs of a device of the one and another device of the other; infinity where there
    /// is none. It looks at each device a few times, at pairs only where links of their own decide.
    double leastBps(const std::vector<int>& a, const std::vector<int>& b) const;
    /// Descending: the bandwidths that links have, and so all that paths may have.
    const std::vector<double>& widths() const { return widthsBps_; }
    /// The same number for all switches that switches join at that bandwidth or more. @param node of a switch
    int partOf(int node, double leastBps) const { return switches_.partOf(node - devices_, leastBps); }
    /// Whether some pair may have no path without other devices.
    bool devicesMayForward() const { return isAllNeeded_; }

private:
    struct End {
        int node = 0;
        double bandwidthBps = 0;
    };
    struct Alike;

    double withoutDevices(int a, int b) const;
    bool areJoinedAtLeast(const std::vector<int>& a, const std::vector<int>& b, double leastBps) const;
    bool haveOnePartInCommon(const std::vector<int>& a, const std::vector<int>& b, double leastBps) const;
    std::vector<int> partsOf(int device, double leastBps) const;
    std::vector<Alike> alikeAt(const std::vector<int>& devices, double leastBps) const;
    bool areJoinedAtLeast(const Alike& a, const Alike& b, double leastBps) const;
    bool allJoinedBySwitches() const;

    int devices_ = 0;
    std::vector<std::vector<End>> devicesAt_, switchesAt_;  // by device: the widest link to each, ascending
    JoinTree switches_;
    JoinTree all_;  // where switches do not join all devices
    bool isAllNeeded_ = false;
    std::vector<double> widthsBps_;
};

/// Bandwidths of links, descending, each once.
std::vector<double> widthsOf(const NetworkHops& hops);
/// Of the nodes from `first` on, which it numbers from 0.
JoinTree joinTreeOf(const NetworkHops& hops, int first);

}  // namespace stagecraft::cost
