#pragma once

#include "views/topology/like_parts.h"

#include <QString>

#include <set>

namespace stagecraft::views::topology {

/// What of a large cluster is drawn by itself.
struct FoldChoice {
    bool folds = true;  ///< false: everything is
    /// Of like ones that are folded: servers by name and network switches by id, drawn beside the rest.
    std::set<std::string> open = {};
    bool operator==(const FoldChoice&) const = default;
};

/// With more servers, or network switches, than this, like ones are folded.
inline constexpr std::size_t mostDrawnInFull = 96;
/// As many like ones are drawn each, more are one box.
inline constexpr std::size_t mostAlikeInFull = 8;

/// Whether like ones are folded of a layout that says what is in which server.
bool wantsFolds(const TopologyLayout& layout, const FoldChoice& choice);

/// Adds boxes to the layout that represent many servers which are alike, and stacks for many network switches
/// that are. What Cluster::layout has a place for is drawn by itself.
void foldLike(const Cluster& cluster, const ClusterGraph& graph, const LikeParts& alike,
              TopologyLayout& layout, const FoldChoice& choice);

/// Servers that have no place yet, and boxes for several, in rows; what is open is on the left of the box
/// that it was in.
void placeFolded(TopologyLayout& layout, const std::vector<bool>& isPlaced, QPointF origin);

/// Whether anything is folded that is not in a server.
bool hasFolds(const TopologyLayout& layout);

/// What a box for several servers says of them, all of one kind.
struct GroupWords {
    QString title;   ///< "×2,048 servers"; beside an open one "×2,047 more"
    QString each;    ///< "8 × H100-SXM5-80GB each"
    QString parts;   ///< "1 × NVSwitch, 8 × NIC, 8 × PCIe switch, 2 × CPU"
    QString range;   ///< "s0 … s2047"
    QString number;  ///< "×2,048"
};
GroupWords groupWords(const Cluster& cluster, const TopologyLayout& layout, int server);

/// Of a stack of network switches: "64 × leaf", by what their names begin with.
QString stackOfAlike(const QStringList& names);

/// "folded: 2,048 servers in 1 box, 64 switches in 1 box"; empty if nothing is.
QString foldedInWords(const TopologyLayout& layout);

}  // namespace stagecraft::views::topology
