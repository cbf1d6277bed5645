#pragma once

#include "views/topology/topology_layout.h"

#include <functional>
#include <vector>

namespace stagecraft::views::topology {

inline constexpr double street = 64;  ///< between servers
inline constexpr double switchGap = 14;
inline constexpr double lanePitch = 7;       ///< between lines side by side, where there is room
inline constexpr double tileGap = 16;        ///< between devices
inline constexpr double serverPadding = 14;  ///< between what is in a server and its edge

/// How far each of `switches` is from what `isBase` holds for: 1 if linked to it, 2 if linked to such a
/// switch, …; 1 if it is not joined to any.
std::vector<int> switchLevels(const ClusterGraph& graph, const std::vector<int>& switches,
                              const std::function<bool(ClusterNode)>& isBase);

/// Left edges of boxes that are `width` wide, each as near its wanted centre as the ones before it in
/// ascending order allow, `gap` apart; inside [left, left + available] if they fit there.
std::vector<double> spreadRow(const std::vector<double>& centres, double width, double gap, double left,
                              double available);

}  // namespace stagecraft::views::topology
