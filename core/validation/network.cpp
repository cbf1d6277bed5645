#include "core/validation/network.h"

#include "core/base/indices.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace stagecraft::validation {

/// What is found from a device is found anew once so much is kept.
static constexpr std::size_t mostNodesKept = 4'000'000;

WidestTree::WidestTree(int nodes, std::vector<Edge> edges)
    : parent_(at(nodes), -1), widthBps_(at(nodes), infinity), size_(at(nodes), 1), up_(at(nodes)) {
    for (int node = 0; node < nodes; ++node) up_[at(node)] = node;
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.widthBps > b.widthBps; });
    int firstOfWidth = nodes;
    for (std::size_t i = 0; i < edges.size() && edges[i].widthBps > 0; ++i) {
        if (i > 0 && edges[i].widthBps < edges[i - 1].widthBps)
            firstOfWidth = static_cast<int>(parent_.size());
        const int a = topOf(edges[i].a), b = topOf(edges[i].b);
        if (a != b) join(a, b, firstOfWidth, edges[i].widthBps);
    }
    // A join comes after the given nodes, but not after all joins below it.
    depth_.assign(parent_.size(), -1);
    std::vector<int> way;
    for (int node = 0; node < static_cast<int>(parent_.size()); ++node) {
        int top = node;
        for (; top >= 0 && depth_[at(top)] < 0; top = parent_[at(top)]) way.push_back(top);
        for (int depth = top < 0 ? 0 : depth_[at(top)] + 1; !way.empty(); ++depth, way.pop_back())
            depth_[at(way.back())] = depth;
    }
    up_.clear();
}

int WidestTree::topOf(int node) {
    while (up_[at(node)] != node) {
        up_[at(node)] = up_[at(up_[at(node)])];
        node = up_[at(node)];
    }
    return node;
}

/// Two tops, by an edge of that width. What was joined by one of the same width is joined further and not
/// anew, so that the tree is about as high as there are widths.
void WidestTree::join(int a, int b, int firstOfWidth, double widthBps) {
    if (a >= firstOfWidth && b >= firstOfWidth && size_[at(a)] < size_[at(b)]) std::swap(a, b);
    if (a < firstOfWidth) std::swap(a, b);
    if (a < firstOfWidth) {
        const int joint = static_cast<int>(parent_.size());
        parent_.push_back(-1);
        widthBps_.push_back(widthBps);
        size_.push_back(size_[at(a)]);
        up_.push_back(joint);
        parent_[at(a)] = up_[at(a)] = joint;
        a = joint;
    }
    parent_[at(b)] = up_[at(b)] = a;
    size_[at(a)] += size_[at(b)];
}

double WidestTree::between(int a, int b) const {
    while (a != b) {
        if (depth_[at(a)] < depth_[at(b)]) std::swap(a, b);
        a = parent_[at(a)];
        if (a < 0) return 0;
    }
    return widthBps_[at(a)];
}

std::vector<int> WidestTree::joinsOver(int node) const {
    std::vector<int> joins;
    for (; node >= 0; node = parent_[at(node)]) joins.push_back(node);
    return joins;
}

bool WidestTree::isBelow(int node, int join) const {
    while (depth_[at(node)] > depth_[at(join)]) node = parent_[at(node)];
    return node == join;
}

Network::Network(const Cluster& cluster)
    : devices_(cluster.deviceCount()),
      nodes_(devices_ + static_cast<int>(cluster.switches.size())),
      hops_(at(nodes_)),
      devicesAt_(at(devices_)),
      switchesAt_(at(devices_)) {
    addLinks(cluster);
    addDoors(cluster);
    addWires();
    std::vector<WidestTree::Edge> edges;
    for (int node = 0; node < nodes_; ++node)
        for (const Hop& hop : hops_[at(node)]) {
            if (node >= devices_ && hop.node > node)
                edges.push_back({node - devices_, hop.node - devices_, hop.widthBps});
            if (node < devices_)
                (hop.node < devices_ ? devicesAt_ : switchesAt_)[at(node)].push_back(
                    {hop.node, hop.widthBps});
        }
    switches_ = WidestTree(nodes_ - devices_, std::move(edges));
    for (auto* ends : {&devicesAt_, &switchesAt_})
        for (std::vector<End>& own : *ends) {
            std::sort(own.begin(), own.end(), [](const End& a, const End& b) {
                return a.node != b.node ? a.node < b.node : a.widthBps > b.widthBps;
            });
            own.erase(std::unique(own.begin(), own.end(),
                                  [](const End& a, const End& b) { return a.node == b.node; }),
                      own.end());
        }
}

