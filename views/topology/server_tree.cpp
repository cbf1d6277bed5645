#include "views/topology/server_tree.h"

#include <algorithm>
#include <limits>
#include <map>

namespace stagecraft::views::topology {

namespace {

constexpr int noDevice = std::numeric_limits<int>::max();

}  // namespace

ServerTree::ServerTree(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout, int server,
                       bool isOpen)
    : cluster_(cluster),
      graph_(graph),
      layout_(layout),
      box_(layout.servers[static_cast<std::size_t>(server)]),
      server_(server),
      isOpen_(isOpen) {
    addUnits();
    join();
    reached_.assign(units.size(), false);
    std::vector<int> sockets;
    for (std::size_t i = 0; i < units.size(); ++i)
        if (forwards(static_cast<int>(i)) &&
            layout.roles[static_cast<std::size_t>(units[i].members.front())] == NodeRole::socket)
            sockets.push_back(static_cast<int>(i));
    growFrom(sockets);
    for (int root = bestRoot(); root >= 0; root = bestRoot()) growFrom({root});
    for (std::size_t i = 0; i < units.size(); ++i)
        if (!reached_[i] && units[i].kind == ServerUnit::Kind::device) loose.push_back(static_cast<int>(i));
    for (const int root : roots) settle(root, 0);
    std::stable_sort(roots.begin(), roots.end(), [&](int a, int b) {
        return units[static_cast<std::size_t>(a)].lowestDevice <
               units[static_cast<std::size_t>(b)].lowestDevice;
    });
}

/// Whether one has a place given that the other has not.
bool ServerTree::liesApart(int a, int b) const {
    const auto place = [&](int index) {
        return cluster_.layout.find(cluster_.switches[static_cast<std::size_t>(index)].id);
    };
    const auto first = place(a), second = place(b);
    if (first == cluster_.layout.end() || second == cluster_.layout.end()) return first != second;
    return !(first->second == second->second);
}

void ServerTree::addUnits() {
    for (const int device : box_.devices)
        units.push_back({ServerUnit::Kind::device, {device}, 0, device, {}});
    // A port whose only link inside leads to a card is drawn with it.
    std::map<int, int> cardOf;
    const auto isNic = [&](int index) {
        return layout_.roles[static_cast<std::size_t>(index)] == NodeRole::nic;
    };
    for (const int index : box_.switches) {
        if (!isNic(index)) continue;
        const ClusterNode self{ClusterNode::Kind::switchNode, index};
        std::vector<ClusterNode> inside;
        for (const int edge : graph_.edgesOf(self))
            if (layout_.server(graph_.other(edge, self)) == server_)
                inside.push_back(graph_.other(edge, self));
        if (inside.size() == 1 && inside[0].kind == ClusterNode::Kind::switchNode && isNic(inside[0].index) &&
            !cardOf.contains(inside[0].index) && !liesApart(index, inside[0].index))
            cardOf[index] = inside[0].index;
    }
    std::vector<ServerUnit> cards;
    for (const int index : box_.switches) {
        const NodeRole role = layout_.roles[static_cast<std::size_t>(index)];
        if (role == NodeRole::nvSwitch) {
            units.push_back({ServerUnit::Kind::nvBar, {index}, 0, noDevice, {}});
            ++nvBars;
        } else if (role != NodeRole::nic) {
            units.push_back({ServerUnit::Kind::box, {index}, 0, noDevice, {}});
        } else if (!cardOf.contains(index)) {
            ServerUnit& card =
                cards.emplace_back(ServerUnit{ServerUnit::Kind::nic, {index}, 0, noDevice, {}});
            for (const auto& [port, on] : cardOf)
                if (on == index) card.members.push_back(port);
        }
    }
    foldNics(std::move(cards));
}

double ServerTree::rateOf(const ServerUnit& unit) const {
    double most = 0;
    for (const int index : unit.members)
        for (const int edge : graph_.edgesOf({ClusterNode::Kind::switchNode, index}))
            most = std::max(
                most,
                cluster_.links[static_cast<std::size_t>(graph_.edges[static_cast<std::size_t>(edge)].link)]
                    .bandwidthBps);
    return most;
}

void ServerTree::foldNics(std::vector<ServerUnit> cards) {
    std::map<double, std::vector<ServerUnit>> byRate;
    for (ServerUnit& card : cards) byRate[rateOf(card)].push_back(std::move(card));
    for (auto& [rate, equal] : byRate) {
        const int first = equal.front().members.front();
        const bool apart = std::any_of(equal.begin(), equal.end(), [&](const ServerUnit& card) {
            return liesApart(first, card.members.front());
        });
        if (static_cast<int>(equal.size()) <= mostSingleNics || isOpen_ || apart) {
            isUnfolded = isUnfolded || (isOpen_ && !apart && static_cast<int>(equal.size()) > mostSingleNics);
            for (ServerUnit& card : equal) {
                addStack(card, 1, false);
                units.push_back(std::move(card));
            }
            continue;
        }
        ServerUnit bar{ServerUnit::Kind::nicBar, {}, 0, noDevice, {}};
        for (const ServerUnit& card : equal)
            bar.members.insert(bar.members.end(), card.members.begin(), card.members.end());
        addStack(bar, static_cast<int>(equal.size()), true);
        units.push_back(std::move(bar));
        ++nicBars;
    }
}

void ServerTree::addStack(const ServerUnit& unit, int cards, bool folded) {
    if (unit.members.size() < 2) return;
    for (const int member : unit.members)
        layout_.stackOf[static_cast<std::size_t>(member)] = static_cast<int>(layout_.stacks.size());
    layout_.stacks.push_back({unit.members, cards, folded});
}

void ServerTree::join() {
    neighbours_.resize(units.size());
    std::map<int, int> unitOfSwitch, unitOfDevice;
    for (std::size_t i = 0; i < units.size(); ++i)
        for (const int member : units[i].members)
            (units[i].kind == ServerUnit::Kind::device ? unitOfDevice : unitOfSwitch)[member] =
                static_cast<int>(i);
    for (const int index : box_.switches) {
        const int unit = unitOfSwitch[index];
        const ClusterNode self{ClusterNode::Kind::switchNode, index};
        for (const int edge : graph_.edgesOf(self)) {
            const ClusterNode end = graph_.other(edge, self);
            if (layout_.server(end) != server_) continue;
            const bool isDevice = end.kind == ClusterNode::Kind::device;
            const int other = isDevice ? unitOfDevice[end.index] : unitOfSwitch[end.index];
            if (other == unit) continue;
            neighbours_[static_cast<std::size_t>(unit)].push_back(other);
            if (isDevice) neighbours_[static_cast<std::size_t>(other)].push_back(unit);
        }
    }
}

/// Breadth first, so that each thing hangs on the nearest to a root.
void ServerTree::growFrom(const std::vector<int>& start) {
    std::vector<int> open = start;
    for (const int root : start) reached_[static_cast<std::size_t>(root)] = true;
    roots.insert(roots.end(), start.begin(), start.end());
    for (std::size_t next = 0; next < open.size(); ++next) {
        const int unit = open[next];
        if (next >= start.size() && !forwards(unit)) continue;
        for (const int other : neighbours_[static_cast<std::size_t>(unit)]) {
            const ServerUnit::Kind kind = units[static_cast<std::size_t>(other)].kind;
            if (reached_[static_cast<std::size_t>(other)] || kind == ServerUnit::Kind::nvBar ||
                kind == ServerUnit::Kind::nicBar)
                continue;
            reached_[static_cast<std::size_t>(other)] = true;
            units[static_cast<std::size_t>(unit)].children.push_back(other);
            open.push_back(other);
        }
    }
}

/// Among what no root reaches yet the switch with the most switches and devices about it, or a network card;
/// -1: none.
int ServerTree::bestRoot() const {
    int best = -1;
    std::pair<int, std::size_t> most{-1, 0};
    for (std::size_t i = 0; i < units.size(); ++i) {
        const bool isNic = units[i].kind == ServerUnit::Kind::nic;
        if (reached_[i] || (!isNic && !forwards(static_cast<int>(i)))) continue;
        int switches = 0;
        for (const int other : neighbours_[i]) switches += forwards(other);
        const std::pair<int, std::size_t> own{isNic ? -1 : switches, neighbours_[i].size() + 1};
        if (own <= most) continue;
        most = own;
        best = static_cast<int>(i);
    }
    return best;
}

/// Sets depths and the order of children. @return the lowest device below
int ServerTree::settle(int unit, int depth) {
    ServerUnit& own = units[static_cast<std::size_t>(unit)];
    own.depth = depth;
    if (own.kind == ServerUnit::Kind::device) return own.lowestDevice;
    if (own.kind == ServerUnit::Kind::box) levels = std::max(levels, depth + 1);
    for (const int child : own.children)
        own.lowestDevice = std::min(own.lowestDevice, settle(child, depth + 1));
    std::stable_sort(own.children.begin(), own.children.end(), [&](int a, int b) {
        return units[static_cast<std::size_t>(a)].lowestDevice <
               units[static_cast<std::size_t>(b)].lowestDevice;
    });
    return own.lowestDevice;
}

}  // namespace stagecraft::views::topology
