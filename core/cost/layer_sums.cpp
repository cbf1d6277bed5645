#include "core/cost/layer_sums.h"

#include "core/model/profile_sizes.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace stagecraft::cost {

namespace {

template <typename Part, typename Get>
std::vector<double> prefixSums(const std::vector<Part>& layers, Get get) {
    std::vector<double> prefix{0};
    for (const Part& layer : layers) prefix.push_back(prefix.back() + get(layer));
    return prefix;
}

template <typename Part>
TimeSums timeSums(const std::vector<Part>& layers) {
    return {prefixSums(layers, [](const Part& layer) { return layer.forwardS; }),
            prefixSums(layers, [](const Part& layer) { return layer.backwardS; }),
            prefixSums(layers, [](const Part& layer) { return layer.weightGradientS; })};
}

/// A producer's tensor crosses the cut after `layer` if any consumer is beyond; it is sent once.
std::vector<double> cutBytes(const LayerProfile& profile, double Layer::*bytes) {
    std::vector<int> lastReader(profile.layers.size());
    std::iota(lastReader.begin(), lastReader.end(), 0);
    for (const LayerEdge& edge : profile.dependencies()) {
        int& last = lastReader[static_cast<std::size_t>(edge.from)];
        last = std::max(last, edge.to);
    }
    std::vector<double> cuts(profile.layers.size(), 0);
    for (std::size_t producer = 0; producer < cuts.size(); ++producer)
        for (std::size_t cut = producer; cut < static_cast<std::size_t>(lastReader[producer]); ++cut)
            cuts[cut] += profile.layers[producer].*bytes;
    return cuts;
}

/// What comes into each layer, a tensor once, or what of it a rank of the group gets that works on the layer,
/// whatever the group of the layer before.
std::vector<double> inputBytes(const LayerProfile& profile, const Group& group = {}) {
    std::vector<double> inputs(profile.layers.size(), 0);
    std::set<std::pair<int, int>> counted;
    for (const LayerEdge& edge : profile.dependencies())
        if (counted.emplace(edge.from, edge.to).second)
            inputs[static_cast<std::size_t>(edge.to)] +=
                profile.layers[static_cast<std::size_t>(edge.from)].outputBytes / group.outsideDivision();
    return inputs;
}

}  // namespace

LayerSums::LayerSums(const LayerProfile& profile)
    : own(timeSums(profile.layers)),
      sizes(measuredSizes(profile)),
      parameters(prefixSums(profile.layers, [](const Layer& layer) { return layer.parameterBytes; })),
      expertParameters(
          prefixSums(profile.layers, [](const Layer& layer) { return layer.expertParameterBytes; })),
      stored(prefixSums(profile.layers, [](const Layer& layer) { return layer.storedActivationBytes; })),
      deferred(prefixSums(profile.layers, [](const Layer& layer) { return layer.keptForWeightGradient(); })),
      cutForward(cutBytes(profile, &Layer::outputBytes)),
      cutBackward(cutBytes(profile, &Layer::outputGradientBytes)),
      inputs(inputBytes(profile)) {
    for (const Layer& layer : profile.layers) {
        scores.push_back(storedBytes(layer, ActivationCause::scores));
        forward.push_back(layer.forwardS);
        scoresRecompute.push_back(layer.scoresRecomputeS);
    }
    if (profile.otherSizes.empty()) return;
    for (const int size : sizes) {
        std::vector<LayerTimes> times;
        for (int layer = 0; layer < profile.layerCount(); ++layer)
            times.push_back(measuredTimes(profile, layer, size));
        bySize.push_back(timeSums(times));
    }
}

LayerSums::LayerSums(const LayerProfile& profile, const Group& group, double imbalance)
    : LayerSums(dividedProfile(profile, group, imbalance)) {
    if (!group.dividesLayers()) return;
    inputs = inputBytes(profile, group);
    sent.emplace_back();
    for (const Layer& layer : profile.layers) {
        SentInside next = sent.back();
        next += sentInside(layer, group);
        sent.push_back(next);
    }
}

const LayerSums& GroupSums::of(const LayerProfile& profile, const Group& group, double imbalance) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const LayerSums>& found = sums_[{group, imbalance}];
    if (!found) found = std::make_unique<const LayerSums>(profile, group, imbalance);
    return *found;
}

}  // namespace stagecraft::cost
