#include "core/cost/interconnect.h"

#include "core/base/indices.h"
#include "core/base/work_context.h"
#include "core/cost/shortest_ways.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <span>
#include <tuple>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft::cost {

namespace {

/// Four at a time, which do not wait for each other.
double leastOf(std::span<const double> values) {
    double a = infinity, b = infinity, c = infinity, d = infinity;
    std::size_t i = 0;
    for (; i + 4 <= values.size(); i += 4) {
        a = std::min(a, values[i]);
        b = std::min(b, values[i + 1]);
        c = std::min(c, values[i + 2]);
        d = std::min(d, values[i + 3]);
    }
    for (; i < values.size(); ++i) a = std::min(a, values[i]);
    return std::min(std::min(a, b), std::min(c, d));
}

}  // namespace

struct Interconnect::Reach {
    std::vector<double> latencyS;  // infinity: not reached
    std::vector<int> links;        // links on the way
    Ways ways;
};

Interconnect::Interconnect(const Cluster& cluster, const std::stop_token& stop, PairTable table)
    : count_(cluster.deviceCount()), exits_(cluster) {
    std::unordered_map<std::string_view, int> node;
    node.reserve(cluster.devices.size() + cluster.switches.size());
    for (const Device& device : cluster.devices) node.emplace(device.id, static_cast<int>(node.size()));
    for (const Switch& joint : cluster.switches) node.emplace(joint.id, static_cast<int>(node.size()));
    neighbours_.resize(node.size());
    for (std::size_t link = 0; link < cluster.links.size(); ++link) {
        const Link& wire = cluster.links[link];
        const auto a = node.find(wire.a), b = node.find(wire.b);
        if (a == node.end() || b == node.end() || a == b || !(wire.bandwidthBps > 0)) continue;
        const int id = static_cast<int>(link);
        neighbours_[static_cast<std::size_t>(a->second)].push_back(
            {b->second, 2 * id, wire.bandwidthBps, wire.latencyS});
        neighbours_[static_cast<std::size_t>(b->second)].push_back(
            {a->second, 2 * id + 1, wire.bandwidthBps, wire.latencyS});
        anyLatency_ = anyLatency_ || wire.latencyS > 0;
    }
    ownCards_ = OwnCards(neighbours_, count_);
    findSummingSwitches(cluster);
    linkRings_ = std::make_unique<LinkRings>(neighbours_, count_, exits_);
    isTable_ = table == PairTable::always || (table == PairTable::whereItPays && doesTablePay(cluster));
    if (!isTable_) {
        widest_ = WidestPaths(neighbours_, count_);
        quickest_ = std::make_unique<QuickestPaths>();
        return;
    }
    const std::size_t pairs = static_cast<std::size_t>(count_) * static_cast<std::size_t>(count_);
    bandwidth_.assign(pairs, 0);
    leastFrom_.assign(static_cast<std::size_t>(count_), infinity);
    mostFrom_.assign(static_cast<std::size_t>(count_), 0);
    if (anyLatency_) latency_.assign(pairs, 0);
    viaDevices_.assign(pairs, false);
    const WorkContext context{stop, {}};
    for (int source = 0; source < count_; ++source) {
        context.throwIfStopped();
        fillFrom(source);
    }
}

bool Interconnect::doesTablePay(const Cluster& cluster) const {
    constexpr int fewDevices = 256, fewWithLatency = 2048;
    constexpr std::size_t pairsALink = 16;
    const std::size_t pairs = at(count_) * at(count_);
    return count_ <= (anyLatency_ ? fewWithLatency : fewDevices) ||
           pairs <= pairsALink * cluster.links.size();
}

void Interconnect::findSummingSwitches(const Cluster& cluster) {
    for (std::size_t each = 0; each < cluster.switches.size(); ++each) {
        if (!cluster.switches[each].sums) continue;
        const int node = count_ + static_cast<int>(each);
        summingSwitches_.resize(static_cast<std::size_t>(count_));
        for (const Hop& hop : neighbours_[static_cast<std::size_t>(node)])
            if (hop.node < count_) summingSwitches_[static_cast<std::size_t>(hop.node)].push_back(node);
    }
}

