#pragma once

#include "views/topology/server_groups.h"

#include <set>
#include <string>

namespace stagecraft::views::topology {

/// Servers in a grid about as wide as a screen, each inside as its machine is (server_layout.h), network
/// switches above the servers or, for two rows, between them. A device or switch with an entry in
/// Cluster::layout has its centre there, and the other devices of its server are below. The same cluster
/// gives the same layout.
/// Of a large cluster like servers and like switches are folded (server_groups.h).
/// @param openServers those whose network cards are shown one by one however many they are
TopologyLayout layOut(const Cluster& cluster, const ClusterGraph& graph,
                      const std::set<std::string>& openServers = {}, const FoldChoice& choice = {});

/// What it begins with: what is in which server, and what role switches have. Nothing has a place yet.
/// Only ids, servers, ends and kinds of links matter.
TopologyLayout layoutOfParts(const Cluster& cluster, const ClusterGraph& graph);

/// The same as layOut() of what it begins with.
/// @param alike needed where wantsFolds(parts, choice)
TopologyLayout layOutParts(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& parts,
                           const LikeParts* alike, const std::set<std::string>& openServers,
                           const FoldChoice& choice);

}  // namespace stagecraft::views::topology
