#include "core/cost/quickest_paths.h"

#include "core/base/indices.h"
#include "core/cost/switch_places.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace stagecraft::cost {

namespace {

using Network = QuickestPaths::Network;
using HoldInPart = std::vector<std::pair<int, double>>;
using LatencyQueue =
    std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>>;

constexpr std::size_t mostNodesKept = 8'000'000;

/// By part of the network that links of that bandwidth lead into.
std::map<int, HoldInPart> holdsOf(const Network& network, int device, double widthBps) {
    std::map<int, HoldInPart> holds;
    for (const NetworkHop& hop : network.hops[at(device)])
        if (hop.node >= network.devices && hop.bandwidthBps >= widthBps)
            holds[network.widest.partOf(hop.node, widthBps)].emplace_back(hop.node, hop.latencyS);
    for (auto& [part, hold] : holds) std::ranges::sort(hold);
    return holds;
}

/// Devices that see the same of the network: they have the same links to the same switches, and to no device.
std::vector<std::vector<int>> alikeOf(const Network& network, const std::vector<int>& devices) {
    std::map<std::vector<std::tuple<int, double, double>>, std::vector<int>> found;
    for (const int device : devices) {
        std::vector<std::tuple<int, double, double>> key;
        bool isAlone = false;
        for (const NetworkHop& hop : network.hops[at(device)]) {
            key.emplace_back(hop.node, hop.bandwidthBps, hop.latencyS);
            isAlone = isAlone || hop.node < network.devices;
        }
        std::ranges::sort(key);
        if (isAlone) key.emplace_back(-1, device, 0);
        found[std::move(key)].push_back(device);
    }
    std::vector<std::vector<int>> alike;
    for (auto& [key, own] : found) alike.push_back(std::move(own));
    return alike;
}

/// How a device comes to the first place that leads to several others. It ends at once where several ways
/// lead on.
struct PlaceChain {
    HoldInPart before;  ///< places on the way, and those that lead nowhere, with the seconds until then
    HoldInPart end;
};

PlaceChain chainFrom(const SwitchPlaces& places, const HoldInPart& hold) {
    PlaceChain chain;
    for (const auto& way : hold)
        (places.waysFrom(way.first).empty() ? chain.before : chain.end).push_back(way);
    int last = -1;
    while (chain.end.size() == 1) {
        const auto [place, seconds] = chain.end.front();
        const std::pair<int, double>* on = nullptr;
        int ways = 0;
        for (const auto& way : places.waysFrom(place)) {
            if (way.first == last) continue;
            on = &way;
            ++ways;
        }
        const auto wasThere = [&](const auto& before) { return before.first == on->first; };
        if (ways != 1 || std::ranges::any_of(chain.before, wasThere)) break;
        chain.before.push_back(chain.end.front());
        last = place;
        chain.end = {{on->first, seconds + on->second}};
    }
    return chain;
}

/// Seconds that none of all pairs takes more than, but the slowest hardly less. Chains that end at one place
/// after the same time see the same of the rest of the network.
double mostBetweenS(const SwitchPlaces& places, const std::set<HoldInPart>& from,
                    const std::set<HoldInPart>& to) {
    std::map<HoldInPart, std::vector<PlaceChain>> byEnd;
    for (const HoldInPart& hold : from) {
        PlaceChain chain = chainFrom(places, hold);
        HoldInPart end = chain.end;
        byEnd[std::move(end)].push_back(std::move(chain));
    }
    double most = 0;
    for (const auto& [end, chains] : byEnd) {
        const std::vector<double> reach = places.reachOf(end);
        // What hangs on a chain is nearer to it than over its end.
        std::unordered_map<int, std::pair<std::size_t, double>>
            along;  // by how many chains, the most seconds
        for (const PlaceChain& chain : chains)
            for (const auto& [place, seconds] : chain.before) {
                auto& [count, mostS] = along[place];
                ++count;
                mostS = std::max(mostS, seconds);
            }
        for (const HoldInPart& other : to) {
            double least = infinity;
            bool isOnEach = false;  // of the chains: then all of them are nearer
            for (const auto& [place, seconds] : other) {
                if (const auto own = along.find(place); own != along.end()) {
                    isOnEach = isOnEach || own->second.first == chains.size();
                    most = std::max(most, own->second.second + seconds);
                }
                least = std::min(least, reach[at(place)] + seconds);
            }
            if (!isOnEach && least < infinity) most = std::max(most, least);
        }
    }
    return most;
}

/// Two different devices, one of each; the same twice where there are none.
std::pair<int, int> differentOf(const std::vector<int>& a, const std::vector<int>& b) {
    for (const int other : b)
        if (other != a.front()) return {a.front(), other};
    for (const int one : a)
        if (one != b.front()) return {one, b.front()};
    return {a.front(), a.front()};
}

}  // namespace

QuickestPaths::QuickestPaths() = default;
QuickestPaths::~QuickestPaths() = default;

const SwitchPlaces& QuickestPaths::placesOf(const Network& network, double widthBps) {
    constexpr std::size_t mostWidthsKept = 64;
    if (places_.size() > mostWidthsKept) places_.clear();
    std::unique_ptr<SwitchPlaces>& places = places_[widthBps];
    if (!places) places = std::make_unique<SwitchPlaces>(network.hops, at(network.devices), widthBps);
    return *places;
}

