#pragma once

#include "views/topology/topology_layout.h"

namespace stagecraft::views {

/// Servers in a grid about as wide as a screen, devices in rows inside, a switch above what it joins, network
/// switches above the servers or, for two rows, between them. A device or switch with an entry in
/// Cluster::layout has its centre there, and the other devices of its server are below. The same cluster
/// gives the same layout.
TopologyLayout layOut(const Cluster& cluster, const ClusterGraph& graph);

}  // namespace stagecraft::views
