#include "core/cost/divided_profile.h"

#include <algorithm>
#include <utility>

namespace stagecraft::cost {

namespace {

/// What is left on a rank of a number of which tensor parallelism divides a share.
double leftOf(double share, const Group& group) {
    return share / group.insideDivision() + (1 - share) / group.outsideDivision();
}

void divideTimes(const LayerDivision& division, const Group& group, LayerTimes& times) {
    times.forwardS *= leftOf(division.forwardShare, group);
    times.backwardS *= leftOf(division.backwardShare, group);
    times.weightGradientS =
        std::min(times.weightGradientS * leftOf(division.weightGradientShare, group), times.backwardS);
}

void divideStored(const LayerDivision& division, const Group& group, Layer& layer) {
    layer.storedActivationBytes = 0;
    for (StoredPart& part : layer.storedParts) {
        const auto inside = std::ranges::find(division.stored, part.cause, &StoredPart::cause);
        const double divided = inside == division.stored.end() ? 0 : inside->bytes;
        part.bytes = divided / group.insideDivision() + (part.bytes - divided) / group.outsideDivision();
        layer.storedActivationBytes += part.bytes;
    }
}

double ringPart(int ranks) { return (ranks - 1.0) / ranks; }

}  // namespace

Layer dividedLayer(Layer layer, const Group& group) {
    if (!layer.division || !group.dividesLayers()) return layer;
    const LayerDivision division = *layer.division;
    layer.weightGradientBytes =
        layer.keptForWeightGradient() * leftOf(division.weightGradientBytesShare, group);
    LayerTimes times{layer.forwardS, layer.backwardS, layer.weightGradientS};
    divideTimes(division, group, times);
    layer.forwardS = times.forwardS;
    layer.backwardS = times.backwardS;
    layer.weightGradientS = times.weightGradientS;
    layer.scoresRecomputeS = std::min(layer.scoresRecomputeS / group.insideDivision(), layer.forwardS);
    const double shared = layer.parameterBytes - layer.expertParameterBytes;
    layer.expertParameterBytes /= group.expert;
    layer.parameterBytes = layer.expertParameterBytes +
                           shared * (division.parameterShare / group.tensor + (1 - division.parameterShare));
    layer.outputBytes /= group.outsideDivision();
    layer.outputGradientBytes /= group.outsideDivision();
    divideStored(division, group, layer);
    layer.division.reset();
    layer.flops.reset();  // whole samples' alone are of use
    return layer;
}

LayerProfile dividedProfile(const LayerProfile& profile, const Group& group) {
    if (!group.dividesLayers()) return profile;
    LayerProfile divided = profile;
    divided.operators = {};
    divided.divisible = {};
    for (TimesAtSize& size : divided.otherSizes)
        for (std::size_t layer = 0; layer < size.layers.size(); ++layer)
            if (const auto& division = profile.layers[layer].division)
                divideTimes(*division, group, size.layers[layer]);
    for (Layer& layer : divided.layers) layer = dividedLayer(std::move(layer), group);
    return divided;
}

SentInside& SentInside::operator+=(const SentInside& other) {
    tensorForward += other.tensorForward;
    tensorBackward += other.tensorBackward;
    contextForward += other.contextForward;
    contextBackward += other.contextBackward;
    expert += other.expert;
    return *this;
}

SentInside SentInside::operator-(const SentInside& other) const {
    return {tensorForward - other.tensorForward, tensorBackward - other.tensorBackward,
            contextForward - other.contextForward, contextBackward - other.contextBackward,
            expert - other.expert};
}

SentInside sentInside(const Layer& layer, const Group& group) {
    if (!layer.division) return {};
    const LayerDivision& division = *layer.division;
    const double tensor = ringPart(group.tensor) / group.context;
    const double context = ringPart(group.context) / group.tensor;
    SentInside sent;
    if (group.sequenceParallel) {
        sent.tensorForward = tensor * (division.entryBytes + division.exitBytes);
        sent.tensorBackward = tensor * (2 * division.entryBytes + division.exitBytes);
    } else {
        sent.tensorForward = 2 * tensor * division.exitBytes;
        sent.tensorBackward = 2 * tensor * division.entryBytes;
    }
    sent.contextForward = context * division.keyValueBytes;
    sent.contextBackward = 2 * sent.contextForward;
    sent.expert = ringPart(group.expert) * division.routedBytes / group.outsideDivision();
    return sent;
}

}  // namespace stagecraft::cost
