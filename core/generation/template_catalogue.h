#pragma once

#include "core/generation/cluster_template.h"

#include <string>
#include <vector>

namespace stagecraft::generation {

/// All of them: what people look for by name first, then single servers, networks and random ones.
const std::vector<ClusterTemplate>& clusterTemplates();
/// nullptr if there is none of that id.
const ClusterTemplate* findClusterTemplate(const std::string& id);

/// Servers that a rack is made of: the named machines that are no racks themselves, and a plain one.
std::vector<ClusterTemplate> rackServers();

/// So many of a server below one top-of-rack switch, "tor", to which each of their network cards has a link.
/// @param server one of rackServers()
/// @param servers from 2 on
/// @throws std::invalid_argument if they have more GPUs than a template makes
Cluster rackOf(const ClusterTemplate& server, int servers);

}  // namespace stagecraft::generation
