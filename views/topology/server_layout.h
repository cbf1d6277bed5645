#pragma once

#include "views/topology/topology_layout.h"

#include <QSizeF>

#include <functional>

namespace stagecraft::views {

inline constexpr double switchGap = 14;
inline constexpr double tileGap = 16;        ///< between devices
inline constexpr double serverPadding = 14;  ///< between what is in a server and its edge

/// Lays out one server's devices and switches and sets its box: around the places that Cluster::layout gives,
/// or, where it gives none for any of its devices, as the machine is, at the origin: sockets side by side,
/// PCIe switches above their devices, network cards beside them, direct links below, NVSwitches as a bar
/// below all.
/// @param isOpen whether network cards are shown one by one however many @returns true if it gave one
bool layOutServer(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout, int server,
                  bool isOpen = false);

/// How far each of `switches` is from what `isBase` holds for: 1 if linked to it, 2 if linked to such a
/// switch, …; 1 if it is not joined to any.
std::vector<int> switchLevels(const ClusterGraph& graph, const std::vector<int>& switches,
                              const std::function<bool(ClusterNode)>& isBase);

/// Left edges of boxes that are `width` wide, each as near its wanted centre as the ones before it in
/// ascending order allow, `gap` apart; inside [left, left + available] if they fit there.
std::vector<double> spreadRow(const std::vector<double>& centres, double width, double gap, double left,
                              double available);

}  // namespace stagecraft::views
