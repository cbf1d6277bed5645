#pragma once

#include "core/model/cluster.h"
#include "views/rooms.h"

#include <QStringList>

#include <optional>
#include <set>
#include <string>

namespace stagecraft::views::topology {

/// A cluster of which like servers are shown once.
struct BriefCluster {
    /// Of servers that are alike the first; for the others, where they are linked to the same things, one
    /// server that holds one switch, "s1–s17 (×17)".
    Cluster cluster;
    std::set<std::string> standIns;  ///< the names of these servers, "s1–s17"
};

/// Nothing where fewer than three servers are alike: the same inside, with the same links out of the same
/// places.
std::optional<BriefCluster> briefCluster(const Cluster& cluster);

/// Names that differ by their numbers alone as ranges: "s0–s3, s7, leaf0–leaf3".
QStringList inRanges(const QStringList& names);

}  // namespace stagecraft::views::topology
