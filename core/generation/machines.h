#pragma once

#include "core/generation/cluster_template.h"

#include <vector>

namespace stagecraft::generation {

/// Machines that people have, by the names that they know them by: DGX, cloud instances, racks. One of each,
/// or as many as asked for, joined at their network cards.
std::vector<ClusterTemplate> namedMachines();

}  // namespace stagecraft::generation
