#include "core/model/profile_sizes.h"

#include "core/base/counted.h"

#include <algorithm>

namespace stagecraft::model {

namespace {

LayerTimes ownTimes(const Layer& layer) { return {layer.forwardS, layer.backwardS, layer.weightGradientS}; }

LayerTimes weighted(const LayerTimes& low, double lowWeight, const LayerTimes& high, double highWeight) {
    const auto mix = [&](double a, double b) { return lowWeight * a + highWeight * b; };
    LayerTimes times{mix(low.forwardS, high.forwardS), mix(low.backwardS, high.backwardS),
                     mix(low.weightGradientS, high.weightGradientS)};
    times.weightGradientS = std::min(times.weightGradientS, times.backwardS);  // rounding
    return times;
}

void scaleBytes(Layer& layer, double factor) {
    layer.outputBytes *= factor;
    layer.outputGradientBytes *= factor;
    layer.storedActivationBytes *= factor;
    scaleStoredParts(layer, factor);
    scaleSentBytes(layer, factor);
    if (layer.weightGradientBytes) *layer.weightGradientBytes *= factor;
}

void scaleFlops(Layer& layer, double factor) {
    if (layer.flops) *layer.flops *= factor;
}

/// Nodes are not measured one by one: each changes as its layer does.
void scaleOperators(NetworkGraph& operators, const LayerProfile& before, const LayerProfile& after,
                    double factor) {
    const auto share = [](double now, double then, double otherwise) {
        return then > 0 ? now / then : otherwise;
    };
    for (std::size_t node = 0; node < operators.nodes.size(); ++node) {
        Layer& numbers = operators.nodes[node];
        scaleBytes(numbers, factor);
        scaleFlops(numbers, factor);
        LayerTimes times = ownTimes(numbers);
        double forward = factor, backward = factor, gradient = factor;
        if (const int layer = operators.layerOf[node]; layer >= 0) {
            const Layer& then = before.layers[static_cast<std::size_t>(layer)];
            const Layer& now = after.layers[static_cast<std::size_t>(layer)];
            forward = share(now.forwardS, then.forwardS, factor);
            backward = share(now.backwardS, then.backwardS, factor);
            gradient = share(now.weightGradientS, then.weightGradientS, factor);
        }
        times = {times.forwardS * forward, times.backwardS * backward, times.weightGradientS * gradient};
        times.weightGradientS = std::min(times.weightGradientS, times.backwardS);
        setLayerTimes(numbers, times);
    }
}

std::string howObtained(const std::vector<int>& measured, const SizeWeights& weights, int from, int to) {
    const std::string low = std::to_string(measured[weights.low]),
                      high = std::to_string(measured[weights.high]);
    std::string text = "Microbatches of " + counted(to, "sample") + ": times ";
    if (measured[weights.low] == to)
        text += "as measured at that size";
    else if (weights.low != weights.high)
        text += "interpolated between those at " + low + " and " + high;
    else
        text += "in proportion to those at " + low;
    return text + ", activations in proportion to those at " + std::to_string(from) + ".";
}

}  // namespace

void setLayerTimes(Layer& layer, const LayerTimes& times) {
    if (layer.forwardS > 0) layer.scoresRecomputeS *= times.forwardS / layer.forwardS;
    layer.forwardS = times.forwardS;
    layer.backwardS = times.backwardS;
    layer.weightGradientS = times.weightGradientS;
}

std::vector<int> measuredSizes(const LayerProfile& profile) {
    std::vector<int> sizes = {profile.microbatchSize};
    for (const TimesAtSize& other : profile.otherSizes) sizes.push_back(other.microbatchSize);
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

LayerTimes measuredTimes(const LayerProfile& profile, int layer, int size) {
    for (const TimesAtSize& other : profile.otherSizes)
        if (other.microbatchSize == size) return other.layers[static_cast<std::size_t>(layer)];
    return ownTimes(profile.layers[static_cast<std::size_t>(layer)]);
}

SizeWeights weightsAtSize(const std::vector<int>& measured, double size) {
    const auto above = std::lower_bound(measured.begin(), measured.end(), size);
    const auto index = static_cast<std::size_t>(above - measured.begin());
    if (above == measured.end()) return {index - 1, index - 1, size / measured.back(), 0};
    if (index == 0 || *above == size) return {index, index, size / *above, 0};
    const double low = measured[index - 1], high = *above;
    return {index - 1, index, (high - size) / (high - low), (size - low) / (high - low)};
}

LayerTimes timesAtSize(const LayerProfile& profile, int layer, int size) {
    const std::vector<int> measured = measuredSizes(profile);
    const SizeWeights at = weightsAtSize(measured, size);
    if (measured[at.low] == size) return measuredTimes(profile, layer, size);
    return weighted(measuredTimes(profile, layer, measured[at.low]), at.lowWeight,
                    measuredTimes(profile, layer, measured[at.high]), at.highWeight);
}

double leastWorkS(const LayerProfile& profile, int layer) {
    const auto both = [](const LayerTimes& times) { return times.forwardS + times.backwardS; };
    const Layer& own = profile.layers[static_cast<std::size_t>(layer)];
    double least = own.forwardS + own.backwardS;
    // Time by the sample is monotone between measured sizes and constant outside: its least is at one of
    // them.
    for (const TimesAtSize& other : profile.otherSizes)
        if (other.microbatchSize < profile.microbatchSize)
            least = std::min(least, both(other.layers[static_cast<std::size_t>(layer)]) /
                                        other.microbatchSize * profile.microbatchSize);
    return least;
}

LayerProfile profileAtSize(const LayerProfile& profile, int size) {
    if (size == profile.microbatchSize) return profile;
    LayerProfile scaled = profile;
    const double factor = static_cast<double>(size) / profile.microbatchSize;
    const std::vector<int> measured = measuredSizes(profile);
    const SizeWeights weights = weightsAtSize(measured, size);
    scaled.microbatchSize = size;
    for (int index = 0; index < profile.layerCount(); ++index) {
        Layer& layer = scaled.layers[static_cast<std::size_t>(index)];
        setLayerTimes(layer,
                      weighted(measuredTimes(profile, index, measured[weights.low]), weights.lowWeight,
                               measuredTimes(profile, index, measured[weights.high]), weights.highWeight));
        scaleBytes(layer, factor);
        scaleFlops(layer, factor);
    }
    for (RooflineTerm& term : scaled.roofline) term = {term.flops * factor, term.bytes * factor};
    scaled.otherSizes.clear();
    if (measured.size() > 1)
        for (const int other : measured) {
            if (other == size) continue;
            TimesAtSize times{other, {}};
            for (int index = 0; index < profile.layerCount(); ++index)
                times.layers.push_back(measuredTimes(profile, index, other));
            scaled.otherSizes.push_back(std::move(times));
        }
    scaleOperators(scaled.operators, profile, scaled, factor);
    if (!scaled.source.empty()) scaled.source += scaled.source.back() == '.' ? " " : ". ";
    scaled.source += howObtained(measured, weights, profile.microbatchSize, size);
    return scaled;
}

}  // namespace stagecraft::model
