#pragma once

#include "core/model/layer_profile.h"

#include <vector>

namespace stagecraft::graph {

/// The order in which linearise() puts the nodes of an acyclic graph.
std::vector<int> chainOrder(const std::vector<LayerEdge>& edges, int nodes);

/// What is between two cuts of a linearised graph.
struct ChainLink {
    std::vector<int> members;  ///< nodes, in the order of the chain
    int crossing = -1;         ///< the node whose output crosses the cut after it; -1: none does
};

/// Makes a chain of an acyclic graph.
///
/// Nodes are put in a topological order, in which of several free nodes the one with the shortest way to an
/// end of the graph comes first (ties by index), so that an auxiliary head is right after what it
/// reads. What the source with the longest way to an end does not reach (a decoder's input) comes right
/// before what first reads it. The chain is cut after a node wherever at most one node's output is read
/// beyond the cut; nodes that send nothing do not count. What is between two cuts is one link.
/// @param edges between nodes, each once, in any order
/// @param sends by node: whether its output has any bytes
std::vector<ChainLink> linearise(const std::vector<LayerEdge>& edges, const std::vector<bool>& sends);

}  // namespace stagecraft::graph
