#include "core/experiments/operator_graph.h"

#include "core/planners/vpipe/kernighan_lin.h"
#include "core/planners/vpipe/repartition.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace stagecraft::experiments {

using vpipe::GraphEdge;
using vpipe::LayerGraph;

namespace {

double timeOf(const Layer& layer) { return layer.forwardS + layer.backwardS; }

LayerGraph knownOperators(const NetworkGraph& network) {
    std::vector<double> timeS;
    for (const Layer& node : network.nodes) timeS.push_back(timeOf(node));
    std::vector<GraphEdge> edges;
    for (const LayerEdge& edge : network.edges)
        edges.push_back({edge.from, edge.to, network.nodes[static_cast<std::size_t>(edge.from)].outputBytes});
    return vpipe::layerGraph(std::move(timeS), std::move(edges));
}

LayerGraph dividedLayers(const LayerProfile& profile, int operators, int skips) {
    std::vector<double> timeS;
    std::vector<GraphEdge> edges;
    for (std::size_t layer = 0; layer < profile.layers.size(); ++layer) {
        const Layer& whole = profile.layers[layer];
        const int first = static_cast<int>(layer) * operators;
        for (int i = 0; i < operators; ++i) {
            timeS.push_back(timeOf(whole) / operators);
            if (i > 0) edges.push_back({first + i - 1, first + i, whole.outputBytes});
        }
        for (int skip = 0; skip < skips; ++skip) {
            const int from = first + skip * operators / skips;
            const int to = first + (skip + 1) * operators / skips - 1;
            if (to > from + 1) edges.push_back({from, to, whole.outputBytes});
        }
    }
    for (const LayerEdge& edge : profile.dependencies())
        edges.push_back({edge.from * operators + operators - 1, edge.to * operators,
                         profile.layers[static_cast<std::size_t>(edge.from)].outputBytes});
    return vpipe::layerGraph(std::move(timeS), std::move(edges));
}

}  // namespace

LayerGraph operatorGraph(const Problem& problem, int operatorsPerLayer, int skipsPerLayer) {
    const NetworkGraph& known = problem.profile.operators;
    return known.nodes.empty() ? dividedLayers(problem.profile, operatorsPerLayer, skipsPerLayer)
                               : knownOperators(known);
}

OperatorPartition operatorPartition(const LayerGraph& graph, int stages, bool plain) {
    if (stages > graph.nodeCount())
        throw std::invalid_argument("the graph has fewer nodes than there are stages");
    OperatorPartition partition;
    const LayerGraph split = plain ? graph : vpipe::coarsened(graph, stages).graph;
    partition.nodes = split.nodeCount();
    partition.edges = static_cast<int>(split.edges.size());
    const std::vector<int> partOf =
        plain ? vpipe::plainKernighanLin(graph, stages)
              : vpipe::partsOf(graph.nodeCount(), vpipe::repartition(graph, stages));
    partition.cutBytes = vpipe::cutBytes(graph, partOf);
    std::vector<double> timeS(static_cast<std::size_t>(stages), 0);
    for (std::size_t node = 0; node < partOf.size(); ++node)
        timeS[static_cast<std::size_t>(partOf[node])] += graph.timeS[node];
    const double all = std::accumulate(timeS.begin(), timeS.end(), 0.0);
    if (all > 0) partition.slowestOverMean = *std::max_element(timeS.begin(), timeS.end()) * stages / all;
    return partition;
}

}  // namespace stagecraft::experiments
