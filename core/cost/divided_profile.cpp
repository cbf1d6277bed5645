#include "core/cost/divided_profile.h"

#include "core/model/measured_gpus.h"
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

/// How a group divides layers, with what its busiest expert rank has.
struct LoadedGroup {
    const Group& group;
    double imbalance = 1;

    /// What is left on a rank of what tensor parallelism divides so much of, and experts have so much of.
    double left(double divided, double experts) const {
        return leftOf(divided, group) + (imbalance - 1) * experts / group.outsideDivision();
    }
};

/// @param own those of the layer at the profile's own microbatch size
void divideTimes(const LayerDivision& division, const LoadedGroup& loaded, const LayerTimes& own,
                 LayerTimes& times) {
    const auto divide = [&](double LayerTimes::*part, double divided, double fixed, double experts) {
        const double fixedS = std::min(fixed * own.*part, times.*part);
        const double ofRest = fixed < 1 ? 1 / (1 - fixed) : 0;
        times.*part = fixedS + (times.*part - fixedS) * loaded.left(divided * ofRest, experts * ofRest);
    };
    divide(&LayerTimes::forwardS, division.forwardShare, division.fixedForwardShare,
           division.expertForwardShare);
    divide(&LayerTimes::backwardS, division.backwardShare, division.fixedBackwardShare,
           division.expertBackwardShare);
    divide(&LayerTimes::weightGradientS, division.weightGradientShare, division.fixedWeightGradientShare,
           division.expertWeightGradientShare);
    times.weightGradientS = std::min(times.weightGradientS, times.backwardS);
}

LayerTimes ownTimes(const Layer& layer) { return {layer.forwardS, layer.backwardS, layer.weightGradientS}; }

void divideStored(const LayerDivision& division, const LoadedGroup& loaded, Layer& layer) {
    const Group& group = loaded.group;
    layer.storedActivationBytes = 0;
    for (StoredPart& part : layer.storedParts) {
        const auto inside = std::ranges::find(division.stored, part.cause, &StoredPart::cause);
        const double divided = inside == division.stored.end() ? 0 : inside->bytes;
        part.bytes = divided / group.insideDivision() + (part.bytes - divided) / group.outsideDivision();
        if (part.cause == ActivationCause::mlp)
            part.bytes += (loaded.imbalance - 1) * division.expertStoredBytes / group.outsideDivision();
        layer.storedActivationBytes += part.bytes;
    }
}

double ringPart(int ranks) { return (ranks - 1.0) / ranks; }

}  // namespace

namespace {

/// By what its division says.
void divideByShares(const LayerDivision& division, const LoadedGroup& loaded, Layer& layer) {
    const Group& group = loaded.group;
    layer.weightGradientBytes =
        layer.keptForWeightGradient() *
        loaded.left(division.weightGradientBytesShare, division.expertWeightGradientBytesShare);
    const LayerTimes own = ownTimes(layer);
    LayerTimes times = own;
    divideTimes(division, loaded, own, times);
    layer.forwardS = times.forwardS;
    layer.backwardS = times.backwardS;
    layer.weightGradientS = times.weightGradientS;
    layer.scoresRecomputeS = std::min(layer.scoresRecomputeS / group.insideDivision(), layer.forwardS);
    const double shared = layer.parameterBytes - layer.expertParameterBytes;
    layer.expertParameterBytes /= group.expert;
    layer.parameterBytes = layer.expertParameterBytes +
                           shared * (division.parameterShare / group.tensor + (1 - division.parameterShare));
    divideStored(division, loaded, layer);
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
std::vector<TimesAtSize> dividedTimes(const LayerProfile& profile, const LoadedGroup& loaded) {
    const Group& group = loaded.group;
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
            if (layer.division) divideTimes(*layer.division, loaded, ownTimes(layer), times.layers.back());
        }
    }
    return divided;
}

}  // namespace

Layer dividedLayer(Layer layer, const Group& group, int samples, double imbalance) {
    const bool isMeasured = isMeasuredOn(layer, group);
    if (!group.dividesLayers() || (!layer.division && !isMeasured)) return layer;
    const Layer whole = layer;
    if (whole.division) divideByShares(*whole.division, {group, imbalance}, layer);
    layer.outputBytes /= group.outsideDivision();
    layer.outputGradientBytes /= group.outsideDivision();
    if (isMeasured) putMeasured(whole, group, samples, layer);
    layer.division.reset();
    layer.onRanks.clear();
    layer.flops.reset();  // whole samples' alone are of use
    return layer;
}

namespace {

/// As one rank of the group has it, without what was measured on other types of GPUs.
LayerProfile dividedOnOwn(const LayerProfile& profile, const Group& group, double imbalance) {
    LayerProfile divided = profile;
    divided.operators = {};
    divided.divisible = {};
    divided.otherSizes = dividedTimes(profile, {group, imbalance});
    for (Layer& layer : divided.layers)
        layer = dividedLayer(std::move(layer), group, profile.microbatchSize, imbalance);
    return divided;
}

}  // namespace

LayerProfile dividedProfile(const LayerProfile& profile, const Group& group, double imbalance) {
    if (!group.dividesLayers()) return profile;
    LayerProfile divided = dividedOnOwn(profile, group, imbalance);
    for (Layer& layer : divided.layers) layer.onRanks.clear();
    for (const std::string& gpu : measuredGpus(profile)) {
        LayerProfile onGpu = dividedOnOwn(profileOn(profile, gpu), group, imbalance);
        for (Layer& layer : onGpu.layers) layer.onRanks.clear();
        addMeasurements(onGpu, gpu, divided);
    }
    return divided;
}

SentInside& SentInside::operator+=(const SentInside& other) {
    tensorForward += other.tensorForward;
    tensorBackward += other.tensorBackward;
    contextForward += other.contextForward;
    contextBackward += other.contextBackward;
    expert += other.expert;
    entries += other.entries;
    exits += other.exits;
    rounds += other.rounds;
    routings += other.routings;
    return *this;
}

SentInside SentInside::operator-(const SentInside& other) const {
    return {tensorForward - other.tensorForward,
            tensorBackward - other.tensorBackward,
            contextForward - other.contextForward,
            contextBackward - other.contextBackward,
            expert - other.expert,
            entries - other.entries,
            exits - other.exits,
            rounds - other.rounds,
            routings - other.routings};
}

void SentInside::divideBytes(double parts) {
    for (double* bytes : {&tensorForward, &tensorBackward, &contextForward, &contextBackward, &expert})
        *bytes /= parts;
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
    const auto count = [](double said, double bytes, int otherwise) {
        return bytes == 0 ? 0 : said > 0 ? said : otherwise;
    };
    sent.entries = count(division.entries, division.entryBytes, 1);
    sent.exits = count(division.exits, division.exitBytes, 1);
    sent.rounds = count(division.keyValueRounds, division.keyValueBytes, 1);
    sent.routings = count(division.routings, division.routedBytes, 2);
    return sent;
}

}  // namespace stagecraft::cost
