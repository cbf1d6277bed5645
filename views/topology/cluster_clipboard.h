#pragma once

#include "core/model/cluster.h"
#include "views/rooms.h"

#include <QString>

#include <optional>

namespace stagecraft::views::topology {

/// A cluster file on the clipboard, besides its text: other windows know by it that it is one.
inline constexpr char clusterMimeType[] = "application/vnd.stagecraft.cluster+json";

/// Puts a cluster file there, under its own type and as text that other programs can read.
void copyToClipboard(const Cluster& cluster);

/// What the clipboard holds.
struct ClipboardCluster {
    std::optional<Cluster> cluster;
    QString otherText;  ///< that is no cluster file; empty: nothing to paste
};
ClipboardCluster clusterOnClipboard();

}  // namespace stagecraft::views::topology
