#pragma once

#include "views/topology/topology_layout.h"

#include <QSizeF>

#include <functional>

namespace stagecraft::views {

inline constexpr double switchGap = 14;

/// Lays out one server's devices and switches and sets its box: around the places that Cluster::layout gives,
/// or at the origin where it gives none for any of its devices. @returns true if it gave one
bool layOutServer(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout, int server);

/// How far each of `switches` is from what `isBase` holds for: 1 if linked to it, 2 if linked to such a
/// switch, …; 1 if it is not joined to any.
std::vector<int> switchLevels(const ClusterGraph& graph, const std::vector<int>& switches,
                              const std::function<bool(ClusterNode)>& isBase);

/// Left edges of boxes that are `width` wide, each as near its wanted centre as the ones before it in
/// ascending order allow, `gap` apart; inside [left, left + available] if they fit there.
std::vector<double> spreadRow(const std::vector<double>& centres, double width, double gap, double left,
                              double available);

}  // namespace stagecraft::views
