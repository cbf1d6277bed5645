#pragma once

#include "views/topology/topology_layout.h"

namespace stagecraft::views::topology {

/// Finds the servers of which each is linked to each other, and neither to any other server: from four on
/// they are a mesh, which is drawn with a hub instead of a line for each two.
std::vector<ServerMesh> findMeshes(const ClusterGraph& graph, const TopologyLayout& layout);

/// Places the hub of each mesh: in the middle of its servers if there is room, else above all.
void placeMeshes(TopologyLayout& layout);

}  // namespace stagecraft::views::topology
