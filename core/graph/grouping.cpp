#include "core/graph/grouping.h"

#include "core/base/indices.h"
#include "core/model/measured_gpus.h"
#include "core/model/profile_sizes.h"
#include "core/model/rank_measurements.h"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

namespace stagecraft::graph {

namespace {

int countOf(const NetworkGraph& graph) { return static_cast<int>(graph.nodes.size()); }
bool isIn(const NetworkGraph& graph, int node) { return graph.layerOf[at(node)] >= 0; }

/// The last node that reads each node's output; the node itself if none does, if there is no output, or if
/// either end is left out.
std::vector<int> lastReaders(const NetworkGraph& graph) {
    std::vector<int> last(graph.nodes.size());
    for (int node = 0; node < countOf(graph); ++node) last[at(node)] = node;
    for (const LayerEdge& edge : graph.edges) {
        const bool sends =
            graph.nodes[at(edge.from)].outputBytes > 0 && isIn(graph, edge.from) && isIn(graph, edge.to);
        if (sends) last[at(edge.from)] = std::max(last[at(edge.from)], edge.to);
    }
    return last;
}

/// By position: the sum of `value` over the nodes whose output crosses after it.
template <class Value>
std::vector<double> sumsCrossing(const NetworkGraph& graph, Value value) {
    const std::vector<int> last = lastReaders(graph);
    std::vector<double> sums(graph.nodes.size(), 0);
    std::vector<int> alive;
    for (int node = 0; node < countOf(graph); ++node) {
        if (last[at(node)] > node) alive.push_back(node);
        std::erase_if(alive, [&](int sender) { return last[at(sender)] <= node; });
        // Summed anew: what is taken off a running sum would leave the rounding of the largest.
        for (const int sender : alive) sums[at(node)] += value(graph.nodes[at(sender)]);
    }
    return sums;
}

double timeOf(const Layer& node) { return node.forwardS + node.backwardS; }

/// Cuts where at most `width` tensors cross or a cut is required.
std::vector<int> cutsOfWidth(const NetworkGraph& graph, const std::vector<int>& crossing, int width,
                             const std::vector<int>& required) {
    std::vector<int> cuts;
    auto next = required.begin();
    for (int node = 0; node < countOf(graph); ++node) {
        while (next != required.end() && *next < node) ++next;
        const bool must = next != required.end() && *next == node;
        if (isIn(graph, node) && (must || crossing[at(node)] <= width)) cuts.push_back(node);
    }
    return cuts;
}

/// The time of the heaviest layer that holds several nodes.
double heaviestGroupS(const NetworkGraph& graph, const std::vector<int>& cuts) {
    double heaviest = 0, sum = 0;
    int members = 0;
    auto cut = cuts.begin();
    for (int node = 0; node < countOf(graph); ++node) {
        if (!isIn(graph, node)) continue;
        sum += timeOf(graph.nodes[at(node)]);
        ++members;
        if (cut != cuts.end() && *cut == node) {
            if (members > 1) heaviest = std::max(heaviest, sum);
            sum = members = 0;
            ++cut;
        }
    }
    return members > 1 ? std::max(heaviest, sum) : heaviest;
}

/// "node12" of "node12 Conv2d(3, 64)".
std::string idOf(const Layer& node) { return node.name.substr(0, node.name.find(' ')); }
std::string withoutArguments(const Layer& node) { return node.name.substr(0, node.name.find('(')); }

std::string nameOf(const NetworkGraph& graph, const std::vector<int>& members) {
    const Layer &first = graph.nodes[at(members.front())], &last = graph.nodes[at(members.back())];
    if (members.size() == 1) return withoutArguments(first);
    const bool telling = idOf(first) != idOf(last);
    return (telling ? idOf(first) : withoutArguments(first)) + "…" +
           (telling ? idOf(last) : withoutArguments(last)) + " (" + std::to_string(members.size()) +
           " nodes)";
}

/// The sum over a layer's nodes; a tensor that several of them keep as their input counts once.
class StoredBytes {
public:
    explicit StoredBytes(const NetworkGraph& graph)
        : graph_(graph), inputs_(graph.nodes.size()), inputBytes_(inputBytes(graph.nodes, graph.edges)) {
        for (const LayerEdge& edge : graph.edges) inputs_[at(edge.to)].push_back(edge.from);
    }
    double of(const std::vector<int>& members) const {
        double bytes = 0;
        std::set<int> kept;
        for (const int node : members) {
            if (graph_.nodes[at(node)].storedActivationBytes != inputBytes_[at(node)])
                bytes += graph_.nodes[at(node)].storedActivationBytes;
            else
                kept.insert(inputs_[at(node)].begin(), inputs_[at(node)].end());
        }
        for (const int node : kept)
            if (isIn(graph_, node)) bytes += graph_.nodes[at(node)].outputBytes;
        return bytes;
    }

private:
    const NetworkGraph& graph_;
    std::vector<std::vector<int>> inputs_;
    std::vector<double> inputBytes_;
};

std::vector<std::vector<int>> membersOf(const NetworkGraph& graph, const std::vector<int>& cuts) {
    std::vector<std::vector<int>> layers;
    auto cut = cuts.begin();
    bool open = false;
    for (int node = 0; node < countOf(graph); ++node) {
        if (isIn(graph, node)) {
            if (!open) layers.emplace_back();
            open = true;
            layers.back().push_back(node);
        }
        while (cut != cuts.end() && *cut <= node) {
            ++cut;
            open = false;
        }
    }
    return layers;
}

double ratio(double now, double then, double otherwise) { return then > 0 ? now / then : otherwise; }

/// What a node takes at another size, by how its layer changes.
LayerTimes nodeTimes(const Layer& node, const Layer& layer, const LayerTimes& other, double sizes) {
    LayerTimes times;
    times.forwardS = node.forwardS * ratio(other.forwardS, layer.forwardS, sizes);
    times.backwardS = node.backwardS * ratio(other.backwardS, layer.backwardS, sizes);
    times.weightGradientS = node.weightGradientS * ratio(other.weightGradientS, layer.weightGradientS, sizes);
    return times;
}

/// The tensors that cross after a node, by the nodes that made them.
std::vector<int> crossingAfter(const NetworkGraph& graph, int position) {
    const std::vector<int> last = lastReaders(graph);
    std::vector<int> makers;
    for (int node = 0; node <= position; ++node)
        if (last[at(node)] > position) makers.push_back(node);
    return makers;
}

std::string listed(const NetworkGraph& graph, const std::vector<int>& nodes) {
    constexpr std::size_t most = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(nodes.size(), most); ++i)
        text += (i == 0 ? "" : ", ") + idOf(graph.nodes[at(nodes[i])]);
    if (nodes.size() > most) text += " and " + std::to_string(nodes.size() - most) + " more";
    return text;
}

std::string tensors(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " tensor" : " tensors");
}

}  // namespace

