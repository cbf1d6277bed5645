#include "core/generation/graph_builder.h"

#include "core/base/indices.h"

#include <algorithm>
#include <utility>

namespace stagecraft::generation {

void GraphBuilder::beginLayer(const std::string& name) {
    network_.layers.push_back({.name = name});
    nodesInLayer_ = 0;
}

GraphBuilder::Tensor GraphBuilder::add(LayerBuilder node, const std::vector<Tensor>& inputs) {
    if (inputs.empty()) node.readsData();
    if (inputs.size() == 1 && node.keepsInput() && !kept_.insert(inputs.front()).second) node.keepsNoInput();
    const Tensor tensor = static_cast<Tensor>(network_.nodes.size());
    network_.nodes.push_back(node.build());
    NetworkLayer& added = network_.nodes.back();
    added.name =
        withoutBlanks(network_.layers.back().name) + "/" + std::to_string(nodesInLayer_++) + " " + added.name;
    network_.layerOf.push_back(static_cast<int>(network_.layers.size()) - 1);
    for (const Tensor input : inputs) network_.edges.push_back({input, tensor});
    shapes_.push_back(node.shape());
    return tensor;
}

/// A layer's operations are its nodes', and what it passes on is whatever crosses the cut after it.
void GraphBuilder::finishLayers() {
    std::vector<int> lastReader(network_.nodes.size());
    for (const LayerEdge& edge : network_.edges)
        lastReader[at(edge.from)] = std::max(lastReader[at(edge.from)], network_.layerOf[at(edge.to)]);
    for (std::size_t node = 0; node < network_.nodes.size(); ++node) {
        const int own = network_.layerOf[node];
        NetworkLayer& layer = network_.layers[at(own)];
        const std::vector<Operation>& operations = network_.nodes[node].operations;
        layer.operations.insert(layer.operations.end(), operations.begin(), operations.end());
        for (int behind = own; behind < lastReader[node]; ++behind)
            network_.layers[at(behind)].outputElements += network_.nodes[node].outputElements;
    }
    network_.layers.back().outputElements = network_.nodes.back().outputElements;
}

NetworkDescription GraphBuilder::build(const std::string& title, const std::string& notes) && {
    finishLayers();
    network_.title = title;
    network_.notes = notes;
    return std::move(network_);
}

}  // namespace stagecraft::generation
