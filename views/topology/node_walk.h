#pragma once

#include "views/topology/topology_layout.h"

#include <QPointF>

#include <optional>

namespace stagecraft::views::topology {

/// From node to node with the keyboard: over devices and, if wanted, switches.
class NodeWalk {
public:
    NodeWalk(const TopologyLayout& layout, bool withSwitches);

    /// The nearest in a direction, where what is aside counts twice; from nothing the first.
    std::optional<ClusterNode> toward(std::optional<ClusterNode> from, QPointF direction) const;
    /// The next or the previous in the order of the cluster, devices before switches; from nothing the first
    /// or the last. Nothing beyond the ends.
    std::optional<ClusterNode> following(std::optional<ClusterNode> from, bool forward) const;

private:
    const TopologyLayout& layout_;
    std::vector<ClusterNode> nodes_;
};

}  // namespace stagecraft::views::topology
