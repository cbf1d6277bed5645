#pragma once

#include "views/topology/topology_layout.h"

namespace stagecraft::views::topology {

/// Servers whose devices are joined by NVLink switches outside of them: one domain over several servers, as a
/// rack of trays is.
struct Rack {
    std::vector<int> servers;   ///< indices into TopologyLayout::servers, ascending
    std::vector<int> switches;  ///< indices into Cluster::switches: those that are drawn, ascending
};

/// The racks of a cluster, by their first server. NVLink switches that join the same servers become one
/// stack of the layout, where Cluster::layout does not give them different places.
std::vector<Rack> findRacks(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout);

/// Places the servers of a rack, which are laid out each by itself, on both sides of one upright bar that is
/// their switch: lines to it run across in the streets below them. @param corner of all of it, at the upper
/// left @returns what it takes
QRectF placeRack(TopologyLayout& layout, const Rack& rack, QPointF corner);

/// Makes a rack's switch that has a place among its servers as high as they are, if nothing is in the way.
void growRackBars(TopologyLayout& layout, const std::vector<Rack>& racks);

/// A server moved with all that is in it.
void moveServer(TopologyLayout& layout, ServerBox& server, QPointF by);

}  // namespace stagecraft::views::topology
