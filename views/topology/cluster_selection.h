#pragma once

#include "core/editing/cluster_edit.h"

namespace stagecraft {

/// What is chosen on the canvas.
using ClusterSelection = ClusterPart;

}  // namespace stagecraft
