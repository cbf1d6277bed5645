#include "core/cost/widest_paths.h"

#include "core/base/indices.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace stagecraft::cost {

namespace {

/// Of two ascending lists.
bool haveCommon(const std::vector<int>& a, const std::vector<int>& b) {
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] == b[j]) return true;
        ++(a[i] < b[j] ? i : j);
    }
    return false;
}

}  // namespace

JoinTree joinTreeOf(const NetworkHops& hops, int first) {
    std::vector<JoinTree::Edge> edges;
    for (int node = first; node < static_cast<int>(hops.size()); ++node)
        for (const NetworkHop& hop : hops[at(node)])
            if (hop.node > node) edges.push_back({node - first, hop.node - first, hop.bandwidthBps});
    return {static_cast<int>(hops.size()) - first, std::move(edges)};
}

std::vector<double> widthsOf(const NetworkHops& hops) {
    std::vector<double> widths;
    double last = 0;  // most links are like that before them
    for (const std::vector<NetworkHop>& own : hops)
        for (const NetworkHop& hop : own) {
            if (hop.bandwidthBps == last) continue;
            last = hop.bandwidthBps;
            widths.push_back(last);
        }
    std::ranges::sort(widths, std::greater<>());
    widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
    return widths;
}

/// Devices that have the same parts of the network at a bandwidth.
struct WidestPaths::Alike {
    std::vector<int> parts;    // of switches, ascending
    std::vector<int> anyPart;  // of switches at any bandwidth, ascending; where it is needed
    int partOfAll = 0;         // of all nodes; where it is needed
    std::vector<int> devices;
};

WidestPaths::WidestPaths(const NetworkHops& hops, int devices)
    : devices_(devices),
      devicesAt_(at(devices)),
      switchesAt_(at(devices)),
      switches_(joinTreeOf(hops, devices)),
      widthsBps_(widthsOf(hops)) {
    for (int device = 0; device < devices; ++device) {
        for (const NetworkHop& hop : hops[at(device)])
            (hop.node < devices ? devicesAt_ : switchesAt_)[at(device)].push_back(
                {hop.node < devices ? hop.node : hop.node - devices, hop.bandwidthBps});
        for (auto* ends : {&devicesAt_[at(device)], &switchesAt_[at(device)]}) {
            std::ranges::sort(*ends, [](const End& a, const End& b) {
                return a.node != b.node ? a.node < b.node : a.bandwidthBps > b.bandwidthBps;
            });
            ends->erase(std::unique(ends->begin(), ends->end(),
                                    [](const End& a, const End& b) { return a.node == b.node; }),
                        ends->end());
        }
    }
    isAllNeeded_ = !allJoinedBySwitches();
    if (isAllNeeded_) all_ = joinTreeOf(hops, 0);
}

/// At least where one part of switches has them all.
bool WidestPaths::allJoinedBySwitches() const {
    std::vector<int> every(at(devices_));
    for (int device = 0; device < devices_; ++device) every[at(device)] = device;
    return devices_ < 2 || haveOnePartInCommon(every, {}, 0);
}

double WidestPaths::withoutDevices(int a, int b) const {
    const auto direct = std::ranges::lower_bound(devicesAt_[at(a)], b, {}, &End::node);
    double width = direct != devicesAt_[at(a)].end() && direct->node == b ? direct->bandwidthBps : 0;
    for (const End& from : switchesAt_[at(a)])
        for (const End& to : switchesAt_[at(b)])
            if (const double ends = std::min(from.bandwidthBps, to.bandwidthBps); ends > width)
                width = std::max(width, std::min(ends, switches_.between(from.node, to.node)));
    return width;
}

double WidestPaths::bandwidthBps(int a, int b) const {
    if (a == b) return infinity;
    const double width = withoutDevices(a, b);
    return width > 0 || !isAllNeeded_ ? width : all_.between(a, b);
}

