#include "views/topology/like_parts.h"

#include "views/topology/switch_rows.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace stagecraft::views::topology {

namespace {

/// Of a number in a key: what is none, by mistake, is like nothing but itself.
std::uint64_t bitsOf(double number) { return std::bit_cast<std::uint64_t>(number); }

std::size_t placeOf(int index) { return static_cast<std::size_t>(index); }

bool isLinkAlike(const Link& a, const Link& b) {
    return bitsOf(a.bandwidthBps) == bitsOf(b.bandwidthBps) && bitsOf(a.latencyS) == bitsOf(b.latencyS) &&
           a.kind == b.kind;
}

bool isDeviceAlike(const Device& a, const Device& b) {
    return bitsOf(a.memoryBytes) == bitsOf(b.memoryBytes) && bitsOf(a.speed) == bitsOf(b.speed) &&
           bitsOf(a.hostBandwidthBps) == bitsOf(b.hostBandwidthBps) && a.gpu == b.gpu;
}

/// Numbers anew, in the order in which they come first. @return how many there are
std::size_t countAnew(std::vector<int>& numbers, const std::vector<int>& order) {
    std::unordered_map<int, int> known;
    for (const int index : order)
        numbers[placeOf(index)] =
            known.try_emplace(numbers[placeOf(index)], static_cast<int>(known.size())).first->second;
    return known.size();
}

std::size_t boxesOf(const std::vector<LikeClass>& classes, std::size_t mostAlike) {
    std::size_t boxes = 0;
    for (const LikeClass& each : classes) {
        const std::size_t members = each.servers.size() + each.switches.size();
        boxes += members > mostAlike ? 1 : members;
    }
    return boxes;
}

}  // namespace

template <std::size_t size>
int PartNumbers<size>::number() {
    constexpr std::size_t multiplier = 0x9E3779B97F4A7C15ull;
    std::sort(parts_.begin(), parts_.end());
    std::size_t hash = std::hash<int>()(own_);
    for (const Part& part : parts_)
        for (const int number : part) hash = (hash ^ static_cast<std::size_t>(number)) * multiplier;
    std::vector<int>& alike = byHash_[hash];
    for (const int known : alike)
        if (const auto& [own, parts] = keys_[placeOf(known)]; own == own_ && parts == parts_) return known;
    alike.push_back(static_cast<int>(keys_.size()));
    keys_.emplace_back(own_, parts_);
    return alike.back();
}

LikeParts::LikeParts(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& layout)
    : graph_(graph), layout_(layout), servers_(layout.servers.size()) {
    links_.reserve(graph.edges.size());
    const Link* last = nullptr;
    for (const ClusterGraph::Edge& edge : graph.edges) {
        const Link& link = cluster.links[placeOf(edge.link)];
        links_.push_back(last && isLinkAlike(link, *last) ? links_.back() : numberOf(link));
        last = &link;
    }
    std::vector<int>& nodes = inside_[0];
    for (const Device& device : cluster.devices) nodes.push_back(numberOf(device));
    for (const NodeRole role : layout.roles) nodes.push_back(-1 - static_cast<int>(role));
    for (std::size_t round = 0; round < insideRounds; ++round) {
        inside_[round + 1].resize(nodes.size());
        for (std::size_t server = 0; server < servers_; ++server)
            refineInside(static_cast<int>(server), round);
    }
    findEnds();
    units_.resize(servers_ + layout.serverOfSwitch.size());
    for (const int unit : all_) numberUnit(unit);
}

