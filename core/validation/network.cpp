#include "core/validation/network.h"

#include "core/base/indices.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace stagecraft::validation {

Network::Network(const Cluster& cluster)
    : devices_(cluster.deviceCount()), nodes_(devices_ + static_cast<int>(cluster.switches.size())) {
    std::map<std::string, int> nodeOf;
    for (int i = 0; i < devices_; ++i) nodeOf.emplace(cluster.devices[static_cast<std::size_t>(i)].id, i);
    for (int i = devices_; i < nodes_; ++i)
        nodeOf.emplace(cluster.switches[static_cast<std::size_t>(i - devices_)].id, i);

    hops_.resize(static_cast<std::size_t>(nodes_));
    width_.assign(static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(nodes_), 0);
    for (const Link& link : cluster.links) {
        const auto a = nodeOf.find(link.a);
        const auto b = nodeOf.find(link.b);
        if (a == nodeOf.end() || b == nodeOf.end()) continue;  // whyUnplannable() names it
        hops_[static_cast<std::size_t>(a->second)].push_back({b->second, link.bandwidthBps, link.latencyS});
        hops_[static_cast<std::size_t>(b->second)].push_back({a->second, link.bandwidthBps, link.latencyS});
        double& direct = width_[at(a->second, b->second)];
        direct = std::max(direct, link.bandwidthBps);
        width_[at(b->second, a->second)] = direct;
        hasLatency_ = hasLatency_ || link.latencyS > 0;
    }

    // Switches alone first; only pairs that these leave apart may use devices as stepping stones.
    widen(width_, devices_);
    throughDevices_.assign(width_.size(), 0);
    bool apart = false;
    for (int a = 0; a < devices_; ++a)
        for (int b = 0; b < devices_; ++b)
            if (a != b && width_[at(a, b)] <= 0) {
                throughDevices_[at(a, b)] = 1;
                apart = true;
            }
    if (!apart) return;
    Matrix all = width_;
    widen(all, 0);
    for (std::size_t i = 0; i < width_.size(); ++i)
        if (throughDevices_[i]) width_[i] = all[i];
}

void Network::widen(Matrix& matrix, int firstNode) const {
    for (int via = firstNode; via < nodes_; ++via)
        for (int a = 0; a < nodes_; ++a) {
            const double first = matrix[at(a, via)];
            if (first <= 0) continue;
            for (int b = 0; b < nodes_; ++b) {
                double& best = matrix[at(a, b)];
                best = std::max(best, std::min(first, matrix[at(via, b)]));
            }
        }
}

std::vector<double> Network::latenciesFrom(int source, double minWidth, bool throughDevices) const {
    std::vector<double> best(static_cast<std::size_t>(nodes_), infinity);
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    best[static_cast<std::size_t>(source)] = 0;
    open.push({0, source});
    while (!open.empty()) {
        const auto [soFar, node] = open.top();
        open.pop();
        if (soFar > best[static_cast<std::size_t>(node)]) continue;
        if (node != source && node < devices_ && !throughDevices) continue;
        for (const Hop& hop : hops_[static_cast<std::size_t>(node)]) {
            double& known = best[static_cast<std::size_t>(hop.node)];
            if (hop.widthBps < minWidth || soFar + hop.latencyS >= known) continue;
            known = soFar + hop.latencyS;
            open.push({known, hop.node});
        }
    }
    return best;
}

double Network::latency(int a, int b) const {
    if (!hasLatency_) return 0;
    const bool throughDevices = throughDevices_[at(a, b)] != 0;
    auto& cache = latencies_[throughDevices ? 1 : 0];
    auto found = cache.find({a, width(a, b)});
    if (found == cache.end())
        found = cache.emplace(std::pair{a, width(a, b)}, latenciesFrom(a, width(a, b), throughDevices)).first;
    return found->second[static_cast<std::size_t>(b)];
}

double Network::narrowest(const std::vector<int>& a, const std::vector<int>& b) const {
    double least = infinity;
    for (int one : a)
        for (int other : b)
            if (one != other) least = std::min(least, width(one, other));
    return least;
}

double Network::slowest(const std::vector<int>& a, const std::vector<int>& b) const {
    double most = 0;
    for (int one : a)
        for (int other : b)
            if (one != other) most = std::max(most, latency(one, other));
    return most;
}

}  // namespace stagecraft::validation
