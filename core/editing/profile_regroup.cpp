#include "core/base/indices.h"
#include "core/editing/refused_edit.h"
#include "core/graph/grouping.h"

#include "core/base/counted.h"
#include "core/editing/profile_edit.h"
#include "core/model/rank_measurements.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::editing {

namespace {

void requireNodes(const LayerProfile& profile) {
    if (!operatorsDescribeLayers(profile))
        refuseEdit("The profile does not know the nodes that its layers are made of.");
}

void requireLayers(const LayerProfile& profile, const std::vector<int>& layers) {
    if (layers.empty()) refuseEdit("No layer is selected.");
    for (const int layer : layers)
        if (layer < 0 || layer >= profile.layerCount())
            refuseEdit("There is no layer " + std::to_string(layer) + ".");
}

/// First and last node of each layer.
std::vector<std::pair<int, int>> spansOf(const LayerProfile& profile) {
    std::vector<std::pair<int, int>> spans(profile.layers.size(), {-1, -1});
    for (std::size_t node = 0; node < profile.operators.nodes.size(); ++node) {
        const int layer = profile.operators.layerOf[node];
        if (layer < 0) continue;
        auto& [first, last] = spans[at(layer)];
        if (first < 0) first = static_cast<int>(node);
        last = static_cast<int>(node);
    }
    return spans;
}

/// regrouped(), but layers that stay as they are keep numbers and names that were given to them by hand.
LayerProfile regroupedByHand(const LayerProfile& profile, const std::vector<int>& cuts) {
    LayerProfile made = regrouped(profile, cuts);
    const auto before = spansOf(profile), after = spansOf(made);
    std::size_t old = 0;
    for (std::size_t layer = 0; layer < after.size(); ++layer) {
        while (old < before.size() && before[old].first < after[layer].first) ++old;
        if (old == before.size() || before[old] != after[layer]) continue;
        made.layers[layer] = profile.layers[old];
        for (std::size_t size = 0; size < profile.otherSizes.size(); ++size)
            made.otherSizes[size].layers[layer] = profile.otherSizes[size].layers[old];
    }
    return made;
}

/// What goes beyond the last of a run of layers: the outputs that are read there, or the last layer's.
Layer mergedLayer(const LayerProfile& profile, int first, int last) {
    Layer merged;
    const Layer &from = profile.layers[at(first)], &to = profile.layers[at(last)];
    merged.name = from.name + "…" + to.name + " (" + counted(last - first + 1, "layer") + ")";
    double deferred = 0;
    bool saysDeferred = false, saysParts = false;
    DivisionSum division;
    RankMeasurementSum onRanks;
    merged.flops = 0;
    for (int layer = first; layer <= last; ++layer) {
        const Layer& part = profile.layers[at(layer)];
        division.add(part);
        onRanks.add(part);
        addFlops(merged, part);
        addStoredParts(merged.storedParts, part);
        saysParts = saysParts || !part.storedParts.empty();
        merged.scoresRecomputeS += part.scoresRecomputeS;
        merged.expertParameterBytes += part.expertParameterBytes;
        deferred += part.keptForWeightGradient();
        saysDeferred = saysDeferred || part.weightGradientBytes;
        merged.forwardS += part.forwardS;
        merged.backwardS += part.backwardS;
        merged.weightGradientS += part.weightGradientS;
        merged.parameterBytes += part.parameterBytes;
        merged.storedActivationBytes += part.storedActivationBytes;
    }
    merged.weightGradientS = std::min(merged.weightGradientS, merged.backwardS);  // rounding
    if (saysDeferred) merged.weightGradientBytes = deferred;
    if (!saysParts) merged.storedParts.clear();
    merged.division = division.of(merged);
    merged.onRanks = onRanks.of(merged);
    std::vector<bool> isRead(profile.layers.size(), false);
    for (const LayerEdge& edge : profile.edges)
        if (edge.to > last) isRead[at(edge.from)] = true;
    isRead[at(last)] = true;
    for (int layer = first; layer <= last; ++layer) {
        if (!isRead[at(layer)]) continue;
        merged.outputBytes += profile.layers[at(layer)].outputBytes;
        merged.outputGradientBytes += profile.layers[at(layer)].outputGradientBytes;
    }
    return merged;
}

void contractEdges(LayerProfile& profile, int first, int last) {
    const auto moved = [&](int layer) {
        return layer <= first ? layer : layer <= last ? first : layer - (last - first);
    };
    std::vector<LayerEdge> edges;
    for (const LayerEdge& edge : profile.edges) {
        const LayerEdge now{moved(edge.from), moved(edge.to)};
        if (now.from != now.to && std::find(edges.begin(), edges.end(), now) == edges.end())
            edges.push_back(now);
    }
    profile.edges = std::move(edges);
    if (profile.isChain()) profile.edges.clear();
}

/// Keeps the first of the entries from first to last.
template <class T>
void keepFirst(std::vector<T>& list, int first, int last) {
    list.erase(list.begin() + first + 1, list.begin() + last + 1);
}

LayerProfile mergedWithoutNodes(const LayerProfile& profile, int first, int last) {
    LayerProfile made = profile;
    made.operators = {};
    made.layers[at(first)] = mergedLayer(profile, first, last);
    keepFirst(made.layers, first, last);
    for (TimesAtSize& other : made.otherSizes) {
        LayerTimes& sum = other.layers[at(first)];
        for (int layer = first + 1; layer <= last; ++layer) {
            const LayerTimes& part = other.layers[at(layer)];
            sum.forwardS += part.forwardS;
            sum.backwardS += part.backwardS;
            sum.weightGradientS += part.weightGradientS;
        }
        sum.weightGradientS = std::min(sum.weightGradientS, sum.backwardS);
        keepFirst(other.layers, first, last);
    }
    contractEdges(made, first, last);
    return made;
}

}  // namespace