const std::vector<double>& QuickestPaths::reachOf(const SwitchPlaces& places, double widthBps,
                                                  const Hold& end) {
    if (reached_ > mostNodesKept) {
        reaches_.clear();
        reached_ = 0;
    }
    const auto [found, isNew] = reaches_.try_emplace({widthBps, end});
    if (!isNew) return found->second;
    found->second = places.reachOf(end);
    reached_ += found->second.size();
    return found->second;
}

/// Devices whose ways into the network meet see the same of it from there on.
double QuickestPaths::overSwitchesS(const Network& network, double widthBps, const Hold& from,
                                    const Hold& to) {
    const SwitchPlaces& places = placesOf(network, widthBps);
    const PlaceChain chain = chainFrom(places, places.placesOf(from));
    const std::vector<double>& reach = reachOf(places, widthBps, chain.end);
    double least = infinity;
    for (const auto& [place, seconds] : places.placesOf(to)) {
        for (const auto& [before, untilS] : chain.before)
            if (before == place) least = std::min(least, untilS + seconds);
        least = std::min(least, reach[at(place)] + seconds);
    }
    return least;
}

double QuickestPaths::overDevicesS(const Network& network, double widthBps, int a, int b) {
    if (forwarded_.size() * network.hops.size() > mostNodesKept) forwarded_.clear();
    const auto [found, isNew] = forwarded_.try_emplace({widthBps, a});
    std::vector<double>& reach = found->second;
    if (!isNew) return reach[at(b)];
    reach.assign(network.hops.size(), infinity);
    reach[at(a)] = 0;
    LatencyQueue open;
    open.emplace(0.0, a);
    while (!open.empty()) {
        const auto [seconds, node] = open.top();
        open.pop();
        if (seconds > reach[at(node)]) continue;
        for (const NetworkHop& hop : network.hops[at(node)]) {
            const double through = seconds + hop.latencyS;
            if (hop.bandwidthBps < widthBps || through >= reach[at(hop.node)]) continue;
            reach[at(hop.node)] = through;
            open.emplace(through, hop.node);
        }
    }
    return reach[at(b)];
}

double QuickestPaths::pairS(const Network& network, int a, int b) {
    const double widthBps = network.widest.bandwidthBps(a, b);
    if (a == b || !(widthBps > 0)) return 0;
    if (network.widest.needsDevices(a, b)) return overDevicesS(network, widthBps, a, b);
    double least = infinity;
    for (const NetworkHop& hop : network.hops[at(a)])
        if (hop.node == b && hop.bandwidthBps >= widthBps) least = std::min(least, hop.latencyS);
    const std::map<int, HoldInPart> from = holdsOf(network, a, widthBps), to = holdsOf(network, b, widthBps);
    for (const auto& [part, hold] : from)
        if (const auto other = to.find(part); other != to.end())
            least = std::min(least, overSwitchesS(network, widthBps, hold, other->second));
    return least;
}

double QuickestPaths::latencyS(const Network& network, int a, int b) {
    const std::scoped_lock lock(mutex_);
    return pairS(network, a, b);
}

/// What no pair has more than, whatever width its path has; infinity where that is not known.
double QuickestPaths::atMostS(const Network& network, const std::vector<int>& a, const std::vector<int>& b) {
    if (network.widest.devicesMayForward()) return infinity;
    double most = 0;
    for (const int device : a)
        for (const NetworkHop& hop : network.hops[at(device)])
            if (hop.node < network.devices) most = std::max(most, hop.latencyS);
    const double leastBps = network.widest.leastBps(a, b);
    for (const double widthBps : network.widest.widths()) {
        if (widthBps < leastBps) break;
        const SwitchPlaces& places = placesOf(network, widthBps);
        std::map<int, std::pair<std::set<Hold>, std::set<Hold>>> byPart;
        for (const int device : a)
            for (const auto& [part, hold] : holdsOf(network, device, widthBps))
                byPart[part].first.insert(places.placesOf(hold));
        for (const int device : b)
            for (const auto& [part, hold] : holdsOf(network, device, widthBps))
                byPart[part].second.insert(places.placesOf(hold));
        for (const auto& [part, holds] : byPart)
            most = std::max(most, mostBetweenS(places, holds.first, holds.second));
    }
    return most;
}

double QuickestPaths::mostS(const Network& network, const std::vector<int>& a, const std::vector<int>& b) {
    const std::scoped_lock lock(mutex_);
    constexpr std::size_t fewPairs = 256;
    const double enough = a.size() * b.size() > fewPairs ? atMostS(network, a, b) : infinity;
    const std::vector<std::vector<int>> from = alikeOf(network, a), to = alikeOf(network, b);
    double most = 0;
    for (const std::vector<int>& own : from)
        for (const std::vector<int>& others : to) {
            const auto [one, other] = differentOf(own, others);
            most = std::max(most, pairS(network, one, other));
            if (most >= enough) return most;
        }
    return most;
}

}  // namespace stagecraft::cost