std::vector<double> inputBytes(const std::vector<Layer>& nodes, const std::vector<LayerEdge>& edges) {
    std::vector<double> bytes(nodes.size(), 0);
    for (const LayerEdge& edge : edges) bytes[at(edge.to)] += nodes[at(edge.from)].outputBytes;
    return bytes;
}

std::vector<int> tensorsCrossing(const NetworkGraph& graph) {
    const std::vector<double> sums = sumsCrossing(graph, [](const Layer&) { return 1.0; });
    return {sums.begin(), sums.end()};
}

ChosenCuts chooseCuts(const NetworkGraph& graph, const std::vector<int>& required) {
    constexpr int widest = 8;
    const double fineEnough = std::max(1.0 / 8, 4.0 / std::max(1, countOf(graph)));
    const std::vector<int> crossing = tensorsCrossing(graph);
    double total = 0;
    for (int node = 0; node < countOf(graph); ++node)
        if (isIn(graph, node)) total += timeOf(graph.nodes[at(node)]);
    ChosenCuts chosen;
    double heaviest = std::numeric_limits<double>::infinity();
    for (int width = 1; width <= widest && heaviest > total * fineEnough; ++width) {
        std::vector<int> cuts = cutsOfWidth(graph, crossing, width, required);
        const double heaviestNow = heaviestGroupS(graph, cuts);
        if (!(heaviestNow < heaviest)) continue;
        heaviest = heaviestNow;
        chosen = {std::move(cuts), width};
    }
    return chosen;
}

