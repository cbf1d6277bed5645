#pragma once

#include "core/model/cluster.h"

#include <vector>

namespace stagecraft {

/// Device-to-device bandwidth and latency as planners see them: b(v, v') is that of the widest path in the
/// cluster, the latency the sum along it (FORMATS.md, Cluster). Devices forward only where there is no path
/// without that. Among equally wide paths the one with least latency, then with fewest links, counts.
class Interconnect {
public:
    explicit Interconnect(const Cluster& cluster);

    int deviceCount() const { return count_; }
    /// Bytes per second; 0 where there is no path; infinity from a device to itself.
    double bandwidthBps(int a, int b) const { return bandwidth_[index(a, b)]; }
    double latencyS(int a, int b) const { return latency_[index(a, b)]; }
    /// The links (indices into Cluster::links) of the path between two devices, in order.
    std::vector<int> path(int a, int b) const;
    /// Least bandwidth over all pairs from the two sets; pairs of one device with itself do not count.
    double minBandwidthBps(const std::vector<int>& a, const std::vector<int>& b) const;
    double maxLatencyS(const std::vector<int>& a, const std::vector<int>& b) const;

private:
    std::size_t index(int a, int b) const { return static_cast<std::size_t>(a) * count_ + b; }
    const Cluster* cluster_ = nullptr;  // path() alone walks it again
    int count_ = 0;
    std::vector<double> bandwidth_;
    std::vector<double> latency_;
};

}  // namespace stagecraft
