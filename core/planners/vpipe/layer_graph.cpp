#include "core/planners/vpipe/layer_graph.h"

#include "core/editing/granularity.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace stagecraft::planners::vpipe {

namespace {

double meanStageS(const LayerGraph& graph, int p) {
    return std::accumulate(graph.timeS.begin(), graph.timeS.end(), 0.0) / p;
}

double gapS(const LayerGraph& graph, const GraphEdge& edge) {
    return graph.invokedS[static_cast<std::size_t>(edge.to)] -
           graph.invokedS[static_cast<std::size_t>(edge.from)];
}

/// The first node of each group when every subgraph edge glues.
std::vector<int> gluedByAll(const LayerGraph& graph, const std::vector<EdgeKind>& kinds) {
    std::vector<int> lastGlued(graph.timeS.size());  // the last node that an edge glues to this one
    std::iota(lastGlued.begin(), lastGlued.end(), 0);
    for (std::size_t e = 0; e < kinds.size(); ++e)
        if (kinds[e] == EdgeKind::subgraph) {
            int& last = lastGlued[static_cast<std::size_t>(graph.edges[e].from) + 1];
            last = std::max(last, graph.edges[e].to);
        }
    std::vector<int> firsts;
    for (int node = 0, last = -1; node < graph.nodeCount(); ++node) {
        if (node > last) firsts.push_back(node);
        last = std::max(last, lastGlued[static_cast<std::size_t>(node)]);
    }
    return firsts;
}

double longestGroupS(const LayerGraph& graph, const std::vector<int>& firsts) {
    double longest = 0;
    for (std::size_t group = 0; group < firsts.size(); ++group) {
        const int end = group + 1 < firsts.size() ? firsts[group + 1] : graph.nodeCount();
        longest = std::max(
            longest, std::accumulate(graph.timeS.begin() + firsts[group], graph.timeS.begin() + end, 0.0));
    }
    return longest;
}

/// Glues along the shortest edges first and leaves out those that would make a group longer than `mostS`.
std::vector<int> gluedUpTo(const LayerGraph& graph, const std::vector<EdgeKind>& kinds, double mostS) {
    std::vector<std::size_t> order;
    for (std::size_t e = 0; e < kinds.size(); ++e)
        if (kinds[e] == EdgeKind::subgraph) order.push_back(e);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return gapS(graph, graph.edges[a]) < gapS(graph, graph.edges[b]);
    });
    std::vector<double> beforeS{0};
    for (const double seconds : graph.timeS) beforeS.push_back(beforeS.back() + seconds);
    std::map<int, int> groups;  // first node, and the one after the last
    for (int node = 0; node < graph.nodeCount(); ++node) groups.emplace_hint(groups.end(), node, node + 1);
    for (const std::size_t e : order) {
        const auto first = std::prev(groups.upper_bound(graph.edges[e].from + 1));
        const auto last = std::prev(groups.upper_bound(graph.edges[e].to));
        const double seconds =
            beforeS[static_cast<std::size_t>(last->second)] - beforeS[static_cast<std::size_t>(first->first)];
        if (first == last || seconds > mostS) continue;
        first->second = last->second;
        groups.erase(std::next(first), std::next(last));
    }
    std::vector<int> firsts;
    for (const auto& [begin, end] : groups) firsts.push_back(begin);
    return firsts;
}

/// Between operators that are a layer each.
std::vector<GraphEdge> operatorEdges(const NetworkGraph& graph) {
    std::vector<GraphEdge> edges;
    for (const LayerEdge& edge : graph.edges) {
        const int from = graph.layerOf[static_cast<std::size_t>(edge.from)];
        const int to = graph.layerOf[static_cast<std::size_t>(edge.to)];
        if (from >= 0 && to >= 0)
            edges.push_back({from, to, graph.nodes[static_cast<std::size_t>(edge.from)].outputBytes});
    }
    return edges;
}

}  // namespace

LayerGraph layerGraph(std::vector<double> timeS, std::vector<GraphEdge> edges) {
    LayerGraph graph{std::move(timeS), {}, std::move(edges)};
    double now = 0;
    for (const double seconds : graph.timeS) {
        graph.invokedS.push_back(now);
        now += seconds;
    }
    return graph;
}

LayerGraph layerGraph(const CostModel& costs, std::vector<double> timeS) {
    const LayerProfile& profile = costs.problem().profile;
    if (isFinest(profile)) return layerGraph(std::move(timeS), operatorEdges(profile.operators));
    std::vector<GraphEdge> edges;
    for (const LayerEdge& edge : profile.dependencies())
        edges.push_back(
            {edge.from, edge.to, profile.layers[static_cast<std::size_t>(edge.from)].outputBytes});
    return layerGraph(std::move(timeS), std::move(edges));
}

double cutBytes(const LayerGraph& graph, const std::vector<int>& partOf) {
    double bytes = 0;
    for (const GraphEdge& edge : graph.edges)
        if (partOf[static_cast<std::size_t>(edge.from)] != partOf[static_cast<std::size_t>(edge.to)])
            bytes += edge.bytes;
    return bytes;
}

std::vector<int> partsOf(int nodes, const std::vector<int>& bounds) {
    std::vector<int> partOf;
    std::size_t part = 0;
    for (int node = 0; node < nodes; ++node) {
        while (part < bounds.size() && bounds[part] <= node) ++part;
        partOf.push_back(static_cast<int>(part));
    }
    return partOf;
}

std::vector<EdgeKind> edgeKinds(const LayerGraph& graph, int p) {
    const double mean = meanStageS(graph, p);
    std::vector<EdgeKind> kinds;
    for (const GraphEdge& edge : graph.edges)
        kinds.push_back(edge.to == edge.from + 1   ? EdgeKind::critical
                        : gapS(graph, edge) > mean ? EdgeKind::sparse
                                                   : EdgeKind::subgraph);
    return kinds;
}

CoarseGraph coarsened(const LayerGraph& graph, int p) {
    const std::vector<EdgeKind> kinds = edgeKinds(graph, p);
    const double mean = meanStageS(graph, p);
    CoarseGraph coarse;
    coarse.firstNode = gluedByAll(graph, kinds);
    if (longestGroupS(graph, coarse.firstNode) > mean || static_cast<int>(coarse.firstNode.size()) < p)
        coarse.firstNode = gluedUpTo(graph, kinds, mean / 4);
    const std::vector<int> groupOf =
        partsOf(graph.nodeCount(), {coarse.firstNode.begin() + 1, coarse.firstNode.end()});
    std::vector<double> timeS(coarse.firstNode.size(), 0);
    for (std::size_t node = 0; node < groupOf.size(); ++node)
        timeS[static_cast<std::size_t>(groupOf[node])] += graph.timeS[node];
    std::map<std::pair<int, int>, double> joined;
    for (const GraphEdge& edge : graph.edges) {
        const int from = groupOf[static_cast<std::size_t>(edge.from)];
        const int to = groupOf[static_cast<std::size_t>(edge.to)];
        if (from != to) joined[{from, to}] += edge.bytes;
    }
    std::vector<GraphEdge> edges;
    for (const auto& [ends, bytes] : joined) edges.push_back({ends.first, ends.second, bytes});
    coarse.graph = layerGraph(std::move(timeS), std::move(edges));
    return coarse;
}

}  // namespace stagecraft::planners::vpipe