bool Network::hangOnSummingSwitch(const std::vector<int>& devices) const {
    return std::ranges::any_of(summing_, [&](int node) {
        return std::ranges::all_of(devices, [&](int device) {
            return std::ranges::any_of(hops_[at(device)], [&](const Hop& hop) { return hop.node == node; });
        });
    });
}

void Network::addDoors(const Cluster& cluster) {
    std::map<std::string, std::string> homeOf;  // of devices and switches by name, empty for those outside
    for (const Switch& joint : cluster.switches) homeOf[joint.id] = joint.server;
    for (const Device& device : cluster.devices) {
        homes_.push_back(device.server);
        ++doors_[device.server].devices;
    }
    std::set<std::string> outside;
    for (const Switch& joint : cluster.switches)
        if (joint.server.empty()) outside.insert(joint.id);
    for (const Device& device : cluster.devices) homeOf[device.id] = device.server;
    narrowestOutside_ = infinity;
    for (const Link& link : cluster.links) {
        if (!(link.bandwidthBps > 0)) continue;
        const bool fromOutside = outside.contains(link.a), toOutside = outside.contains(link.b);
        if (fromOutside && toOutside) narrowestOutside_ = std::min(narrowestOutside_, link.bandwidthBps);
        if (fromOutside == toOutside) continue;
        const auto home = homeOf.find(fromOutside ? link.b : link.a);
        if (home == homeOf.end() || !doors_.contains(home->second)) continue;
        Doors& doors = doors_[home->second];
        doors.widthBps += link.bandwidthBps;
        doors.to.insert(fromOutside ? link.a : link.b);
    }
}

double Network::roundTogether(const std::vector<int>& devices) const {
    const double single = narrowest(devices, devices);
    std::map<std::string, std::vector<int>> atHome;
    for (const int device : devices) atHome[homes_[at(device)]].push_back(device);
    if (atHome.size() < 2 || atHome.contains("")) return single;
    double together = infinity;
    const std::set<std::string>& to = doors_.at(atHome.begin()->first).to;
    for (const auto& [home, own] : atHome) {
        if (own.size() < 2) return single;
        const Doors& doors = doors_.at(home);
        const double part = std::min(single, doors.widthBps / doors.devices);
        together = std::min({together, static_cast<double>(own.size()) * part, narrowest(own, own)});
        if (doors.to != to) together = std::min(together, narrowestOutside_);
    }
    return std::max(single, together);
}

void Network::addWires() {
    wires_.resize(at(devices_));
    for (int device = 0; device < devices_; ++device)
        for (const Hop& hop : hops_[at(device)])
            if (hop.node < devices_ && hop.node != device && hop.widthBps > 0 &&
                !homes_[at(device)].empty() && homes_[at(device)] == homes_[at(hop.node)])
                wires_[at(device)][hop.node].push_back(hop);
}

double Network::wireWidth(int a, int b) const {
    const auto wires = wires_[at(a)].find(b);
    if (wires == wires_[at(a)].end()) return 0;
    double width = 0;
    for (const Hop& hop : wires->second) width += hop.widthBps;
    return width;
}

std::vector<RingRate> Network::laid(const std::vector<int>& devices, bool sumAlone) const {
    constexpr std::size_t few = 8;
    const std::size_t count = devices.size();
    if (count < 2 || std::ranges::any_of(devices, [this](int each) { return wires_[at(each)].empty(); }))
        return {};
    if (count > few) {
        RingRate ring{{}, infinity};
        for (std::size_t place = 0; place < count; ++place) {
            ring.order.push_back(static_cast<int>(place));
            ring.widthBps = std::min(ring.widthBps, wireWidth(devices[place], devices[(place + 1) % count]));
        }
        return {ring};
    }
    std::vector<std::vector<double>> widths(count, std::vector<double>(count, 0));
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b < count; ++b)
            if (a != b) widths[a][b] = wireWidth(devices[a], devices[b]);
    const auto [found, isNew] = rings_[sumAlone ? 1 : 0].try_emplace(widths);
    if (isNew) found->second = ringRates(widths, sumAlone);
    return found->second;
}

