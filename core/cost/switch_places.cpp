#include "core/cost/switch_places.h"

#include "core/base/indices.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

namespace stagecraft::cost {

SwitchPlaces::SwitchPlaces(const NetworkHops& hops, std::size_t devices, double widthBps)
    : placeOf_(hops.size(), -1) {
    const auto isWide = [&](const NetworkHop& hop) {
        return at(hop.node) >= devices && hop.bandwidthBps >= widthBps;
    };
    std::vector<int> open;
    for (std::size_t first = devices; first < hops.size(); ++first) {
        if (placeOf_[first] >= 0) continue;
        placeOf_[first] = count_;
        open.push_back(static_cast<int>(first));
        while (!open.empty()) {
            const int node = open.back();
            open.pop_back();
            for (const NetworkHop& hop : hops[at(node)])
                if (isWide(hop) && hop.latencyS == 0 && placeOf_[at(hop.node)] < 0) {
                    placeOf_[at(hop.node)] = count_;
                    open.push_back(hop.node);
                }
        }
        ++count_;
    }
    std::vector<std::map<int, double>> ways(at(count_));
    for (std::size_t node = devices; node < hops.size(); ++node)
        for (const NetworkHop& hop : hops[node]) {
            if (!isWide(hop) || placeOf_[at(hop.node)] == placeOf_[node]) continue;
            const auto [way, isNew] =
                ways[at(placeOf_[node])].try_emplace(placeOf_[at(hop.node)], hop.latencyS);
            if (!isNew) way->second = std::min(way->second, hop.latencyS);
        }
    for (const std::map<int, double>& each : ways) ways_.emplace_back(each.begin(), each.end());
}

SwitchPlaces::Ways SwitchPlaces::placesOf(const Ways& switches) const {
    Ways all, places;
    for (const auto& [node, seconds] : switches) all.emplace_back(placeOf_[at(node)], seconds);
    std::ranges::sort(all);
    for (const auto& way : all)
        if (places.empty() || places.back().first != way.first) places.push_back(way);
    return places;
}

std::vector<double> SwitchPlaces::reachOf(const Ways& from) const {
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    std::vector<double> reach(at(count_), infinity);
    const auto come = [&](int place, double seconds) {
        if (seconds >= reach[at(place)]) return;
        reach[at(place)] = seconds;
        open.emplace(seconds, place);
    };
    for (const auto& [place, seconds] : from) come(place, seconds);
    while (!open.empty()) {
        const auto [seconds, place] = open.top();
        open.pop();
        if (seconds > reach[at(place)]) continue;
        for (const auto& [next, latencyS] : waysFrom(place)) come(next, seconds + latencyS);
    }
    return reach;
}

}  // namespace stagecraft::cost
