#pragma once

#include "core/model/problem.h"
#include "core/planners/vpipe/layer_graph.h"

namespace stagecraft::experiments {

/// The operators of a problem's network as vPipe's Algorithm 3 sees them. Where the profile knows no
/// operators, each layer is divided into a chain of equal ones, every edge of which carries what the layer
/// passes on, and edges around equal stretches of the chain play residual connections.
vpipe::LayerGraph operatorGraph(const Problem& problem, int operatorsPerLayer, int skipsPerLayer);

/// How a graph was split, in the terms of vPipe's Table 4.
struct OperatorPartition {
    int nodes = 0, edges = 0;    ///< of the graph that was split, coarsened or whole
    double cutBytes = 0;         ///< over edges whose ends are in different parts, on the whole graph
    double slowestOverMean = 1;  ///< of the parts' times
};
/// @param plain Kernighan and Lin's algorithm on the whole graph, instead of Algorithm 3
OperatorPartition operatorPartition(const vpipe::LayerGraph& graph, int stages, bool plain);

}  // namespace stagecraft::experiments