double Network::laidTogether(const std::vector<int>& devices) const {
    constexpr double rounding = 1e-9;
    double together = 0;
    for (const RingRate& ring : laid(devices, true)) together += 2 * ring.widthBps;
    return together > roundTogether(devices) * (1 + rounding) ? together : 0;
}

std::map<int, double> Network::laidWays(const std::vector<int>& devices, double bytes) const {
    const std::vector<RingRate> rings = laid(devices, false);
    double together = 0;
    for (const RingRate& ring : rings) together += 2 * ring.widthBps;
    std::map<int, double> ways;
    for (const RingRate& ring : rings)
        for (std::size_t place = 0; place < ring.order.size(); ++place) {
            const int a = devices[at(ring.order[place])],
                      b = devices[at(ring.order[(place + 1) % ring.order.size()])];
            for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
                for (const Hop& hop : wires_[at(from)].at(to))
                    ways[hop.way] += bytes * ring.widthBps / together * (hop.widthBps / wireWidth(from, to));
        }
    return ways;
}

std::vector<std::vector<int>> Network::ordersTogether(const std::vector<int>& devices) const {
    if (!(roundTogether(devices) > narrowest(devices, devices))) return {devices};
    std::vector<int> left = devices;
    std::vector<std::vector<int>> servers;
    while (!left.empty()) {
        const std::string home = homes_[at(*std::ranges::min_element(left))];
        const auto others = std::stable_partition(left.begin(), left.end(),
                                                  [&](int device) { return homes_[at(device)] == home; });
        servers.emplace_back(left.begin(), others);
        left.erase(left.begin(), others);
    }
    const std::size_t count =
        std::ranges::min_element(servers, {}, [](const auto& own) { return own.size(); })->size();
    std::vector<std::vector<int>> orders;
    for (std::size_t each = 0; each < count; ++each) {
        std::vector<int>& order = orders.emplace_back();
        for (std::vector<int>& own : servers) {
            order.insert(order.end(), own.begin(), own.end());
            std::rotate(own.begin(), own.begin() + 1, own.end());
        }
    }
    return orders;
}

void Network::addLinks(const Cluster& cluster) {
    for (int i = devices_; i < nodes_; ++i)
        if (cluster.switches[at(i - devices_)].sums) summing_.push_back(i);
    std::map<std::string, int> nodeOf;
    for (const Device& device : cluster.devices) nodeOf.emplace(device.id, static_cast<int>(nodeOf.size()));
    for (int i = devices_; i < nodes_; ++i) nodeOf.emplace(cluster.switches[at(i - devices_)].id, i);
    for (int index = 0; index < static_cast<int>(cluster.links.size()); ++index) {
        const Link& link = cluster.links[at(index)];
        const auto a = nodeOf.find(link.a);
        const auto b = nodeOf.find(link.b);
        if (a == nodeOf.end() || b == nodeOf.end()) continue;  // whyUnplannable() names it
        hops_[at(a->second)].push_back({b->second, link.bandwidthBps, link.latencyS, 2 * index});
        hops_[at(b->second)].push_back({a->second, link.bandwidthBps, link.latencyS, 2 * index + 1});
        hasLatency_ = hasLatency_ || link.latencyS > 0;
    }
}

/// By a link of their own, or by one switch of each and what is between those.
double Network::widthThroughSwitches(int a, int b) const {
    const std::vector<End>& linked = devicesAt_[at(a)];
    const auto direct = std::lower_bound(linked.begin(), linked.end(), End{b, 0});
    double width = direct != linked.end() && direct->node == b ? std::max(direct->widthBps, 0.0) : 0;
    for (const End& from : switchesAt_[at(a)])
        for (const End& to : switchesAt_[at(b)])
            if (const double ends = std::min(from.widthBps, to.widthBps); ends > width)
                width = std::max(width,
                                 std::min(ends, switches_.between(from.node - devices_, to.node - devices_)));
    return width;
}

const WidestTree& Network::ofAll() const {
    if (!all_) {
        std::vector<WidestTree::Edge> edges;
        for (int node = 0; node < nodes_; ++node)
            for (const Hop& hop : hops_[at(node)])
                if (hop.node > node) edges.push_back({node, hop.node, hop.widthBps});
        all_.emplace(nodes_, std::move(edges));
    }
    return *all_;
}

