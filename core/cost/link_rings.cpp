#include "core/cost/link_rings.h"

#include "core/base/indices.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stagecraft::cost {

LinkRings::LinkRings(const NetworkHops& hops, int devices, const ServerExits& exits) {
    wires_.resize(at(devices));
    for (int device = 0; device < devices; ++device) {
        serverOf_.push_back(exits.serverOf(device));
        if (serverOf_.back() < 0) continue;
        for (const NetworkHop& hop : hops[at(device)])
            if (hop.node < devices && exits.serverOf(hop.node) == serverOf_.back())
                wires_[at(device)].push_back({hop.node, hop.way, hop.bandwidthBps});
        std::ranges::stable_sort(wires_[at(device)], {}, &Wire::to);
        any_ = any_ || !wires_[at(device)].empty();
    }
}

std::vector<LinkRings::Wire> LinkRings::wires(int from, int to) const {
    const std::vector<Wire>& all = wires_[at(from)];
    auto wire = std::ranges::lower_bound(all, to, {}, &Wire::to);
    std::vector<Wire> own;
    for (; wire != all.end() && wire->to == to; ++wire) own.push_back(*wire);
    return own;
}

double LinkRings::widthBps(int from, int to) const {
    const std::vector<Wire>& all = wires_[at(from)];
    double bps = 0;
    for (auto wire = std::ranges::lower_bound(all, to, {}, &Wire::to); wire != all.end() && wire->to == to;
         ++wire)
        bps += wire->bps;
    return bps;
}

RingPacking LinkRings::inOrder(const std::vector<int>& devices) const {
    LaidRing ring;
    ring.order.resize(devices.size());
    std::iota(ring.order.begin(), ring.order.end(), 0);
    ring.bps = widthBps(devices.back(), devices.front());
    for (std::size_t place = 1; place < devices.size() && ring.bps > 0; ++place)
        ring.bps = std::min(ring.bps, widthBps(devices[place - 1], devices[place]));
    return ring.bps > 0 ? RingPacking{{std::move(ring)}} : RingPacking{};
}

RingPacking LinkRings::of(const std::vector<int>& devices) {
    if (!any_ || devices.size() < 2) return {};
    const int server = serverOf_[at(devices.front())];
    if (server < 0) return {};
    for (const int device : devices)
        if (serverOf_[at(device)] != server || wires_[at(device)].empty()) return {};
    const std::size_t count = devices.size();
    if (count > at(mostPackedRanks)) return inOrder(devices);
    std::vector<std::vector<double>> widths(count, std::vector<double>(count, 0));
    std::vector<double> key;
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = a + 1; b < count; ++b) {
            widths[a][b] = widths[b][a] = widthBps(devices[a], devices[b]);
            key.push_back(widths[a][b]);
        }
    const std::lock_guard lock(mutex_);
    const auto [found, isNew] = known_.try_emplace(std::move(key));
    if (isNew) found->second = packedRings(widths);
    return found->second;
}

}  // namespace stagecraft::cost
