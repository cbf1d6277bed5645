#pragma once

#include "views/topology/topology_layout.h"

namespace stagecraft::views::topology {

/// Servers that are alike, or network switches that are; one that is like no other is a class of its own.
struct LikeClass {
    std::vector<int> servers;   ///< indices into TopologyLayout::servers, ascending
    std::vector<int> switches;  ///< indices into Cluster::switches, ascending
};

/// Servers and network switches of a cluster by what they are alike in, in the order of their first members.
/// Servers are alike if they have the same devices and switches inside with the same links among these, and
/// the same links to the same kinds of switches (or servers) outside; network switches if they are as far
/// from the servers and have the same links to the same kinds of neighbours. How far off such kinds are told
/// apart is the finest that leaves no more than `mostBoxes` boxes where a class of more than `mostAlike`
/// members is one box; the coarsest tells neighbours apart by nothing but the links to them.
std::vector<LikeClass> likeClasses(const Cluster& cluster, const ClusterGraph& graph,
                                   const TopologyLayout& layout, std::size_t mostAlike,
                                   std::size_t mostBoxes);

}  // namespace stagecraft::views::topology
