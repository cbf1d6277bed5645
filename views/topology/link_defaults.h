#pragma once

#include "views/topology/topology_layout.h"

namespace stagecraft::views::topology {

/// A new link between two things that a person joins: like the last one that joins such things at the same
/// switch, else what the GPU at either end has, as the catalogue knows it (all of its NVLinks to an NVSwitch,
/// one to another GPU, else its PCIe), or the GPUs of its server, or what machines with that GPU have as
/// network cards; else what is usual (PCIe 12 GB/s, NVLink 20 GB/s, Ethernet 100 Gbit/s between servers). Its
/// source says where the number comes from. Rates of the catalogue are the data sheets' where the cluster has
/// those, else what is reached.
/// @param roles what each switch is, by index
Link newLink(const Cluster& cluster, const ClusterGraph& graph, const std::vector<NodeRole>& roles,
             ClusterNode a, ClusterNode b);

/// A new GPU: like the last one of the cluster, else a V100 with 16 GB.
Device newDevice(const Cluster& cluster);

/// What the palette calls a server: a PCIe switch with four new GPUs on it, laid out around the origin.
Cluster newServer(const Cluster& cluster);

}  // namespace stagecraft::views::topology
