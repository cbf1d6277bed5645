#pragma once

#include "core/cost/link_rings.h"
#include "core/cost/own_cards.h"
#include "core/cost/quickest_paths.h"
#include "core/cost/server_exits.h"
#include "core/cost/shortest_ways.h"
#include "core/cost/widest_paths.h"
#include "core/model/cluster.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace stagecraft::cost {

/// A link on the way between two devices, and in which direction it is gone along.
struct LinkStep {
    int link = 0;       ///< index into Cluster::links
    bool back = false;  ///< from Link::b to Link::a
    bool operator==(const LinkStep&) const = default;
};
/// The links of a route, in its order.
std::vector<int> linksOf(const std::vector<LinkStep>& route);

/// Device-to-device bandwidth and latency as planners see them: b(v, v') is that of the widest path in the
/// cluster, the latency the sum along it (FORMATS.md, Cluster). Devices forward only where there is no path
/// without that. Among equally wide paths the one with least latency, then with fewest links, counts.
class Interconnect {
public:
    /// Whether there is a table of all pairs, or each is worked out when it is asked for: the same numbers
    /// and routes. A table pays where there are few devices, or links between so many pairs that it is hardly
    /// larger than the cluster itself.
    enum class PairTable { whereItPays, always, never };
    /// @throws Cancelled once a stop is requested
    explicit Interconnect(const Cluster& cluster, const std::stop_token& stop = {},
                          PairTable table = PairTable::whereItPays);
    // Three numbers a pair of devices: shared (CostModel), never copied.
    Interconnect(const Interconnect&) = delete;
    Interconnect(Interconnect&&) = default;
    Interconnect& operator=(const Interconnect&) = delete;
    Interconnect& operator=(Interconnect&&) = default;
    ~Interconnect() = default;

    int deviceCount() const { return count_; }
    /// Bytes per second; 0 where there is no path; infinity from a device to itself.
    double bandwidthBps(int a, int b) const {
        return isTable_ ? bandwidth_[index(a, b)] : widest_.bandwidthBps(a, b);
    }
    double latencyS(int a, int b) const {
        if (!anyLatency_) return 0;
        return isTable_ ? latency_[index(a, b)] : quickest_->latencyS(network(), a, b);
    }
    /// Whether they are different devices with a path between them.
    bool areJoined(int a, int b) const { return a != b && bandwidthBps(a, b) > 0; }
    /// A search for routes: those of all pairs for which it is the same are found together.
    struct Search {
        int from = 0;
        double leastWidthBps = 0;
        bool devicesForward = false;
        auto operator<=>(const Search&) const = default;
    };
    /// By node: that before it on the way there, and the hop from it as Hop::way; -1: not reached.
    struct Ways {
        std::vector<int> fromNode, via;
    };
    /// That which finds the path from a to b.
    Search searchFor(int a, int b) const { return {a, bandwidthBps(a, b), needsDevices(a, b)}; }
    /// Whether a route is found from both of its ends, for which no search of all nodes is needed.
    bool isPairwise() const { return !isTable_ && !anyLatency_; }
    Ways find(const Search& search) const;
    /// The path between two devices, from a to b; empty if a = b, and where there is none. Of those over
    /// equal network cards that over the devices' own (OwnCards).
    std::vector<LinkStep> route(int a, int b) const;
    /// The same of many pairs, where isPairwise(). @param search of pairwiseSearch()
    std::vector<LinkStep> route(int a, int b, ShortestWays& search) const;
    ShortestWays pairwiseSearch() const { return {neighbours_, count_}; }
    /// @param ways found by the search for a and b, which are joined
    std::vector<LinkStep> route(int a, int b, const Ways& ways) const;
    /// Its links.
    std::vector<int> path(int a, int b) const { return linksOf(route(a, b)); }
    /// Least bandwidth over all pairs from the two sets; a device paired with itself does not count.
    double minBandwidthBps(const std::vector<int>& a, const std::vector<int>& b) const;
    /// Greatest bandwidth over all pairs of devices; 0 where none is joined.
    double mostBandwidthBps() const;
    double maxLatencyS(const std::vector<int>& a, const std::vector<int>& b) const;
    /// Bytes per second that each of them sends where they work in as many rings at once as their servers'
    /// network cards allow (ServerExits). @param oneBps minBandwidthBps() of them, which is returned where
    /// that is one
    double ringsBandwidthBps(const std::vector<int>& devices, double oneBps) const;
    const ServerExits& exits() const { return exits_; }
    /// Bytes per second that each of them sends in all rings that are laid along links between them
    /// (LinkRings), where that is more than anything else they reach; else 0. @param otherBps that
    double laidBps(const std::vector<int>& devices, double otherBps) const;
    /// Those rings.
    RingPacking laidRings(const std::vector<int>& devices) const { return linkRings_->of(devices); }
    /// The links from one of the devices to another in the same server.
    std::vector<LinkRings::Wire> wires(int from, int to) const { return linkRings_->wires(from, to); }
    /// All nodes, devices first, and the widest paths between them; devices forward as switches do.
    JoinTree treeOfAll() const { return joinTreeOf(neighbours_, 0); }
    /// The bandwidths of its paths are among these: those of links, descending.
    std::vector<double> widths() const { return widthsOf(neighbours_); }
    /// Whether all of them hang on one switch that sums up (Switch::sums).
    bool shareSummingSwitch(const std::vector<int>& devices) const;

private:
    using Hop = NetworkHop;
    struct Reach;  // what a search found, by node

    std::size_t index(int a, int b) const {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(count_) + static_cast<std::size_t>(b);
    }
    QuickestPaths::Network network() const { return {neighbours_, widest_, count_}; }
    bool needsDevices(int a, int b) const {
        return isTable_ ? viaDevices_[index(a, b)] : widest_.needsDevices(a, b);
    }
    bool mayForward(int node, int source, bool devicesForward) const {
        return node == source || node >= count_ || devicesForward;
    }
    std::vector<double> widestFrom(int source, bool devicesForward) const;
    Reach quickest(const Search& search) const;
    void fillFrom(int source);
    bool doesTablePay(const Cluster& cluster) const;
    void findSummingSwitches(const Cluster& cluster);
    std::vector<LinkStep> overOwnCards(int a, int b, std::vector<int> ways) const;

    int count_ = 0;  // devices; nodes from count_ on are switches
    NetworkHops neighbours_;
    bool isTable_ = true;
    WidestPaths widest_;  // and of latencies: where there is no table
    std::unique_ptr<QuickestPaths> quickest_;
    bool anyLatency_ = false;
    std::vector<double> leastFrom_, mostFrom_;  // bandwidth and latency to any device, by device
    std::vector<double> bandwidth_;
    std::vector<double> latency_;   // empty where no link has any
    std::vector<bool> viaDevices_;  // pairs that only other devices join
    ServerExits exits_;
    OwnCards ownCards_;
    std::unique_ptr<LinkRings> linkRings_;
    std::vector<std::vector<int>> summingSwitches_;  // by device: on which it hangs; empty: there are none
};

}  // namespace stagecraft::cost
