#include "core/generation/network.h"

#include <algorithm>

namespace stagecraft::generation {

namespace {

constexpr int noNode = -1;

/// "LSTM" of "LSTM input products", "LSTM recurrent products" and "LSTM gates".
std::string sharedName(const std::vector<Operation>& operations) {
    std::string shared = operations.front().name;
    for (const Operation& operation : operations)
        shared.resize(static_cast<std::size_t>(
            std::mismatch(shared.begin(), shared.end(), operation.name.begin(), operation.name.end()).first -
            shared.begin()));
    shared.erase(shared.find_last_not_of(' ') + 1);
    return shared.empty() ? operations.front().name : shared;
}

/// Walks along the layers and makes nodes of their operations.
class LayerWalk {
public:
    explicit LayerWalk(NetworkDescription& network) : network_(network) {}

    void addLayer(int index) {
        const NetworkLayer& layer = network_.layers[static_cast<std::size_t>(index)];
        nodeOf_.clear();
        const std::size_t first = network_.nodes.size();
        for (const Operation& operation : layer.operations) {
            if (!operation.withPrevious || nodeOf_.empty()) {
                network_.nodes.emplace_back();
                network_.layerOf.push_back(index);
            }
            nodeOf_.push_back(static_cast<int>(network_.nodes.size()) - 1);
            NetworkLayer& node = network_.nodes.back();
            node.operations.push_back(operation);
            node.outputElements = operation.outputElements;
            for (const int tensor : operation.reads) addEdge(nodeThatMakes(tensor), nodeOf_.back());
        }
        for (std::size_t node = first; node < network_.nodes.size(); ++node)
            network_.nodes[node].name = withoutBlanks(layer.name) + "/" + std::to_string(node - first) + " " +
                                        sharedName(network_.nodes[node].operations);
        const int result = nodeThatMakes(layer.result), beside = nodeThatMakes(layer.beside);
        entrance_ = result;
        beside_ = beside;
    }

private:
    int nodeThatMakes(int tensor) const {
        if (tensor == fromEntrance) return entrance_;
        return tensor == fromBeside ? beside_ : nodeOf_[static_cast<std::size_t>(tensor)];
    }

    void addEdge(int from, int to) {
        if (from == noNode || from == to) return;
        const LayerEdge edge{from, to};
        // Edges into a node are written down one after the other.
        for (auto known = network_.edges.rbegin(); known != network_.edges.rend() && known->to == to; ++known)
            if (*known == edge) return;
        network_.edges.push_back(edge);
    }

    NetworkDescription& network_;
    std::vector<int> nodeOf_;  ///< by operation of the current layer
    int entrance_ = noNode, beside_ = noNode;
};

}  // namespace

NetworkDescription withOperators(NetworkDescription network) {
    if (!network.nodes.empty()) return network;
    LayerWalk walk(network);
    for (std::size_t layer = 0; layer < network.layers.size(); ++layer)
        walk.addLayer(static_cast<int>(layer));
    network.nodesFromLayers = true;
    return network;
}

}  // namespace stagecraft::generation
