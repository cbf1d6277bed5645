#include "core/model/layer_profile.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::model {

double storedBytes(const Layer& layer, ActivationCause cause) {
    for (const StoredPart& part : layer.storedParts)
        if (part.cause == cause) return part.bytes;
    return 0;
}

namespace {

void addPart(std::vector<StoredPart>& parts, const StoredPart& more) {
    const auto place =
        std::lower_bound(parts.begin(), parts.end(), more.cause,
                         [](const StoredPart& part, ActivationCause cause) { return part.cause < cause; });
    if (place != parts.end() && place->cause == more.cause)
        place->bytes += more.bytes;
    else
        parts.insert(place, more);
}

}  // namespace

void addStoredParts(std::vector<StoredPart>& parts, const Layer& layer) {
    for (const StoredPart& part : layer.storedParts) addPart(parts, part);
    if (layer.storedParts.empty() && layer.storedActivationBytes > 0)
        addPart(parts, {ActivationCause::other, layer.storedActivationBytes});
}

bool storedPartsAddUp(const Layer& layer) {
    if (layer.storedParts.empty()) return true;
    double sum = 0;
    for (const StoredPart& part : layer.storedParts) sum += part.bytes;
    return std::abs(sum - layer.storedActivationBytes) <= 1e-9 * layer.storedActivationBytes;
}

void scaleStoredParts(Layer& layer, double factor) {
    if (!std::isfinite(factor)) {
        layer.storedParts.clear();
        layer.division.reset();
        return;
    }
    for (StoredPart& part : layer.storedParts) part.bytes *= factor;
    if (layer.division)
        for (StoredPart& part : layer.division->stored) part.bytes *= factor;
    if (layer.division) layer.division->expertStoredBytes *= factor;
}

void addFlops(Layer& layer, const Layer& part) {
    if (layer.flops && part.flops)
        *layer.flops += *part.flops;
    else
        layer.flops.reset();
}

void scaleSentBytes(Layer& layer, double factor) {
    if (!layer.division) return;
    LayerDivision& division = *layer.division;
    for (double* bytes :
         {&division.entryBytes, &division.exitBytes, &division.keyValueBytes, &division.routedBytes})
        *bytes *= factor;
}

void DivisionSum::add(const Layer& part) {
    isKnown_ = isKnown_ && part.division;
    if (!isKnown_) return;
    const LayerDivision& own = *part.division;
    const double shared = part.parameterBytes - part.expertParameterBytes;
    sum_.forwardShare += own.forwardShare * part.forwardS;
    sum_.backwardShare += own.backwardShare * part.backwardS;
    sum_.weightGradientShare += own.weightGradientShare * part.weightGradientS;
    sum_.parameterShare += own.parameterShare * shared;
    sum_.weightGradientBytesShare += own.weightGradientBytesShare * part.keptForWeightGradient();
    shared_ += shared;
    for (const StoredPart& kept : own.stored) addPart(sum_.stored, kept);
    sum_.entryBytes += own.entryBytes;
    sum_.exitBytes += own.exitBytes;
    sum_.keyValueBytes += own.keyValueBytes;
    sum_.routedBytes += own.routedBytes;
    sum_.entries += own.entries;
    sum_.exits += own.exits;
    sum_.keyValueRounds += own.keyValueRounds;
    sum_.routings += own.routings;
    sum_.fixedForwardShare += own.fixedForwardShare * part.forwardS;
    sum_.fixedBackwardShare += own.fixedBackwardShare * part.backwardS;
    sum_.fixedWeightGradientShare += own.fixedWeightGradientShare * part.weightGradientS;
    sum_.expertForwardShare += own.expertForwardShare * part.forwardS;
    sum_.expertBackwardShare += own.expertBackwardShare * part.backwardS;
    sum_.expertWeightGradientShare += own.expertWeightGradientShare * part.weightGradientS;
    sum_.expertWeightGradientBytesShare += own.expertWeightGradientBytesShare * part.keptForWeightGradient();
    sum_.expertStoredBytes += own.expertStoredBytes;
}

std::optional<LayerDivision> DivisionSum::of(const Layer& whole) const {
    // What several parts keep and counts once is not known by what divides it.
    if (!isKnown_ || (whole.storedParts.empty() && whole.storedActivationBytes > 0)) return std::nullopt;
    const auto share = [](double part, double all) { return all > 0 ? std::min(part / all, 1.0) : 0; };
    LayerDivision division = sum_;
    division.forwardShare = share(sum_.forwardShare, whole.forwardS);
    division.backwardShare = share(sum_.backwardShare, whole.backwardS);
    division.weightGradientShare = share(sum_.weightGradientShare, whole.weightGradientS);
    division.parameterShare = share(sum_.parameterShare, shared_);
    division.weightGradientBytesShare = share(sum_.weightGradientBytesShare, whole.keptForWeightGradient());
    division.fixedForwardShare = share(sum_.fixedForwardShare, whole.forwardS);
    division.fixedBackwardShare = share(sum_.fixedBackwardShare, whole.backwardS);
    division.fixedWeightGradientShare = share(sum_.fixedWeightGradientShare, whole.weightGradientS);
    division.expertForwardShare = share(sum_.expertForwardShare, whole.forwardS);
    division.expertBackwardShare = share(sum_.expertBackwardShare, whole.backwardS);
    division.expertWeightGradientShare = share(sum_.expertWeightGradientShare, whole.weightGradientS);
    division.expertWeightGradientBytesShare =
        share(sum_.expertWeightGradientBytesShare, whole.keptForWeightGradient());
    division.expertStoredBytes = std::min(sum_.expertStoredBytes, storedBytes(whole, ActivationCause::mlp));
    for (StoredPart& part : division.stored) {
        if (part.bytes > storedBytes(whole, part.cause) * (1 + 1e-9)) return std::nullopt;
        part.bytes = std::min(part.bytes, storedBytes(whole, part.cause));
    }
    return division;
}

std::optional<double> LayerProfile::forwardFlops() const {
    double sum = 0;
    for (const Layer& layer : layers) {
        if (!layer.flops) return std::nullopt;
        sum += *layer.flops;
    }
    return layers.empty() ? std::nullopt : std::optional<double>(sum);
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