double Network::widthThroughAll(int a, int b) const { return ofAll().between(a, b); }

std::vector<double> Network::latenciesFrom(int source, double minWidth, bool throughDevices) const {
    std::vector<double> best(at(nodes_), infinity);
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    best[at(source)] = 0;
    open.push({0, source});
    while (!open.empty()) {
        const auto [soFar, node] = open.top();
        open.pop();
        if (soFar > best[at(node)]) continue;
        if (node != source && node < devices_ && !throughDevices) continue;
        for (const Hop& hop : hops_[at(node)]) {
            double& known = best[at(hop.node)];
            if (hop.widthBps < minWidth || soFar + hop.latencyS >= known) continue;
            known = soFar + hop.latencyS;
            open.push({known, hop.node});
        }
    }
    return best;
}

/// Level by level of the number of links: no path has more of them than there are nodes.
std::vector<Network::Reach> Network::reachFrom(int source, double minWidth, bool throughDevices) const {
    std::vector<Reach> best(at(nodes_), {infinity, 0});
    best[at(source)] = {};
    std::vector<int> changed{source};
    while (!changed.empty()) {
        std::vector<int> next;
        for (const int node : changed) {
            if (node != source && node < devices_ && !throughDevices) continue;
            for (const Hop& hop : hops_[at(node)]) {
                const Reach through{best[at(node)].latencyS + hop.latencyS, best[at(node)].links + 1};
                if (hop.widthBps < minWidth || !(hop.widthBps > 0) || through >= best[at(hop.node)]) continue;
                best[at(hop.node)] = through;
                next.push_back(hop.node);
            }
        }
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
        changed = std::move(next);
    }
    return best;
}

std::vector<int> Network::route(int from, int to) const {
    double leastBps = widthThroughSwitches(from, to);
    const bool throughDevices = !(leastBps > 0);
    if (throughDevices) leastBps = widthThroughAll(from, to);
    if (from == to || !(leastBps > 0)) return {};
    auto& cache = reaches_[throughDevices ? 1 : 0];
    if (cache.size() * at(nodes_) > mostNodesKept) cache.clear();
    auto found = cache.find({from, leastBps});
    if (found == cache.end())
        found = cache.emplace(std::pair{from, leastBps}, reachFrom(from, leastBps, throughDevices)).first;
    const std::vector<Reach>& reach = found->second;
    std::vector<int> ways, nodes{to};
    for (int node = to; node != from;) {
        const Hop* best = nullptr;
        for (const Hop& hop : hops_[at(node)]) {
            const bool forwards = hop.node == from || hop.node >= devices_ || throughDevices;
            const Reach& before = reach[at(hop.node)];
            if (!forwards || hop.widthBps < leastBps ||
                Reach{before.latencyS + hop.latencyS, before.links + 1} != reach[at(node)])
                continue;
            const auto isBetter = [&](const Hop& other) {
                const Reach& known = reach[at(other.node)];
                return before != known          ? before < known
                       : hop.node != other.node ? hop.node < other.node
                                                : hop.way / 2 < other.way / 2;
            };
            if (!best || isBetter(*best)) best = &hop;
        }
        ways.push_back(best->way ^ 1);
        node = best->node;
        nodes.push_back(node);
    }
    // A device's way leads to its switch, over a card and on.
    const std::size_t steps = ways.size();
    bool isTaken = false;
    if (steps >= 4)
        if (const auto own = cardInTurn(from, nodes[steps - 1], nodes[steps - 2], nodes[steps - 3])) {
            ways[steps - 2] = own->toCard;
            ways[steps - 3] = own->fromCard;
            isTaken = true;
        }
    if (steps >= (isTaken ? 6 : 4))
        if (const auto own = cardInTurn(to, nodes[1], nodes[2], nodes[3])) {
            ways[1] = own->toCard ^ 1;
            ways[2] = own->fromCard ^ 1;
        }
    return ways;
}

