#pragma once

#include "core/cost/widest_paths.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace stagecraft::cost {

class SwitchPlaces;

/// The least latency of the widest paths between devices, worked out when it is asked for. What devices see
/// of a part of the network is kept once for all that hang on it alike, not by device; where devices forward,
/// for a few of them at a time. Threads may share one.
class QuickestPaths {
public:
    /// What it is asked about; those of one network always.
    struct Network {
        const NetworkHops& hops;
        const WidestPaths& widest;
        int devices = 0;
    };

    QuickestPaths();
    ~QuickestPaths();

    /// Seconds, links added up from a on; 0 from a device to itself and where there is no path.
    double latencyS(const Network& network, int a, int b);
    /// The most over all pairs of a device of the one and another device of the other.
    double mostS(const Network& network, const std::vector<int>& a, const std::vector<int>& b);

private:
    /// How a device hangs on a part of the network: its switches there, and the latency of the link to each.
    using Hold = std::vector<std::pair<int, double>>;

    const SwitchPlaces& placesOf(const Network& network, double widthBps);
    /// Seconds by place.
    const std::vector<double>& reachOf(const SwitchPlaces& places, double widthBps, const Hold& end);
    double overSwitchesS(const Network& network, double widthBps, const Hold& from, const Hold& to);
    double overDevicesS(const Network& network, double widthBps, int a, int b);
    double pairS(const Network& network, int a, int b);
    double atMostS(const Network& network, const std::vector<int>& a, const std::vector<int>& b);

    std::mutex mutex_;
    std::map<double, std::unique_ptr<SwitchPlaces>> places_;  // by width
    std::map<std::pair<double, Hold>, std::vector<double>> reaches_;
    std::size_t reached_ = 0;                                          // in all of them
    std::map<std::pair<double, int>, std::vector<double>> forwarded_;  // by width and device, then by node
};

}  // namespace stagecraft::cost