std::shared_ptr<const LikeParts> LikeParts::after(const Cluster& before, const Cluster& now) const {
    constexpr std::size_t mostTouched = 64, mostKeys = 4096;
    if (keys() > mostKeys) return nullptr;
    auto result = std::make_shared<LikeParts>(*this);
    std::vector<int> touched;
    now.links.forEachUnshared(before.links, [&](std::size_t first, std::size_t last) {
        auto edge = std::lower_bound(
            graph_.edges.begin(), graph_.edges.end(), first,
            [](const ClusterGraph::Edge& each, std::size_t link) { return placeOf(each.link) < link; });
        for (; edge != graph_.edges.end() && placeOf(edge->link) < last; ++edge) {
            const Link& link = now.links[placeOf(edge->link)];
            if (isLinkAlike(link, before.links[placeOf(edge->link)])) continue;
            result->links_[placeOf(static_cast<int>(edge - graph_.edges.begin()))] = result->numberOf(link);
            for (const ClusterNode node : {edge->a, edge->b}) touched.push_back(unitOf(node));
        }
    });
    now.devices.forEachUnshared(before.devices, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (isDeviceAlike(now.devices[i], before.devices[i])) continue;
            result->inside_[0][i] = result->numberOf(now.devices[i]);
            touched.push_back(layout_.serverOfDevice[i]);
        }
    });
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    if (touched.size() > mostTouched) return nullptr;
    for (std::size_t round = 0; round < insideRounds; ++round)
        for (const int unit : touched)
            if (placeOf(unit) < servers_) result->refineInside(unit, round);
    for (const int unit : touched) result->numberUnit(unit);
    return result;
}

std::vector<LikeClass> LikeParts::classes(std::size_t mostAlike, std::size_t mostBoxes) const {
    constexpr int mostRounds = 8;
    std::vector<int> units = units_;
    std::size_t count = countAnew(units, all_);
    std::vector<LikeClass> result = classesOf(units, count);
    for (int round = 0; round < mostRounds; ++round) {
        const std::size_t finer = refine(units);
        if (finer == count) break;
        count = finer;
        std::vector<LikeClass> classes = classesOf(units, count);
        if (boxesOf(classes, mostAlike) > mostBoxes) break;
        result = std::move(classes);
    }
    return result;
}

std::size_t LikeParts::nodeOf(ClusterNode node) const {
    return node.kind == ClusterNode::Kind::device ? placeOf(node.index)
                                                  : layout_.serverOfDevice.size() + placeOf(node.index);
}

int LikeParts::unitOf(ClusterNode node) const {
    const int server = layout_.server(node);
    return server >= 0 ? server : static_cast<int>(servers_) + node.index;
}

template <class Do>
void LikeParts::forEachNode(int unit, Do act) const {
    if (placeOf(unit) >= servers_)
        return act(ClusterNode{ClusterNode::Kind::switchNode, unit - static_cast<int>(servers_)});
    const ServerBox& server = layout_.servers[placeOf(unit)];
    for (const int device : server.devices) act(ClusterNode{ClusterNode::Kind::device, device});
    for (const int index : server.switches) act(ClusterNode{ClusterNode::Kind::switchNode, index});
}

int LikeParts::numberOf(const Device& device) {
    return deviceKeys_
        .try_emplace(
            {device.gpu, bitsOf(device.memoryBytes), bitsOf(device.speed), bitsOf(device.hostBandwidthBps)},
            static_cast<int>(deviceKeys_.size()))
        .first->second;
}

int LikeParts::numberOf(const Link& link) {
    return linkKeys_
        .try_emplace({link.kind, bitsOf(link.bandwidthBps), bitsOf(link.latencyS)},
                     static_cast<int>(linkKeys_.size()))
        .first->second;
}

/// Of all units, and what these are.
void LikeParts::findEnds() {
    std::vector<int> network;
    for (std::size_t i = 0; i < layout_.serverOfSwitch.size(); ++i)
        if (layout_.serverOfSwitch[i] < 0) network.push_back(static_cast<int>(i));
    const std::vector<int> levels =
        switchLevels(graph_, network, [&](ClusterNode node) { return layout_.server(node) >= 0; });
    levels_.resize(servers_ + layout_.serverOfSwitch.size());
    for (std::size_t server = 0; server < servers_; ++server) all_.push_back(static_cast<int>(server));
    for (std::size_t i = 0; i < network.size(); ++i) {
        all_.push_back(static_cast<int>(servers_) + network[i]);
        levels_[placeOf(all_.back())] = levels[i];
    }
    firstEnd_.resize(levels_.size() + 1);
    auto ends = std::make_shared<std::vector<End>>();
    for (std::size_t unit = 0; unit < levels_.size(); ++unit) {
        firstEnd_[unit] = ends->size();
        if (unit >= servers_ && layout_.serverOfSwitch[unit - servers_] >= 0) continue;
        forEachNode(static_cast<int>(unit), [&](ClusterNode node) {
            for (const int edge : graph_.edgesOf(node))
                if (const int other = unitOf(graph_.other(edge, node)); placeOf(other) != unit)
                    ends->push_back({static_cast<int>(nodeOf(node)), edge, other});
        });
    }
    firstEnd_.back() = ends->size();
    ends_ = std::move(ends);
}