std::optional<Network::Card> Network::cardInTurn(int device, int joint, int card, int beyond) const {
    if (joint < devices_ || beyond < devices_ || card < devices_) return std::nullopt;
    const auto linksOf = [this](int node) {
        std::vector<Hop> links;
        for (const Hop& hop : hops_[at(node)])
            if (hop.widthBps > 0 && hop.node != node) links.push_back(hop);
        return links;
    };
    const auto between = [&](int node) -> std::optional<std::pair<Hop, Hop>> {
        if (node < devices_) return std::nullopt;
        const std::vector<Hop> links = linksOf(node);
        if (links.size() != 2) return std::nullopt;
        if (links[0].node == joint && links[1].node == beyond) return std::pair{links[0], links[1]};
        if (links[1].node == joint && links[0].node == beyond) return std::pair{links[1], links[0]};
        return std::nullopt;
    };
    const auto taken = between(card);
    if (!taken || joint == beyond) return std::nullopt;
    const auto isEqual = [](const Hop& a, const Hop& b) {
        return a.widthBps == b.widthBps && a.latencyS == b.latencyS;
    };
    std::set<int> below;
    std::map<int, Card> cards;
    for (const Hop& hop : hops_[at(joint)]) {
        if (hop.node < devices_ && hop.widthBps > 0) below.insert(hop.node);
        const auto other = between(hop.node);
        if (other && isEqual(other->first, taken->first) && isEqual(other->second, taken->second))
            cards[hop.node] = {other->first.way ^ 1, other->second.way};
    }
    if (cards.size() < 2) return std::nullopt;
    const auto before = std::distance(below.begin(), below.find(device));
    return std::next(cards.begin(), before % static_cast<std::ptrdiff_t>(cards.size()))->second;
}

/// Switches alone first; only pairs that these leave apart use devices as stepping stones.
double Network::width(int a, int b) const {
    const double width = widthThroughSwitches(a, b);
    return width > 0 ? width : widthThroughAll(a, b);
}

double Network::latency(int a, int b) const {
    if (!hasLatency_) return 0;
    double width = widthThroughSwitches(a, b);
    const bool throughDevices = !(width > 0);
    if (throughDevices) width = widthThroughAll(a, b);
    auto& cache = latencies_[throughDevices ? 1 : 0];
    if (cache.size() * at(nodes_) > mostNodesKept) cache.clear();
    auto found = cache.find({a, width});
    if (found == cache.end())
        found = cache.emplace(std::pair{a, width}, latenciesFrom(a, width, throughDevices)).first;
    return found->second[at(b)];
}

double Network::provenThroughSwitches(const std::vector<int>& a, const std::vector<int>& b) const {
    double proven = 0;
    for (const End& first : switchesAt_[at(a.front())])
        for (const int join : switches_.joinsOver(first.node - devices_)) {
            double least = switches_.widthOf(join);
            for (const std::vector<int>* devices : {&a, &b})
                for (const int device : *devices) {
                    if (least <= proven) break;
                    double widest = 0;
                    for (const End& end : switchesAt_[at(device)])
                        if (end.widthBps > widest && switches_.isBelow(end.node - devices_, join))
                            widest = end.widthBps;
                    least = std::min(least, widest);
                }
            proven = std::max(proven, least);
        }
    return proven;
}

/// Of devices that only devices join. What have a link of their own are as far apart as that is wide.
double Network::provenThroughAll(const std::vector<int>& a, const std::vector<int>& b) const {
    const auto hasSwitch = [this](int device) { return !switchesAt_[at(device)].empty(); };
    if (std::ranges::any_of(a, hasSwitch)) return 0;
    double least = infinity;
    for (const int device : a)
        for (const End& end : devicesAt_[at(device)]) least = std::min(least, end.widthBps);
    for (const int join : ofAll().joinsOver(a.front())) {
        const auto isBelow = [&](int device) { return ofAll().isBelow(device, join); };
        if (std::ranges::all_of(a, isBelow) && std::ranges::all_of(b, isBelow))
            return std::min(least, ofAll().widthOf(join));
    }
    return 0;
}

double Network::provenWidth(const std::vector<int>& a, const std::vector<int>& b) const {
    return std::max(provenThroughSwitches(a, b), provenThroughAll(a, b));
}

/// Of large sets one pair that is no wider than all are proven to be is enough.
double Network::narrowest(const std::vector<int>& a, const std::vector<int>& b) const {
    constexpr std::size_t fewPairs = 64;
    const double proven = a.size() * b.size() > fewPairs ? provenWidth(a, b) : 0;
    double least = infinity;
    for (const int one : a)
        for (const int other : b) {
            if (one != other) least = std::min(least, width(one, other));
            if (least <= proven) return least;
        }
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
