#include "core/cost/divided_profile.h"

#include "core/model/profile_sizes.h"
#include "core/model/rank_measurements.h"

#include <algorithm>
#include <set>
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

namespace {

/// By what its division says.
void divideByShares(const LayerDivision& division, const Group& group, Layer& layer) {
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
    divideStored(division, group, layer);
}

/// What was measured of the whole layer on such ranks. What was not is divided by its division already; where
/// it has none, parameters are divided evenly and activations are all kept.
void putMeasured(const Layer& whole, const Group& group, int samples, Layer& layer) {
    if (!timedSizesOn(whole, group).empty()) {
        const LayerTimes times = timesOn(whole, group, samples);
        layer.forwardS = times.forwardS;
        layer.backwardS = times.backwardS;
        layer.weightGradientS = times.weightGradientS;
        layer.scoresRecomputeS =
            whole.forwardS > 0 ? whole.scoresRecomputeS * (times.forwardS / whole.forwardS) : 0;
    }
    if (const auto bytes = parameterBytesOn(whole, group))
        layer.parameterBytes = *bytes;
    else if (!whole.division)
        layer.parameterBytes /= group.tensor;
    const auto stored = storedBytesOn(whole, group, samples);
    if (!stored) return;
    const double factor = whole.storedActivationBytes > 0 ? *stored / whole.storedActivationBytes : 1;
    layer.storedActivationBytes = *stored;
    layer.storedParts = whole.storedParts;
    for (StoredPart& part : layer.storedParts) part.bytes *= factor;
    layer.weightGradientBytes = whole.keptForWeightGradient() * factor;
}

/// Of all layers at the sizes at which any of them was timed on the group's ranks, or whole.
std::vector<TimesAtSize> dividedTimes(const LayerProfile& profile, const Group& group) {
    const std::vector<int> measured = measuredSizes(profile);
    std::set<int> sizes(measured.begin(), measured.end());
    for (const Layer& layer : profile.layers)
        for (const int size : timedSizesOn(layer, group)) sizes.insert(size);
    sizes.erase(profile.microbatchSize);
    std::vector<TimesAtSize> divided;
    for (const int size : sizes) {
        TimesAtSize& times = divided.emplace_back(TimesAtSize{size, {}});
        for (int index = 0; index < profile.layerCount(); ++index) {
            const Layer& layer = profile.layers[static_cast<std::size_t>(index)];
            if (!timedSizesOn(layer, group).empty()) {
                times.layers.push_back(timesOn(layer, group, size));
                continue;
            }
            times.layers.push_back(timesAtSize(profile, index, size));
            if (layer.division) divideTimes(*layer.division, group, times.layers.back());
        }
    }
    return divided;
}

}  // namespace

Layer dividedLayer(Layer layer, const Group& group, int samples) {
    const bool isMeasured = isMeasuredOn(layer, group);
    if (!group.dividesLayers() || (!layer.division && !isMeasured)) return layer;
    const Layer whole = layer;
    if (whole.division) divideByShares(*whole.division, group, layer);
    layer.outputBytes /= group.outsideDivision();
    layer.outputGradientBytes /= group.outsideDivision();
    if (isMeasured) putMeasured(whole, group, samples, layer);
    layer.division.reset();
    layer.onRanks.clear();
    layer.flops.reset();  // whole samples' alone are of use
    return layer;
}

LayerProfile dividedProfile(const LayerProfile& profile, const Group& group) {
    if (!group.dividesLayers()) return profile;
    LayerProfile divided = profile;
    divided.operators = {};
    divided.divisible = {};
    divided.otherSizes = dividedTimes(profile, group);
    for (Layer& layer : divided.layers) layer = dividedLayer(std::move(layer), group, profile.microbatchSize);
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
    if (!layer.division || !timedSizesOn(layer, group).empty()) return {};
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
