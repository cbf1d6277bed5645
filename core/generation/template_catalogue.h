#pragma once

#include "core/generation/cluster_template.h"

#include <string>
#include <vector>

namespace stagecraft::generation {

/// All of them: what people look for by name first, then single servers, networks and random ones.
const std::vector<ClusterTemplate>& clusterTemplates();
/// nullptr if there is none of that id.
const ClusterTemplate* findClusterTemplate(const std::string& id);

}  // namespace stagecraft::generation