bool Interconnect::shareSummingSwitch(const std::vector<int>& devices) const {
    if (summingSwitches_.empty() || devices.empty()) return false;
    const auto& first = summingSwitches_[static_cast<std::size_t>(devices.front())];
    return std::ranges::any_of(first, [&](int node) {
        return std::ranges::all_of(devices, [&](int device) {
            return std::ranges::count(summingSwitches_[static_cast<std::size_t>(device)], node) > 0;
        });
    });
}

std::vector<double> Interconnect::widestFrom(int source, bool devicesForward) const {
    std::vector<double> width(neighbours_.size(), 0);
    std::vector<bool> done(neighbours_.size(), false);
    std::priority_queue<std::pair<double, int>> open;
    width[static_cast<std::size_t>(source)] = infinity;
    open.emplace(infinity, source);
    while (!open.empty()) {
        const auto node = static_cast<std::size_t>(open.top().second);
        open.pop();
        if (done[node]) continue;
        done[node] = true;
        if (!mayForward(static_cast<int>(node), source, devicesForward)) continue;
        for (const Hop& hop : neighbours_[node]) {
            const double through = std::min(width[node], hop.bandwidthBps);
            double& known = width[static_cast<std::size_t>(hop.node)];
            if (through > known) {
                known = through;
                // What does not forward is never looked at again: most nodes, where each pair has a link.
                if (mayForward(hop.node, source, devicesForward)) open.emplace(through, hop.node);
            }
        }
    }
    return width;
}

Interconnect::Reach Interconnect::quickest(const Search& search) const {
    const auto [source, leastWidth, devicesForward] = search;
    const std::size_t nodes = neighbours_.size();
    Reach reach{std::vector<double>(nodes, infinity),
                std::vector<int>(nodes, 0),
                {std::vector<int>(nodes, -1), std::vector<int>(nodes, -1)}};
    using Entry = std::tuple<double, int, int>;  // latency, links, node: the rule for ties
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    reach.latencyS[static_cast<std::size_t>(source)] = 0;
    open.emplace(0.0, 0, source);
    while (!open.empty()) {
        const auto [latency, links, nodeIndex] = open.top();
        open.pop();
        const auto node = static_cast<std::size_t>(nodeIndex);
        if (std::tie(latency, links) != std::tie(reach.latencyS[node], reach.links[node])) continue;
        if (!mayForward(nodeIndex, source, devicesForward)) continue;
        for (const Hop& hop : neighbours_[node]) {
            if (hop.bandwidthBps < leastWidth) continue;
            const auto next = static_cast<std::size_t>(hop.node);
            const double through = latency + hop.latencyS;
            if (std::tuple(through, links + 1) >= std::tuple(reach.latencyS[next], reach.links[next]))
                continue;
            reach.latencyS[next] = through;
            reach.links[next] = links + 1;
            reach.ways.fromNode[next] = nodeIndex;
            reach.ways.via[next] = hop.way;
            if (mayForward(hop.node, source, devicesForward)) open.emplace(through, links + 1, hop.node);
        }
    }
    return reach;
}

void Interconnect::fillFrom(int source) {
    std::vector<double> width = widestFrom(source, false);
    const auto devicesEnd = width.begin() + count_;
    if (std::find(width.begin(), devicesEnd, 0.0) != devicesEnd) {
        const std::vector<double> anyhow = widestFrom(source, true);
        for (int device = 0; device < count_; ++device) {
            double& direct = width[static_cast<std::size_t>(device)];
            if (direct > 0) continue;
            direct = anyhow[static_cast<std::size_t>(device)];
            viaDevices_[index(source, device)] = direct > 0;
        }
    }
    for (int device = 0; device < count_; ++device)
        bandwidth_[index(source, device)] = width[static_cast<std::size_t>(device)];
    leastFrom_[static_cast<std::size_t>(source)] = leastOf({width.begin(), devicesEnd});
    if (!anyLatency_) return;

    // One search for each distinct width, since the quickest of the widest paths need not be made of such.
    const std::set<double> widths(width.begin(), devicesEnd);
    for (const double least : widths)
        for (const bool devicesForward : {false, true}) {
            std::vector<int> targets;
            for (int device = 0; device < count_; ++device)
                if (device != source && bandwidth_[index(source, device)] == least && least > 0 &&
                    viaDevices_[index(source, device)] == devicesForward)
                    targets.push_back(device);
            if (targets.empty()) continue;
            const Reach reach = quickest({source, least, devicesForward});
            double mostS = 0;
            for (const int device : targets) {
                const double latencyS = reach.latencyS[static_cast<std::size_t>(device)];
                latency_[index(source, device)] = latencyS;
                if (latencyS > mostS) mostS = latencyS;
            }
            double& known = mostFrom_[static_cast<std::size_t>(source)];
            known = std::max(known, mostS);
        }
}

