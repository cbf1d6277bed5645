#include "views/topology/topology_layout.h"

#include <algorithm>

namespace stagecraft::views::topology {

ClusterGraph::ClusterGraph(const Cluster& cluster)
    : edgesOfDevice(cluster.devices.size()), edgesOfSwitch(cluster.switches.size()) {
    const auto add = [this](const std::string& id, ClusterNode node) {
        if (!nodes.try_emplace(id, node).second) sameIds.push_back(node);
    };
    for (std::size_t i = 0; i < cluster.devices.size(); ++i)
        add(cluster.devices[i].id, {ClusterNode::Kind::device, static_cast<int>(i)});
    for (std::size_t i = 0; i < cluster.switches.size(); ++i)
        add(cluster.switches[i].id, {ClusterNode::Kind::switchNode, static_cast<int>(i)});
    for (std::size_t i = 0; i < cluster.links.size(); ++i) {
        const auto a = nodes.find(cluster.links[i].a);
        const auto b = nodes.find(cluster.links[i].b);
        if (a == nodes.end() || b == nodes.end() || a->second == b->second) continue;
        const int edge = static_cast<int>(edges.size());
        edges.push_back({static_cast<int>(i), a->second, b->second});
        for (const ClusterNode node : {a->second, b->second})
            (node.kind == ClusterNode::Kind::device ? edgesOfDevice
                                                    : edgesOfSwitch)[static_cast<std::size_t>(node.index)]
                .push_back(edge);
    }
}

const std::vector<int>& ClusterGraph::edgesOf(ClusterNode node) const {
    return (node.kind == ClusterNode::Kind::device ? edgesOfDevice
                                                   : edgesOfSwitch)[static_cast<std::size_t>(node.index)];
}

ClusterNode ClusterGraph::other(int edge, ClusterNode from) const {
    const Edge& e = edges[static_cast<std::size_t>(edge)];
    return e.a == from ? e.b : e.a;
}

void ServerBox::translate(QPointF by) {
    box.translate(by);
    fold.translate(by);
    close.translate(by);
    for (auto& [socket, frame] : frames) frame.translate(by);
    for (DirectLine& line : direct) {
        line.route.translate(by);
        line.label.translate(by);
    }
    for (DirectHub& hub : hubs) {
        for (QPolygonF& route : hub.routes) route.translate(by);
        hub.label.translate(by);
        hub.spineX += by.x();
    }
}

QRectF ServerBox::title() const {
    constexpr double letter = 8, inset = 14;
    const double text = letter * static_cast<double>(std::max<std::size_t>(name.size(), 2));
    return {box.left() + inset, box.top() + 6, std::min(text, box.width() - 2 * inset), serverHeader - 12};
}

QRectF ServerBox::titleOf(const QRectF& frame) {
    constexpr double width = 54;
    return {frame.left() + 8, frame.top() + 3, std::min(width, frame.width() - 16), 12};
}

const QRectF& TopologyLayout::rect(ClusterNode node) const {
    return (node.kind == ClusterNode::Kind::device ? devices
                                                   : switches)[static_cast<std::size_t>(node.index)];
}

int TopologyLayout::server(ClusterNode node) const {
    return (node.kind == ClusterNode::Kind::device ? serverOfDevice
                                                   : serverOfSwitch)[static_cast<std::size_t>(node.index)];
}

bool TopologyLayout::isHidden(ClusterNode node) const {
    const int own = server(node);
    return own >= 0 && servers[static_cast<std::size_t>(own)].foldedInto >= 0;
}

int TopologyLayout::drawnServer(int server) const {
    const int group = servers[static_cast<std::size_t>(server)].foldedInto;
    return group >= 0 ? group : server;
}

const QRectF& TopologyLayout::shownRect(ClusterNode node) const {
    return isHidden(node) ? servers[static_cast<std::size_t>(drawnServer(server(node)))].box : rect(node);
}

bool TopologyLayout::isNetworkFold(const SwitchStack& stack) const {
    return stack.isFolded && serverOfSwitch[static_cast<std::size_t>(stack.members.front())] < 0;
}

bool TopologyLayout::isDrawn(int switchIndex) const {
    if (isHidden({ClusterNode::Kind::switchNode, switchIndex})) return false;
    const int stack = stackOf[static_cast<std::size_t>(switchIndex)];
    return stack < 0 || stacks[static_cast<std::size_t>(stack)].members.front() == switchIndex;
}

int TopologyLayout::drawnFor(int switchIndex) const {
    const int stack = stackOf[static_cast<std::size_t>(switchIndex)];
    return stack < 0 ? switchIndex : stacks[static_cast<std::size_t>(stack)].members.front();
}

void TopologyLayout::setSwitch(int switchIndex, const QRectF& rect) {
    switches[static_cast<std::size_t>(switchIndex)] = rect;
    const int stack = stackOf[static_cast<std::size_t>(switchIndex)];
    if (stack < 0) return;
    for (const int member : stacks[static_cast<std::size_t>(stack)].members)
        switches[static_cast<std::size_t>(member)] = rect;
}

bool TopologyLayout::areStacked(ClusterNode a, ClusterNode b) const {
    if (a.kind != ClusterNode::Kind::switchNode || b.kind != ClusterNode::Kind::switchNode) return false;
    const int stack = stackOf[static_cast<std::size_t>(a.index)];
    return stack >= 0 && stack == stackOf[static_cast<std::size_t>(b.index)];
}

}  // namespace stagecraft::views::topology