void groupOperators(LayerProfile& profile, const std::vector<int>& cuts) {
    NetworkGraph& graph = profile.operators;
    const StoredBytes stored(graph);
    const std::vector<double> outputs =
        sumsCrossing(graph, [](const Layer& node) { return node.outputBytes; });
    const std::vector<double> gradients =
        sumsCrossing(graph, [](const Layer& node) { return node.outputGradientBytes; });
    const std::vector<std::vector<int>> layers = membersOf(graph, cuts);
    profile.layers.clear();
    profile.edges.clear();
    for (const std::vector<int>& members : layers) {
        Layer layer;
        layer.name = nameOf(graph, members);
        double deferred = 0;
        bool saysDeferred = false, saysParts = false;
        DivisionSum division;
        RankMeasurementSum onRanks;
        layer.flops = 0;
        for (const int node : members) {
            const Layer& part = graph.nodes[at(node)];
            division.add(part);
            onRanks.add(part);
            addFlops(layer, part);
            addStoredParts(layer.storedParts, part);
            saysParts = saysParts || !part.storedParts.empty();
            layer.scoresRecomputeS += part.scoresRecomputeS;
            layer.expertParameterBytes += part.expertParameterBytes;
            layer.forwardS += part.forwardS;
            layer.backwardS += part.backwardS;
            layer.parameterBytes += part.parameterBytes;
            layer.weightGradientS += part.weightGradientS;
            deferred += part.keptForWeightGradient();
            saysDeferred = saysDeferred || part.weightGradientBytes;
        }
        layer.weightGradientS = std::min(layer.weightGradientS, layer.backwardS);
        layer.outputBytes = outputs[at(members.back())];
        layer.outputGradientBytes = gradients[at(members.back())];
        layer.storedActivationBytes = stored.of(members);
        if (saysDeferred) layer.weightGradientBytes = deferred;
        if (!saysParts || !storedPartsAddUp(layer)) layer.storedParts.clear();
        layer.division = division.of(layer);
        layer.onRanks = onRanks.of(layer);
        profile.layers.push_back(std::move(layer));
    }
    for (std::size_t layer = 0; layer < layers.size(); ++layer)
        for (const int node : layers[layer]) graph.layerOf[at(node)] = static_cast<int>(layer);
}

std::vector<int> cutsOf(const LayerProfile& profile) {
    const NetworkGraph& graph = profile.operators;
    std::vector<int> cuts;
    int before = -1;
    for (int node = 0; node < countOf(graph); ++node) {
        if (!isIn(graph, node)) continue;
        if (before >= 0 && graph.layerOf[at(node)] != graph.layerOf[at(before)]) cuts.push_back(before);
        before = node;
    }
    if (before >= 0) cuts.push_back(before);
    return cuts;
}

namespace {

/// Of layers of the same nodes: each node has its part of what its layer takes.
/// @param made the profile, grouped another way
std::vector<LayerTimes> regroupedTimes(const LayerProfile& profile, const LayerProfile& made,
                                       const TimesAtSize& then) {
    const NetworkGraph& graph = profile.operators;
    std::vector<LayerTimes> now(made.layers.size());
    const double sizes = static_cast<double>(then.microbatchSize) / profile.microbatchSize;
    for (int node = 0; node < countOf(graph); ++node) {
        if (!isIn(graph, node)) continue;
        const std::size_t layer = at(graph.layerOf[at(node)]);
        const LayerTimes times =
            nodeTimes(graph.nodes[at(node)], profile.layers[layer], then.layers[layer], sizes);
        LayerTimes& sum = now[at(made.operators.layerOf[at(node)])];
        sum.forwardS += times.forwardS;
        sum.backwardS += times.backwardS;
        sum.weightGradientS = std::min(sum.weightGradientS + times.weightGradientS, sum.backwardS);
    }
    return now;
}

}  // namespace

