#include "views/topology/like_parts.h"

#include "views/topology/switch_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace stagecraft::views::topology {

namespace {

/// Of a number in a key: what is none, by mistake, is like nothing but itself.
using Bits = std::uint64_t;
Bits bitsOf(double number) { return std::bit_cast<Bits>(number); }

/// Equal keys have the same number, counted in the order in which they come first.
template <class Key>
class KeyNumbers {
public:
    int of(const Key& key) { return known_.try_emplace(key, static_cast<int>(known_.size())).first->second; }

private:
    std::map<Key, int> known_;
};

/// The same of a number and parts in any order, of which very many are asked for and few differ. A part is a
/// tuple of numbers.
template <std::size_t size>
class PartNumbers {
public:
    using Part = std::array<int, size>;

    void begin(int own) {
        parts_.clear();
        own_ = own;
    }
    void add(const Part& part) { parts_.push_back(part); }
    int number() {
        std::sort(parts_.begin(), parts_.end());
        std::size_t hash = std::hash<int>()(own_);
        for (const Part& part : parts_)
            for (const int number : part) hash = (hash ^ static_cast<std::size_t>(number)) * multiplier;
        std::vector<int>& alike = byHash_[hash];
        for (const int known : alike)
            if (const auto& [own, parts] = keys_[static_cast<std::size_t>(known)];
                own == own_ && parts == parts_)
                return known;
        alike.push_back(static_cast<int>(keys_.size()));
        keys_.emplace_back(own_, parts_);
        return alike.back();
    }
    std::size_t count() const { return keys_.size(); }

private:
    static constexpr std::size_t multiplier = 0x9E3779B97F4A7C15ull;

    int own_ = 0;
    std::vector<Part> parts_;
    std::vector<std::pair<int, std::vector<Part>>> keys_;  ///< by number
    std::unordered_map<std::size_t, std::vector<int>> byHash_;
};

/// Colour refinement, first of what is in each server, then of servers and network switches.
class LikeParts {
public:
    LikeParts(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& layout)
        : graph_(graph), layout_(layout), servers_(layout.servers.size()) {
        KeyNumbers<std::tuple<std::string_view, Bits, Bits>> links;
        linkNumbers_.reserve(graph.edges.size());
        for (const ClusterGraph::Edge& edge : graph.edges) {
            const Link& link = cluster.links[static_cast<std::size_t>(edge.link)];
            linkNumbers_.push_back(links.of({link.kind, bitsOf(link.bandwidthBps), bitsOf(link.latencyS)}));
        }
        numberNodes(cluster);
        for (int round = 0; round < insideRounds; ++round) refineInside();
        numberUnits();
    }

    /// Tells units apart by one step more. @return whether that made any difference
    bool refine() {
        PartNumbers<3> numbers;
        std::vector<int> next(units_.size());
        for (const int unit : all_) {
            numbers.begin(units_[at(unit)]);
            forEachEnd(unit, [&](ClusterNode own, int edge, int other) {
                numbers.add({numberOf(own), linkNumbers_[at(edge)], units_[at(other)]});
            });
            next[at(unit)] = numbers.number();
        }
        const bool differs = numbers.count() > count_;
        units_ = std::move(next);
        count_ = numbers.count();
        return differs;
    }

    std::vector<LikeClass> classes() const {
        std::vector<LikeClass> result(count_);
        for (const int unit : all_) {
            LikeClass& own = result[at(units_[at(unit)])];
            if (at(unit) < servers_)
                own.servers.push_back(unit);
            else
                own.switches.push_back(unit - static_cast<int>(servers_));
        }
        return result;
    }

private:
    static constexpr int insideRounds = 3;  // a GPU knows its PCIe switch, its socket, and the cards of both
    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    int& numberOf(ClusterNode node) {
        return (node.kind == ClusterNode::Kind::device ? devices_ : switches_)[at(node.index)];
    }
    int unitOf(ClusterNode node) const {
        const int server = layout_.server(node);
        return server >= 0 ? server : static_cast<int>(servers_) + node.index;
    }

    template <class Do>
    void forEachNode(int unit, Do act) const {
        if (at(unit) >= servers_)
            return act(ClusterNode{ClusterNode::Kind::switchNode, unit - static_cast<int>(servers_)});
        const ServerBox& server = layout_.servers[at(unit)];
        for (const int device : server.devices) act(ClusterNode{ClusterNode::Kind::device, device});
        for (const int index : server.switches) act(ClusterNode{ClusterNode::Kind::switchNode, index});
    }
    /// Of the links that leave a unit: the own node, the edge, the unit at the other end.
    template <class Do>
    void forEachEnd(int unit, Do act) const {
        forEachNode(unit, [&](ClusterNode node) {
            for (const int edge : graph_.edgesOf(node))
                if (const int other = unitOf(graph_.other(edge, node)); other != unit) act(node, edge, other);
        });
    }