double WidestPaths::leastBps(const std::vector<int>& a, const std::vector<int>& b) const {
    double least = infinity;
    const auto look = [&](const std::vector<int>& from, const std::vector<int>& to) {
        for (const int one : from)
            for (const int other : to)
                if (one != other) least = std::min(least, bandwidthBps(one, other));
    };
    constexpr std::size_t fewPairs = 256;
    if (a.size() * b.size() <= fewPairs) {
        look(a, b);
        return least;
    }
    // Often one of these pairs has the least already.
    look({a.front()}, b);
    look({b.front()}, a);
    if (!(least > 0) || areJoinedAtLeast(a, b, least)) return least;
    auto above = std::ranges::lower_bound(widthsBps_, least, std::greater<>());  // does not hold for all
    auto below = widthsBps_.end();                                               // holds for all, or 0 is it
    while (std::next(above) != below) {
        const auto middle = std::next(above, std::distance(above, below) / 2);
        (areJoinedAtLeast(a, b, *middle) ? below : above) = middle;
    }
    return below == widthsBps_.end() ? 0 : *below;
}

/// Those that links of that bandwidth or more lead into, ascending.
std::vector<int> WidestPaths::partsOf(int device, double leastBps) const {
    std::vector<int> parts;
    for (const End& end : switchesAt_[at(device)])
        if (end.bandwidthBps >= leastBps) parts.push_back(switches_.partOf(end.node, leastBps));
    std::ranges::sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return parts;
}

bool WidestPaths::haveOnePartInCommon(const std::vector<int>& a, const std::vector<int>& b,
                                      double leastBps) const {
    std::vector<int> common = partsOf(a.front(), leastBps);
    for (const std::vector<int>* devices : {&a, &b})
        for (const int device : *devices) {
            if (common.empty()) return false;
            std::erase_if(common, [&](int part) {
                return std::ranges::none_of(switchesAt_[at(device)], [&](const End& end) {
                    return end.bandwidthBps >= leastBps && switches_.partOf(end.node, leastBps) == part;
                });
            });
        }
    return !common.empty();
}

std::vector<WidestPaths::Alike> WidestPaths::alikeAt(const std::vector<int>& devices, double leastBps) const {
    std::map<std::tuple<std::vector<int>, std::vector<int>, int>, std::vector<int>> found;
    for (const int device : devices) {
        std::tuple<std::vector<int>, std::vector<int>, int> key{partsOf(device, leastBps), {}, 0};
        if (isAllNeeded_) {
            std::get<1>(key) = partsOf(device, 0);
            std::get<2>(key) = all_.partOf(device, leastBps);
        }
        found[std::move(key)].push_back(device);
    }
    std::vector<Alike> alike;
    alike.reserve(found.size());
    for (auto& [key, own] : found)
        alike.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::move(own)});
    return alike;
}

bool WidestPaths::areJoinedAtLeast(const Alike& a, const Alike& b, double leastBps) const {
    if (haveCommon(a.parts, b.parts)) return true;
    if (isAllNeeded_ && a.partOfAll == b.partOfAll && !haveCommon(a.anyPart, b.anyPart)) {
        // Devices forward between them, but where they have a link of their own.
        std::vector<int> others = b.devices;
        std::ranges::sort(others);
        return std::ranges::all_of(a.devices, [&](int device) {
            return std::ranges::all_of(devicesAt_[at(device)], [&](const End& end) {
                return !std::ranges::binary_search(others, end.node) ||
                       bandwidthBps(device, end.node) >= leastBps;
            });
        });
    }
    // Each pair needs a link of its own: there are no more that have one than there are links.
    for (const int one : a.devices)
        for (const int other : b.devices)
            if (one != other && bandwidthBps(one, other) < leastBps) return false;
    return true;
}

/// All pairs of different devices from the two sets. @param leastBps above 0
bool WidestPaths::areJoinedAtLeast(const std::vector<int>& a, const std::vector<int>& b,
                                   double leastBps) const {
    if (haveOnePartInCommon(a, b, leastBps)) return true;
    const std::vector<Alike> from = alikeAt(a, leastBps), to = alikeAt(b, leastBps);
    return std::ranges::all_of(from, [&](const Alike& one) {
        return std::ranges::all_of(
            to, [&](const Alike& other) { return areJoinedAtLeast(one, other, leastBps); });
    });
}

}  // namespace stagecraft::cost
