#pragma once

#include "views/topology/topology_layout.h"

namespace stagecraft::views::topology {

/// Lays out one server's devices and switches and sets its box: around the places that Cluster::layout gives,
/// or, where it gives none for any of its devices, as the machine is, at the origin: sockets side by side,
/// PCIe switches above their devices, network cards beside them, direct links below, NVSwitches as a bar
/// below all.
/// @param isOpen whether network cards are shown one by one however many @returns true if it gave one
bool layOutServer(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout, int server,
                  bool isOpen = false);

}  // namespace stagecraft::views::topology
