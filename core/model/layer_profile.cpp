#include "core/model/layer_profile.h"

#include <algorithm>

namespace stagecraft::model {

bool LayerProfile::isChain() const {
    if (edges.empty()) return true;
    if (static_cast<int>(edges.size()) != layerCount() - 1) return false;
    std::vector<bool> joined(layers.size(), false);
    return std::all_of(edges.begin(), edges.end(), [&](const LayerEdge& edge) {
        if (edge.to != edge.from + 1 || joined[static_cast<std::size_t>(edge.from)]) return false;
        joined[static_cast<std::size_t>(edge.from)] = true;
        return true;
    });
}

std::vector<LayerEdge> LayerProfile::dependencies() const {
    if (!edges.empty()) return edges;
    std::vector<LayerEdge> chain;
    for (int layer = 0; layer + 1 < layerCount(); ++layer) chain.push_back({layer, layer + 1});
    return chain;
}

}  // namespace stagecraft::model