/// From what is known of the nodes of a server after so many rounds.
void LikeParts::refineInside(int server, std::size_t round) {
    PartNumbers<2>& numbers = insideKeys_[round];
    forEachNode(server, [&](ClusterNode node) {
        numbers.begin(inside_[round][nodeOf(node)]);
        for (const int edge : graph_.edgesOf(node))
            if (const ClusterNode end = graph_.other(edge, node); unitOf(end) == server)
                numbers.add({links_[placeOf(edge)], inside_[round][nodeOf(end)]});
        inside_[round + 1][nodeOf(node)] = numbers.number();
    });
}

/// A server by what is inside, a network switch by how far it is from servers; both by their links.
void LikeParts::numberUnit(int unit) {
    const std::vector<int>& nodes = inside_.back();
    const auto forEachEnd = [&](auto act) {
        for (std::size_t i = firstEnd_[placeOf(unit)]; i < firstEnd_[placeOf(unit) + 1]; ++i)
            act((*ends_)[i]);
    };
    if (placeOf(unit) < servers_) {
        unitKeys_.begin(0);
        forEachNode(unit, [&](ClusterNode node) { unitKeys_.add({nodes[nodeOf(node)], -1}); });
        forEachEnd([&](const End& end) {
            unitKeys_.add({nodes[placeOf(end.node)], links_[placeOf(end.edge)]});
        });
    } else {
        // Its own part is below 0: it is no server.
        unitKeys_.begin(-levels_[placeOf(unit)]);
        unitKeys_.add({-1, static_cast<int>(layout_.roles[placeOf(unit) - servers_])});
        std::vector<int> links;
        forEachEnd([&](const End& end) { links.push_back(links_[placeOf(end.edge)]); });
        std::sort(links.begin(), links.end());
        links.erase(std::unique(links.begin(), links.end()), links.end());
        for (const int link : links) unitKeys_.add({0, link});
    }
    units_[placeOf(unit)] = unitKeys_.number();
}

/// That are known: each edit may add some that nothing has any more after the next.
std::size_t LikeParts::keys() const {
    std::size_t count = linkKeys_.size() + deviceKeys_.size() + unitKeys_.count();
    for (const PartNumbers<2>& inside : insideKeys_) count += inside.count();
    return count;
}

std::size_t LikeParts::refine(std::vector<int>& units) const {
    const std::vector<int>& nodes = inside_.back();
    PartNumbers<3> numbers;
    std::vector<int> next(units.size());
    for (const int unit : all_) {
        numbers.begin(units[placeOf(unit)]);
        for (std::size_t i = firstEnd_[placeOf(unit)]; i < firstEnd_[placeOf(unit) + 1]; ++i) {
            const End& end = (*ends_)[i];
            numbers.add({nodes[placeOf(end.node)], links_[placeOf(end.edge)], units[placeOf(end.other)]});
        }
        next[placeOf(unit)] = numbers.number();
    }
    units = std::move(next);
    return numbers.count();
}

std::vector<LikeClass> LikeParts::classesOf(const std::vector<int>& units, std::size_t count) const {
    std::vector<LikeClass> result(count);
    for (const int unit : all_) {
        LikeClass& own = result[placeOf(units[placeOf(unit)])];
        if (placeOf(unit) < servers_)
            own.servers.push_back(unit);
        else
            own.switches.push_back(unit - static_cast<int>(servers_));
    }
    return result;
}

std::vector<LikeClass> likeClasses(const Cluster& cluster, const ClusterGraph& graph,
                                   const TopologyLayout& layout, std::size_t mostAlike,
                                   std::size_t mostBoxes) {
    return LikeParts(cluster, graph, layout).classes(mostAlike, mostBoxes);
}

}  // namespace stagecraft::views::topology
