#pragma once

#include "views/topology/topology_links.h"

#include <QPointF>

namespace stagecraft::views::topology {

/// What is said on lines that represent the links of many: how many they are, and how fast.
struct FoldLabel {
    QString text;                 ///< "16,384 × InfiniBand 50.0 GB/s"; "each …" for several lines alike
    std::vector<QPointF> places;  ///< on the lines, in scene units, the best first
    std::vector<int> bundles;     ///< indices into TopologyLinks::bundles
};

/// One for each line, but one for all lines alike from the same box where they are several.
std::vector<FoldLabel> foldLabels(const TopologyLinks& links, const TopologyLayout& layout);

}  // namespace stagecraft::views::topology
