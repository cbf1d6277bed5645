#pragma once

#include "core/model/cluster.h"

#include <map>
#include <vector>

namespace stagecraft::validation {

/// Width and latency between devices (FORMATS: widest path, then least latency; devices forward only where
/// there is no other path), by Floyd-Warshall on the pair (max, min) over all devices and switches.
class Network {
public:
    explicit Network(const Cluster& cluster);

    /// Least width in bytes per second over the pairs of different devices from the two sets; infinity if
    /// there is no such pair.
    double narrowest(const std::vector<int>& a, const std::vector<int>& b) const;
    /// Greatest latency in seconds over the same pairs.
    double slowest(const std::vector<int>& a, const std::vector<int>& b) const;

private:
    struct Hop {
        int node;
        double widthBps;
        double latencyS;
    };
    using Matrix = std::vector<double>;

    double width(int a, int b) const { return width_[at(a, b)]; }
    double latency(int a, int b) const;
    /// Latencies from `source` over links no narrower than `width`, stepping through devices if asked to.
    std::vector<double> latenciesFrom(int source, double width, bool throughDevices) const;
    void widen(Matrix& matrix, int firstNode) const;
    std::size_t at(int a, int b) const {
        return static_cast<std::size_t>(a) * nodes_ + static_cast<std::size_t>(b);
    }

    int devices_ = 0;
    int nodes_ = 0;
    bool hasLatency_ = false;
    std::vector<std::vector<Hop>> hops_;  // by node
    Matrix width_;
    std::vector<char> throughDevices_;  // the pair has no path through switches alone
    mutable std::map<std::pair<int, double>, std::vector<double>> latencies_[2];  // by throughDevices
};

}  // namespace stagecraft::validation
