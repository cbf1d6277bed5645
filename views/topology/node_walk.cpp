#include "views/topology/node_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft::views::topology {

NodeWalk::NodeWalk(const TopologyLayout& layout, bool withSwitches) : layout_(layout) {
    // Of a box for many, the first thing in it.
    const auto stands = [&layout](ClusterNode node) {
        if (!layout.isHidden(node)) return true;
        const ServerBox& group =
            layout.servers[static_cast<std::size_t>(layout.drawnServer(layout.server(node)))];
        return node.kind == ClusterNode::Kind::device
                   ? group.devices.front() == node.index
                   : group.devices.empty() && group.switches.front() == node.index;
    };
    for (std::size_t i = 0; i < layout.devices.size(); ++i)
        if (const ClusterNode node{ClusterNode::Kind::device, static_cast<int>(i)}; stands(node))
            nodes_.push_back(node);
    for (std::size_t i = 0; withSwitches && i < layout.switches.size(); ++i) {
        const ClusterNode node{ClusterNode::Kind::switchNode, static_cast<int>(i)};
        const bool isFolded = layout.server(node) < 0 && layout.drawnFor(node.index) != node.index &&
                              layout.roles[i] == NodeRole::network;
        if (stands(node) && !isFolded) nodes_.push_back(node);
    }
}

std::optional<ClusterNode> NodeWalk::toward(std::optional<ClusterNode> from, QPointF direction) const {
    if (nodes_.empty()) return std::nullopt;
    if (!from) return nodes_.front();
    const QPointF start = layout_.shownRect(*from).center();
    const QPointF aside(-direction.y(), direction.x());
    std::optional<ClusterNode> best;
    double least = std::numeric_limits<double>::infinity();
    for (const ClusterNode node : nodes_) {
        const QPointF way = layout_.shownRect(node).center() - start;
        const double ahead = QPointF::dotProduct(way, direction);
        const double cost = ahead + 2 * std::abs(QPointF::dotProduct(way, aside));
        if (ahead > 1 && cost < least) {
            least = cost;
            best = node;
        }
    }
    return best;
}

std::optional<ClusterNode> NodeWalk::following(std::optional<ClusterNode> from, bool forward) const {
    if (nodes_.empty()) return std::nullopt;
    if (!from) return forward ? nodes_.front() : nodes_.back();
    const auto here = std::find(nodes_.begin(), nodes_.end(), *from);
    const auto end = forward ? nodes_.end() - 1 : nodes_.begin();
    if (here == nodes_.end() || here == end) return std::nullopt;
    return *(forward ? here + 1 : here - 1);
}

}  // namespace stagecraft::views::topology
