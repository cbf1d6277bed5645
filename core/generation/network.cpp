#include "core/generation/network.h"

#include <algorithm>

#include <numeric>

namespace stagecraft::generation {

namespace {

template <typename Items, typename Value>
double total(const Items& items, Value value) {
    return std::accumulate(items.begin(), items.end(), 0.0,
                           [&](double sum, const auto& item) { return sum + value(item); });
}

}  // namespace

double NetworkLayer::parameters() const {
    return total(operations, [](const Operation& operation) { return operation.parameters; });
}

double NetworkLayer::forwardFlops() const {
    return total(operations, [](const Operation& operation) { return operation.flops; });
}

double NetworkLayer::storedElements() const {
    return total(operations, [](const Operation& operation) { return operation.storedElements; });
}

double NetworkLayer::storedBytes(double elementBytes) const {
    const double ofOwnSize = total(operations, [&](const Operation& operation) {
        return total(operation.stored, [&](const StoredTensor& tensor) {
            return tensor.elementBytes > 0 ? tensor.bytes(elementBytes) : 0;
        });
    });
    return elementBytes * storedElements() + ofOwnSize;
}

std::vector<StoredPart> NetworkLayer::storedParts(double elementBytes) const {
    std::vector<StoredPart> parts;
    for (const Operation& operation : operations) {
        if (operation.stored.empty() && operation.storedElements > 0) return {};
        Layer kept;
        for (const StoredTensor& tensor : operation.stored)
            kept.storedParts.push_back({tensor.cause, tensor.bytes(elementBytes)});
        addStoredParts(parts, kept);
    }
    return parts;
}

double NetworkLayer::deferredElements() const {
    return total(operations, [](const Operation& operation) { return operation.deferredElements; });
}

double NetworkDescription::parameters() const {
    return total(layers, [](const NetworkLayer& layer) { return layer.parameters(); });
}

double NetworkDescription::forwardFlops() const {
    return total(layers, [](const NetworkLayer& layer) { return layer.forwardFlops(); });
}

std::string withoutBlanks(std::string name) {
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

}  // namespace stagecraft::generation
