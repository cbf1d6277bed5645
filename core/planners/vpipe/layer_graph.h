#pragma once

#include "core/cost/cost_model.h"

#include <vector>

namespace stagecraft::planners::vpipe {

struct GraphEdge {
    int from = 0;
    int to = 0;
    double bytes = 0;
    bool operator==(const GraphEdge&) const = default;
};

/// A network as Algorithm 3 sees it: nodes in the order in which they are invoked.
struct LayerGraph {
    std::vector<double> timeS;     ///< of each node
    std::vector<double> invokedS;  ///< T: when it is invoked; ascending
    std::vector<GraphEdge> edges;  ///< from < to

    int nodeCount() const { return static_cast<int>(timeS.size()); }
};
/// Nodes that run one after the other from time 0.
LayerGraph layerGraph(std::vector<double> timeS, std::vector<GraphEdge> edges);
/// The layers of a problem with these times; an edge carries its producer's output. Where each operator is a
/// layer (core/model/granularity.h), it is the graph of operators.
LayerGraph layerGraph(const CostModel& costs, std::vector<double> timeS);

/// Bytes over the edges whose ends are in different parts.
double cutBytes(const LayerGraph& graph, const std::vector<int>& partOf);
/// Parts of consecutive nodes; `bounds` are where those after the first begin.
std::vector<int> partsOf(int nodes, const std::vector<int>& bounds);

enum class EdgeKind {
    critical,  ///< between nodes that are invoked one after the other: the backbone
    sparse,    ///< between nodes whose invocations are further apart than the mean time of a stage
    subgraph,  ///< inside a block of the network
};
/// Lines 8 to 20 of Algorithm 3 for p stages, by edge.
std::vector<EdgeKind> edgeKinds(const LayerGraph& graph, int p);

struct CoarseGraph {
    LayerGraph graph;
    std::vector<int> firstNode;  ///< of each coarse node, in the graph that was coarsened
};
/// Line 21: a subgraph edge (u, v) glues the nodes u+1..v, and bytes of edges that become one add up
/// (E-VP-10). Where that would make a node longer than the mean time of a stage, which no balanced partition
/// could hold, only so much is glued, short edges first, that no node is longer than a quarter of the mean.
CoarseGraph coarsened(const LayerGraph& graph, int p);

}  // namespace stagecraft::planners::vpipe
