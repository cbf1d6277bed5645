#pragma once

#include "views/topology/topology_links.h"

namespace stagecraft::views::topology {

/// Moves lines of the network that lie upon each other into lanes side by side, as far as there is room
/// between boxes. Those to the same switch may share a lane: they read as one line with branches.
void spreadIntoLanes(std::vector<LinkBundle>& bundles, const TopologyLayout& layout);

}  // namespace stagecraft::views::topology
