#pragma once

#include "core/cost/ring_packing.h"
#include "core/cost/server_exits.h"
#include "core/cost/widest_paths.h"

#include <map>
#include <mutex>
#include <vector>

namespace stagecraft::cost {

/// Rings along links that join devices of one server to each other: NVLinks of a cube mesh or between four
/// GPUs, Infinity Fabric. Devices below a switch, or in several servers, have none (ServerExits). Up to
/// mostPackedRanks as many as the links carry (packedRings); of more devices one, in their order, both ways
/// round, which may be less. Worked out once for all that are joined alike. Threads may share one.
class LinkRings {
public:
    /// A link between two devices, in one direction.
    struct Wire {
        int to = 0;
        int way = 0;  ///< twice the link, 1 more from Link::b to Link::a
        double bps = 0;
    };
    /// @param hops of all nodes, devices first
    LinkRings(const NetworkHops& hops, int devices, const ServerExits& exits);

    RingPacking of(const std::vector<int>& devices);
    /// The links from one device to another.
    std::vector<Wire> wires(int from, int to) const;

private:
    double widthBps(int from, int to) const;
    RingPacking inOrder(const std::vector<int>& devices) const;

    bool any_ = false;
    std::vector<std::vector<Wire>> wires_;  // by device, ascending by where they lead
    std::vector<int> serverOf_;
    std::mutex mutex_;
    std::map<std::vector<double>, RingPacking> known_;  // by the widths between all pairs
};

}  // namespace stagecraft::cost
