#include "core/model/layer_profile.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::model {

double storedBytes(const Layer& layer, ActivationCause cause) {
    for (const StoredPart& part : layer.storedParts)
        if (part.cause == cause) return part.bytes;
    return 0;
}

void addStoredParts(std::vector<StoredPart>& parts, const Layer& layer) {
    const auto add = [&](const StoredPart& more) {
        const auto place = std::lower_bound(
            parts.begin(), parts.end(), more.cause,
            [](const StoredPart& part, ActivationCause cause) { return part.cause < cause; });
        if (place != parts.end() && place->cause == more.cause)
            place->bytes += more.bytes;
        else
            parts.insert(place, more);
    };
    for (const StoredPart& part : layer.storedParts) add(part);
    if (layer.storedParts.empty() && layer.storedActivationBytes > 0)
        add({ActivationCause::other, layer.storedActivationBytes});
}

bool storedPartsAddUp(const Layer& layer) {
    if (layer.storedParts.empty()) return true;
    double sum = 0;
    for (const StoredPart& part : layer.storedParts) sum += part.bytes;
    return std::abs(sum - layer.storedActivationBytes) <= 1e-9 * layer.storedActivationBytes;
}

void scaleStoredParts(Layer& layer, double factor) {
    if (!std::isfinite(factor)) return layer.storedParts.clear();
    for (StoredPart& part : layer.storedParts) part.bytes *= factor;
}

std::optional<double> LayerProfile::parameterCount() const {
    if (!elementBytes) return std::nullopt;
    double bytes = 0;
    for (const Layer& layer : layers) bytes += layer.parameterBytes;
    return bytes / *elementBytes;
}

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
