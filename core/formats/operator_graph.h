#pragma once

#include "core/formats/formats.h"

#include <string>
#include <vector>

namespace stagecraft {

/// An operator of a network as frameworks record it; seconds and bytes for one microbatch.
struct OperatorNode {
    std::string id;
    std::string description;
    long long number = 0;  ///< orders nodes where the graph leaves a choice
    double forwardS = 0;
    double backwardS = 0;
    double outputBytes = 0;
    double parameterBytes = 0;
};

/// Nodes and who reads whom: successors[i] and predecessors[i] are indices into `nodes`. Acyclic.
struct OperatorGraph {
    std::vector<OperatorNode> nodes;
    std::vector<std::vector<int>> successors;
    std::vector<std::vector<int>> predecessors;
};

/// Makes a chain of layers of the graph, and a note for each layer that holds several nodes.
///
/// linearise() puts the nodes in order and cuts them, ties by number; what lies between two cuts is one
/// layer:
///  - times and parameters are the sums over its nodes;
///  - output_bytes is the output that crosses the cut behind it, which may be that of an earlier node, passed
///  on
///    past an auxiliary head; 0 if nothing crosses;
///  - stored_activation_bytes counts each tensor that its nodes read once;
///  - the backward's gradient has the size of the output, and half of the backward is weight gradient.
ImportedProfile chainOf(const OperatorGraph& graph);

}  // namespace stagecraft