    void numberNodes(const Cluster& cluster) {
        KeyNumbers<std::tuple<int, std::string_view, Bits, Bits, Bits>> numbers;
        for (const Device& device : cluster.devices)
            devices_.push_back(numbers.of({-1, device.gpu, bitsOf(device.memoryBytes), bitsOf(device.speed),
                                           bitsOf(device.hostBandwidthBps)}));
        for (const NodeRole role : layout_.roles)
            switches_.push_back(numbers.of({static_cast<int>(role), {}, 0, 0, 0}));
    }

    void refineInside() {
        PartNumbers<2> numbers;
        std::vector<int> devices(devices_.size()), switches(switches_.size());
        for (std::size_t unit = 0; unit < servers_; ++unit)
            forEachNode(static_cast<int>(unit), [&](ClusterNode node) {
                numbers.begin(numberOf(node));
                for (const int edge : graph_.edgesOf(node))
                    if (const ClusterNode end = graph_.other(edge, node);
                        unitOf(end) == static_cast<int>(unit))
                        numbers.add({linkNumbers_[at(edge)], numberOf(end)});
                (node.kind == ClusterNode::Kind::device ? devices : switches)[at(node.index)] =
                    numbers.number();
            });
        devices_ = std::move(devices);
        switches_ = std::move(switches);
    }

    /// Servers by what is inside, network switches by how far they are from servers; both by their links.
    void numberUnits() {
        std::vector<int> network;
        for (std::size_t i = 0; i < layout_.serverOfSwitch.size(); ++i)
            if (layout_.serverOfSwitch[i] < 0) network.push_back(static_cast<int>(i));
        const std::vector<int> levels =
            switchLevels(graph_, network, [&](ClusterNode node) { return layout_.server(node) >= 0; });
        units_.resize(servers_ + layout_.serverOfSwitch.size());
        // Servers come first, and network switches, whose own part is below 0, are none of them.
        PartNumbers<2> numbers;
        for (std::size_t server = 0; server < servers_; ++server) {
            const int unit = static_cast<int>(server);
            numbers.begin(0);
            forEachNode(unit, [&](ClusterNode node) { numbers.add({numberOf(node), -1}); });
            forEachEnd(unit, [&](ClusterNode own, int edge, int) {
                numbers.add({numberOf(own), linkNumbers_[at(edge)]});
            });
            all_.push_back(unit);
            units_[server] = numbers.number();
        }
        for (std::size_t i = 0; i < network.size(); ++i) {
            const int unit = static_cast<int>(servers_) + network[i];
            std::set<int> links;
            forEachEnd(unit, [&](ClusterNode, int edge, int) { links.insert(linkNumbers_[at(edge)]); });
            numbers.begin(-levels[i]);
            numbers.add({-1, static_cast<int>(layout_.roles[at(network[i])])});
            for (const int link : links) numbers.add({0, link});
            all_.push_back(unit);
            units_[at(unit)] = numbers.number();
        }
        count_ = numbers.count();
    }

    const ClusterGraph& graph_;
    const TopologyLayout& layout_;
    std::size_t servers_;
    std::vector<int> linkNumbers_;         ///< by index into ClusterGraph::edges
    std::vector<int> devices_, switches_;  ///< numbers, of those in servers
    std::vector<int> all_;                 ///< units: servers, then their number + a network switch's index
    std::vector<int> units_;               ///< numbers, by unit
    std::size_t count_ = 0;
};

std::size_t boxesOf(const std::vector<LikeClass>& classes, std::size_t mostAlike) {
    std::size_t boxes = 0;
    for (const LikeClass& each : classes) {
        const std::size_t members = each.servers.size() + each.switches.size();
        boxes += members > mostAlike ? 1 : members;
    }
    return boxes;
}

}  // namespace

std::vector<LikeClass> likeClasses(const Cluster& cluster, const ClusterGraph& graph,
                                   const TopologyLayout& layout, std::size_t mostAlike,
                                   std::size_t mostBoxes) {
    constexpr int mostRounds = 8;
    LikeParts parts(cluster, graph, layout);
    std::vector<LikeClass> classes = parts.classes();
    for (int round = 0; round < mostRounds && parts.refine(); ++round) {
        std::vector<LikeClass> finer = parts.classes();
        if (boxesOf(finer, mostAlike) > mostBoxes) break;
        classes = std::move(finer);
    }
    return classes;
}

}  // namespace stagecraft::views::topology
