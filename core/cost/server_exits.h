#pragma once

#include "core/model/cluster.h"

#include <utility>
#include <vector>

namespace stagecraft::cost {

/// What leaves each server of a cluster, for rings of ranks on several servers.
///
/// One ring enters and leaves a server over one network card. Libraries open as many rings as cards serve the
/// ranks, each with a part of the bytes: NCCL builds its channels so (NVIDIA, NCCL documentation,
/// "Environment variables", NCCL_CROSS_NIC: a ring uses the same card of every server). MODEL.md and
/// PARALLELISM.md are silent on it. Counted is what the cluster's file says, and never less than one ring
/// has:
/// - each device of a server has an even share of all links from the server to switches that are in none, so
///   that rings of other ranks beside it lose nothing by it;
/// - k ranks of a ring in a server make k rings of it at most, each as fast as that share, and as the way
///   between two devices;
/// - inside a server all of them pass each rank, which cannot send faster than the slowest way there;
/// - where servers hang on other switches than each other, all rings share one link between such switches.
/// Links straight from server to server, as of a torus, are not counted: nothing says which way each goes on.
class ServerExits {
public:
    ServerExits() = default;
    explicit ServerExits(const Cluster& cluster);

    /// Whether a ring of these devices has two or more in each of several servers.
    bool mayHaveSeveralRings(const std::vector<int>& devices) const;
    /// Bytes per second that each of them sends in all rings together, of devices for which there may be
    /// several. @param oneBps of the slowest way between two of them; @param insideBps of the slowest between
    /// two that are in one server
    double ringsBps(const std::vector<int>& devices, double oneBps, double insideBps) const;
    /// -1: it is in none.
    int serverOf(int device) const { return serverOf_[static_cast<std::size_t>(device)]; }

private:
    struct Server {
        int devices = 0;
        double exitBps = 0;         ///< of links to switches that are in no server
        std::vector<int> switches;  ///< those, ascending
    };
    /// How many of the devices each server has that has any, by server.
    std::vector<std::pair<int, int>> countsOf(const std::vector<int>& devices) const;

    std::vector<int> serverOf_;  // by device
    std::vector<Server> servers_;
    double leastBetweenBps_ = 0;  // of links between switches that are in none; infinity: there is none
};

}  // namespace stagecraft::cost
