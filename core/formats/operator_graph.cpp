#include "core/formats/operator_graph.h"

#include "core/model/linearise.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace stagecraft {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// linearise() over the nodes by number, which decides where the graph leaves a choice.
std::vector<ChainLink> linksOf(const OperatorGraph& graph) {
    std::vector<int> byNumber(graph.nodes.size()), rank(graph.nodes.size());
    std::iota(byNumber.begin(), byNumber.end(), 0);
    std::stable_sort(byNumber.begin(), byNumber.end(),
                     [&](int a, int b) { return graph.nodes[at(a)].number < graph.nodes[at(b)].number; });
    std::vector<bool> sends(byNumber.size());
    for (std::size_t i = 0; i < byNumber.size(); ++i) {
        rank[at(byNumber[i])] = static_cast<int>(i);
        sends[i] = graph.nodes[at(byNumber[i])].outputBytes > 0;
    }
    std::vector<LayerEdge> edges;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        for (const int reader : graph.successors[node]) edges.push_back({rank[node], rank[at(reader)]});
    std::vector<ChainLink> links = linearise(edges, sends);
    for (ChainLink& link : links) {
        for (int& member : link.members) member = byNumber[at(member)];
        if (link.crossing >= 0) link.crossing = byNumber[at(link.crossing)];
    }
    return links;
}

std::string shortened(const std::string& description) { return description.substr(0, description.find('(')); }

std::string layerName(const OperatorGraph& graph, const std::vector<int>& members) {
    const OperatorNode& first = graph.nodes[at(members.front())];
    if (members.size() == 1) return first.id + " " + shortened(first.description);
    return first.id + "…" + graph.nodes[at(members.back())].id + " (" + std::to_string(members.size()) +
           " nodes)";
}

Layer layerOf(const OperatorGraph& graph, const std::vector<int>& members) {
    Layer layer;
    layer.name = layerName(graph, members);
    std::set<int> read;
    for (const int member : members) {
        const OperatorNode& node = graph.nodes[at(member)];
        layer.forwardS += node.forwardS;
        layer.backwardS += node.backwardS;
        layer.parameterBytes += node.parameterBytes;
        read.insert(graph.predecessors[at(member)].begin(), graph.predecessors[at(member)].end());
    }
    for (const int node : read) layer.storedActivationBytes += graph.nodes[at(node)].outputBytes;
    layer.weightGradientS = layer.backwardS / 2;
    return layer;
}

std::string groupNote(const OperatorGraph& graph, const std::vector<int>& members, std::size_t layer) {
    std::string text =
        "layer " + std::to_string(layer) + " groups " + std::to_string(members.size()) + " nodes:";
    for (const int member : members) text += " " + graph.nodes[at(member)].id;
    return text;
}

}  // namespace

ImportedProfile chainOf(const OperatorGraph& graph) {
    ImportedProfile chain;
    for (const ChainLink& link : linksOf(graph)) {
        Layer layer = layerOf(graph, link.members);
        if (link.crossing >= 0) layer.outputBytes = graph.nodes[at(link.crossing)].outputBytes;
        layer.outputGradientBytes = layer.outputBytes;
        if (link.members.size() > 1)
            chain.notes.push_back(
                {ImportNote::Kind::grouped, groupNote(graph, link.members, chain.profile.layers.size())});
        chain.profile.layers.push_back(std::move(layer));
    }
    return chain;
}

}  // namespace stagecraft
