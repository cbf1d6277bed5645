#pragma once

#include "core/model/cluster.h"

#include <stop_token>
#include <vector>

namespace stagecraft::cost {

/// Device-to-device bandwidth and latency as planners see them: b(v, v') is that of the widest path in the
/// cluster, the latency the sum along it (FORMATS.md, Cluster). Devices forward only where there is no path
/// without that. Among equally wide paths the one with least latency, then with fewest links, counts.
class Interconnect {
public:
    /// Once a stop is requested it returns early and is of no use.
    explicit Interconnect(const Cluster& cluster, const std::stop_token& stop = {});

    int deviceCount() const { return count_; }
    /// Bytes per second; 0 where there is no path; infinity from a device to itself.
    double bandwidthBps(int a, int b) const { return bandwidth_[index(a, b)]; }
    double latencyS(int a, int b) const { return latency_[index(a, b)]; }
    /// The links (indices into Cluster::links) of the path between two devices, from a to b; empty if a = b.
    std::vector<int> path(int a, int b) const;
    /// Least bandwidth over all pairs from the two sets; a device paired with itself does not count.
    double minBandwidthBps(const std::vector<int>& a, const std::vector<int>& b) const;
    double maxLatencyS(const std::vector<int>& a, const std::vector<int>& b) const;

private:
    struct Hop {
        int node = 0;
        int link = 0;
        double bandwidthBps = 0;
        double latencyS = 0;
    };
    struct Reach;  // what a search from one device found, by node

    std::size_t index(int a, int b) const {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(count_) + static_cast<std::size_t>(b);
    }
    bool mayForward(int node, int source, bool devicesForward) const {
        return node == source || node >= count_ || devicesForward;
    }
    std::vector<double> widestFrom(int source, bool devicesForward) const;
    Reach quickestFrom(int source, double leastWidth, bool devicesForward) const;
    void fillFrom(int source);

    int count_ = 0;  // devices; nodes from count_ on are switches
    std::vector<std::vector<Hop>> neighbours_;
    bool anyLatency_ = false;
    std::vector<double> bandwidth_;
    std::vector<double> latency_;
    std::vector<bool> viaDevices_;  // pairs that only other devices join
};

}  // namespace stagecraft::cost