Interconnect::Ways Interconnect::find(const Search& search) const { return quickest(search).ways; }

std::vector<LinkStep> Interconnect::route(int a, int b) const {
    if (!areJoined(a, b)) return {};
    if (!isPairwise()) return route(a, b, find(searchFor(a, b)));
    ShortestWays search = pairwiseSearch();
    return route(a, b, search);
}

std::vector<LinkStep> Interconnect::route(int a, int b, ShortestWays& search) const {
    if (!areJoined(a, b)) return {};
    return overOwnCards(a, b, search.between(a, b, bandwidthBps(a, b), needsDevices(a, b)));
}

std::vector<LinkStep> Interconnect::route(int a, int b, const Ways& ways) const {
    std::vector<int> taken;
    for (int node = b; node != a; node = ways.fromNode[static_cast<std::size_t>(node)])
        taken.push_back(ways.via[static_cast<std::size_t>(node)]);
    std::reverse(taken.begin(), taken.end());
    return overOwnCards(a, b, std::move(taken));
}

std::vector<LinkStep> Interconnect::overOwnCards(int a, int b, std::vector<int> ways) const {
    ownCards_.take(a, b, ways);
    std::vector<LinkStep> steps;
    steps.reserve(ways.size());
    for (const int way : ways) steps.push_back({way / 2, way % 2 == 1});
    return steps;
}

std::vector<int> linksOf(const std::vector<LinkStep>& route) {
    std::vector<int> links;
    links.reserve(route.size());
    for (const LinkStep& step : route) links.push_back(step.link);
    return links;
}

// From where nothing is worse than what is known already, no pair needs a look.

double Interconnect::minBandwidthBps(const std::vector<int>& a, const std::vector<int>& b) const {
    if (!isTable_) return widest_.leastBps(a, b);
    double least = infinity;
    for (const int from : a) {
        if (leastFrom_[static_cast<std::size_t>(from)] >= least) continue;
        for (const int to : b)
            if (from != to) least = std::min(least, bandwidthBps(from, to));
    }
    return least;
}

double Interconnect::ringsBandwidthBps(const std::vector<int>& devices, double oneBps) const {
    if (!exits_.mayHaveSeveralRings(devices)) return oneBps;
    std::vector<int> byServer = devices;
    std::ranges::stable_sort(byServer, {}, [this](int device) { return exits_.serverOf(device); });
    double insideBps = infinity;
    for (auto first = byServer.begin(); first != byServer.end();) {
        const auto end = std::find_if(first, byServer.end(), [&](int device) {
            return exits_.serverOf(device) != exits_.serverOf(*first);
        });
        const std::vector<int> own(first, end);
        insideBps = std::min(insideBps, minBandwidthBps(own, own));
        first = end;
    }
    return exits_.ringsBps(devices, oneBps, insideBps);
}

double Interconnect::laidBps(const std::vector<int>& devices, double otherBps) const {
    constexpr double rounding = 1e-9;
    const double bps = laidRings(devices).bps();
    return bps > otherBps * (1 + rounding) ? bps : 0;
}

double Interconnect::mostBandwidthBps() const {
    // The widest path between any two devices ends at the first that it comes to: it needs no other.
    const JoinTree tree = treeOfAll();
    const std::vector<double> widths = widthsOf(neighbours_);
    const auto joinsTwo = [&](double widthBps) {
        std::unordered_set<int> parts;
        for (int device = 0; device < count_; ++device)
            if (!parts.insert(tree.partOf(device, widthBps)).second) return true;
        return false;
    };
    const auto most = std::ranges::find_if(widths, joinsTwo);
    return most == widths.end() ? 0 : *most;
}

double Interconnect::maxLatencyS(const std::vector<int>& a, const std::vector<int>& b) const {
    double most = 0;
    if (!anyLatency_) return most;
    if (!isTable_) return quickest_->mostS(network(), a, b);
    for (const int from : a) {
        if (mostFrom_[static_cast<std::size_t>(from)] <= most) continue;
        for (const int to : b) most = std::max(most, latencyS(from, to));
    }
    return most;
}

}  // namespace stagecraft::cost
