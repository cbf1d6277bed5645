#include "views/topology/like_parts.h"

#include "views/topology/switch_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace stagecraft::views::topology {

namespace {

/// Equal keys have the same number, counted in the order in which they come first.
template <class Key>
class KeyNumbers {
public:
    int of(const Key& key) { return known_.try_emplace(key, static_cast<int>(known_.size())).first->second; }
    std::size_t count() const { return known_.size(); }

private:
    std::map<Key, int> known_;
};

/// Colour refinement, first of what is in each server, then of servers and network switches.
class LikeParts {
public:
    LikeParts(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& layout)
        : graph_(graph), layout_(layout), servers_(layout.servers.size()) {
        KeyNumbers<std::tuple<std::string, double, double>> links;
        for (const ClusterGraph::Edge& edge : graph.edges) {
            const Link& link = cluster.links[static_cast<std::size_t>(edge.link)];
            linkNumbers_.push_back(links.of({link.kind, link.bandwidthBps, link.latencyS}));
        }
        numberNodes(cluster);
        for (int round = 0; round < insideRounds; ++round) refineInside();
        numberUnits();
    }

    /// Tells units apart by one step more. @return whether that made any difference
    bool refine() {
        KeyNumbers<std::vector<int>> numbers;
        std::vector<int> next(units_.size());
        for (const int unit : all_) {
            std::vector<std::vector<int>> ends;
            forEachEnd(unit, [&](ClusterNode own, int edge, int other) {
                ends.push_back({numberOf(own), linkNumbers_[at(edge)], units_[at(other)]});
            });
            next[at(unit)] = numbers.of(keyOf(units_[at(unit)], ends));
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
    static std::vector<int> keyOf(int own, std::vector<std::vector<int>>& parts) {
        std::sort(parts.begin(), parts.end());
        std::vector<int> key = {own};
        for (const std::vector<int>& part : parts) key.insert(key.end(), part.begin(), part.end());
        return key;
    }
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
        KeyNumbers<std::tuple<int, std::string, double, double, double>> numbers;
        for (const Device& device : cluster.devices)
            devices_.push_back(
                numbers.of({-1, device.gpu, device.memoryBytes, device.speed, device.hostBandwidthBps}));
        for (const NodeRole role : layout_.roles)
            switches_.push_back(numbers.of({static_cast<int>(role), {}, 0, 0, 0}));
    }

    void refineInside() {
        KeyNumbers<std::vector<int>> numbers;
        std::vector<int> devices(devices_.size()), switches(switches_.size());
        for (std::size_t unit = 0; unit < servers_; ++unit)
            forEachNode(static_cast<int>(unit), [&](ClusterNode node) {
                std::vector<std::vector<int>> ends;
                for (const int edge : graph_.edgesOf(node))
                    if (const ClusterNode end = graph_.other(edge, node);
                        unitOf(end) == static_cast<int>(unit))
                        ends.push_back({linkNumbers_[at(edge)], numberOf(end)});
                const int number = numbers.of(keyOf(numberOf(node), ends));
                (node.kind == ClusterNode::Kind::device ? devices : switches)[at(node.index)] = number;
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
        KeyNumbers<std::vector<int>> numbers;
        for (std::size_t server = 0; server < servers_; ++server) {
            std::vector<std::vector<int>> parts;
            const int unit = static_cast<int>(server);
            forEachNode(unit, [&](ClusterNode node) { parts.push_back({numberOf(node), -1}); });
            forEachEnd(unit, [&](ClusterNode own, int edge, int) {
                parts.push_back({numberOf(own), linkNumbers_[at(edge)]});
            });
            all_.push_back(unit);
            units_[server] = numbers.of(keyOf(0, parts));
        }
        for (std::size_t i = 0; i < network.size(); ++i) {
            const int unit = static_cast<int>(servers_) + network[i];
            std::set<int> links;
            forEachEnd(unit, [&](ClusterNode, int edge, int) { links.insert(linkNumbers_[at(edge)]); });
            std::vector<int> key = {-levels[i], static_cast<int>(layout_.roles[at(network[i])])};
            key.insert(key.end(), links.begin(), links.end());
            all_.push_back(unit);
            units_[at(unit)] = numbers.of(key);
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
