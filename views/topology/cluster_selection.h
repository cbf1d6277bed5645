#pragma once

#include "core/editing/cluster_edit.h"
#include "views/rooms.h"

namespace stagecraft::views::topology {

/// What is chosen on the canvas.
using ClusterSelection = ClusterPart;

/// Whether all of a part that is not empty is chosen.
bool holds(const ClusterSelection& all, const ClusterSelection& part);
/// With the part, or without it if all of it was there.
ClusterSelection toggled(const ClusterSelection& all, const ClusterSelection& part);

}  // namespace stagecraft::views::topology
