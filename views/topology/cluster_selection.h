#pragma once

#include "core/model/cluster_edit.h"

namespace stagecraft {

/// What is chosen on the canvas.
using ClusterSelection = ClusterPart;

}  // namespace stagecraft
