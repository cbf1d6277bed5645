#pragma once

#include "core/model/cluster.h"

#include <functional>
#include <string>

namespace stagecraft::formats {

/// The cluster as an undirected graph for Graphviz: servers as boxes around their parts, links with their
/// bandwidths, positions of the layout as `pos` (of use with neato -n).
std::string writeClusterDot(const Cluster& cluster);

/// The bandwidths between devices as a table with their ids and the unit in its first cell, which
/// topology/import.h reads again.
/// @param bandwidthBps of the pair of devices of these indices, in bytes per second; 0: no path
std::string writeBandwidthCsv(const Cluster& cluster, const std::function<double(int, int)>& bandwidthBps);

}  // namespace stagecraft::formats