LayerProfile regrouped(const LayerProfile& profile, const std::vector<int>& cuts) {
    if (!operatorsDescribeLayers(profile))
        throw std::invalid_argument("the profile does not know the nodes that its layers are made of");
    const NetworkGraph& graph = profile.operators;
    std::vector<int> all = cuts;
    const int last = cutsOf(profile).back();
    if (all.empty() || all.back() != last) all.push_back(last);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] < 0 || all[i] > last)
            throw std::invalid_argument("no node " + std::to_string(all[i]) + " to cut after");
        if (!isIn(graph, all[i]))
            throw std::invalid_argument("node " + std::to_string(all[i]) +
                                        " is part of no layer; a cut comes after a node that is");
        if (i > 0 && all[i] <= all[i - 1])
            throw std::invalid_argument("the cut after node " + std::to_string(all[i]) +
                                        " does not come later than that after node " +
                                        std::to_string(all[i - 1]));
    }
    LayerProfile made = profile;
    groupOperators(made, all);
    for (std::size_t size = 0; size < profile.otherSizes.size(); ++size)
        made.otherSizes[size].layers = regroupedTimes(profile, made, profile.otherSizes[size]);
    for (const std::string& gpu : measuredGpus(profile)) {
        const LayerProfile then = profileOn(profile, gpu);
        LayerProfile now;
        now.layers.resize(made.layers.size());
        for (const int size : measuredSizes(then)) {
            TimesAtSize times{size, {}};
            for (int layer = 0; layer < then.layerCount(); ++layer)
                times.layers.push_back(measuredTimes(then, layer, size));
            now.microbatchSize = size;
            const std::vector<LayerTimes> own = regroupedTimes(profile, made, times);
            for (std::size_t layer = 0; layer < own.size(); ++layer)
                setLayerTimes(now.layers[layer], own[layer]);
            addMeasurements(now, gpu, made);
        }
    }
    return made;
}

std::string whyOneLayer(const LayerProfile& profile, int layer) {
    if (!operatorsDescribeLayers(profile)) return {};
    const NetworkGraph& graph = profile.operators;
    std::vector<int> members;
    for (int node = 0; node < countOf(graph); ++node)
        if (graph.layerOf[at(node)] == layer) members.push_back(node);
    const std::vector<int> crossing = tensorsCrossing(graph);
    std::string text;
    if (members.size() == 1) {
        text = idOf(graph.nodes[at(members.front())]) + " alone is this layer.";
    } else {
        const auto narrowest = *std::min_element(members.begin(), members.end() - 1, [&](int a, int b) {
            return crossing[at(a)] < crossing[at(b)];
        });
        const std::vector<int> inside = crossingAfter(graph, narrowest);
        text =
            std::to_string(members.size()) +
            " nodes are one layer, since a cut between them would be crossed by " +
            (inside.size() > 1 ? "at least " : "") + tensors(inside.size()) +
            (inside.empty() ? ""
                            : ": after " + idOf(graph.nodes[at(narrowest)]) + " by what " +
                                  listed(graph, inside) + " hand" + (inside.size() == 1 ? "s" : "") + " on") +
            ".";
    }
    const std::vector<int> behind = crossingAfter(graph, members.back());
    if (behind.empty()) return text + " Nothing is passed on to later layers.";
    return text + " After it " + tensors(behind.size()) + " cross" + (behind.size() == 1 ? "es" : "") +
           " to later layers: of " + listed(graph, behind) + ".";
}

bool operatorsDescribeLayers(const LayerProfile& profile) {
    const NetworkGraph& graph = profile.operators;
    if (graph.nodes.empty() || graph.layerOf.size() != graph.nodes.size()) return false;
    for (const LayerEdge& edge : graph.edges)
        if (edge.from < 0 || edge.to <= edge.from || edge.to >= countOf(graph)) return false;
    int layer = -1;
    for (const int next : graph.layerOf) {
        if (next < 0) continue;
        if (next != layer && next != layer + 1) return false;
        layer = next;
    }
    return layer + 1 == profile.layerCount();
}

}  // namespace stagecraft::graph