LayerProfile mergeLayers(const LayerProfile& profile, const std::vector<int>& layers) {
    requireLayers(profile, layers);
    const std::vector<int> run = asRun(layers);
    if (run.empty()) refuseEdit("The layers are not neighbours; select layers that follow one another.");
    if (run.size() == 1) refuseEdit("One layer alone cannot be merged; select several neighbours.");
    const int first = run.front(), last = run.back();
    if (!operatorsDescribeLayers(profile)) return mergedWithoutNodes(profile, first, last);
    const auto spans = spansOf(profile);
    std::vector<int> cuts = cutsOf(profile);
    std::erase_if(cuts,
                  [&](int cut) { return spans[at(first)].second <= cut && cut < spans[at(last)].second; });
    return regroupedByHand(profile, cuts);
}

LayerProfile splitLayers(const LayerProfile& profile, const std::vector<int>& layers) {
    requireLayers(profile, layers);
    requireNodes(profile);
    std::vector<int> cuts = cutsOf(profile);
    const std::size_t before = cuts.size();
    std::vector<bool> marks(profile.layers.size(), false);
    for (const int layer : layers) marks[at(layer)] = true;
    const std::vector<int>& layerOf = profile.operators.layerOf;
    for (std::size_t node = 0; node < layerOf.size(); ++node)
        if (layerOf[node] >= 0 && marks[at(layerOf[node])]) cuts.push_back(static_cast<int>(node));
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    if (cuts.size() == before) refuseEdit("Each of these layers is one node already.");
    return regroupedByHand(profile, cuts);
}

LayerProfile toggleCut(const LayerProfile& profile, int node) {
    requireNodes(profile);
    std::vector<int> cuts = cutsOf(profile);
    if (node == cuts.back()) refuseEdit("There is nothing to cut off after the last node.");
    const auto place = std::lower_bound(cuts.begin(), cuts.end(), node);
    if (place != cuts.end() && *place == node)
        cuts.erase(place);
    else
        cuts.insert(place, node);
    return regroupedByHand(profile, cuts);
}

LayerProfile regroupAfresh(const LayerProfile& profile) {
    requireNodes(profile);
    return regroupedByHand(profile, chooseCuts(profile.operators).cuts);
}

}  // namespace stagecraft::editing
