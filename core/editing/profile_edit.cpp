#include "core/editing/profile_edit.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/editing/edge_edit.h"
#include "core/editing/refused_edit.h"
#include "core/graph/grouping.h"
#include "core/model/measured_gpus.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace stagecraft::editing {

namespace {

std::vector<bool> marked(const LayerProfile& profile, const std::vector<int>& layers) {
    if (layers.empty()) refuseEdit("No layer is selected.");
    std::vector<bool> marks(profile.layers.size(), false);
    for (const int layer : layers) {
        if (layer < 0 || layer >= profile.layerCount())
            refuseEdit("There is no layer " + std::to_string(layer) + ".");
        marks[at(layer)] = true;
    }
    return marks;
}

/// Which of the nodes belong to the marked layers.
std::vector<bool> nodesOf(const NetworkGraph& graph, const std::vector<bool>& layers) {
    std::vector<bool> marks(graph.nodes.size());
    for (std::size_t node = 0; node < marks.size(); ++node)
        marks[node] = graph.layerOf[node] >= 0 && layers[at(graph.layerOf[node])];
    return marks;
}

/// The nodes of one layer, ascending; none for a layer beyond the ends.
std::vector<int> nodesOf(const NetworkGraph& graph, int layer) {
    std::vector<int> nodes;
    for (int node = 0; at(node) < graph.nodes.size() && layer >= 0; ++node)
        if (graph.layerOf[at(node)] == layer) nodes.push_back(node);
    return nodes;
}

/// Those of the nodes that something outside of them reads; without any, the last one.
std::vector<int> exitsOf(const NetworkGraph& graph, const std::vector<int>& nodes) {
    std::vector<int> exits;
    for (const LayerEdge& edge : graph.edges)
        if (std::binary_search(nodes.begin(), nodes.end(), edge.from) && edge.to > nodes.back())
            exits.push_back(edge.from);
    std::sort(exits.begin(), exits.end());
    exits.erase(std::unique(exits.begin(), exits.end()), exits.end());
    if (exits.empty()) exits.push_back(nodes.back());
    return exits;
}

void scaleTimes(RankMeasurement& measured, std::initializer_list<double LayerTimes::*> parts, double factor) {
    if (!measured.times) return;
    for (double LayerTimes::*part : parts) (*measured.times).*part *= factor;
    measured.times->weightGradientS = std::min(measured.times->weightGradientS, measured.times->backwardS);
}

/// What was measured on ranks changes with the layer.
void scaleOnRanks(Layer& layer, ProfileNumbers numbers, double factor) {
    for (RankMeasurement& measured : layer.onRanks) {
        if (numbers == ProfileNumbers::times)
            scaleTimes(measured,
                       {&LayerTimes::forwardS, &LayerTimes::backwardS, &LayerTimes::weightGradientS}, factor);
        if (numbers == ProfileNumbers::activations && measured.storedActivationBytes)
            *measured.storedActivationBytes *= factor;
        if (numbers == ProfileNumbers::parameters && measured.parameterBytes)
            *measured.parameterBytes *= factor;
    }
}

void scale(Layer& layer, ProfileNumbers numbers, double factor) {
    scaleOnRanks(layer, numbers, factor);
    switch (numbers) {
        case ProfileNumbers::times:
            for (double Layer::*field : {&Layer::forwardS, &Layer::backwardS, &Layer::weightGradientS})
                layer.*field *= factor;
            layer.scoresRecomputeS *= factor;
            return;
        case ProfileNumbers::activations:
            for (double Layer::*field :
                 {&Layer::outputBytes, &Layer::outputGradientBytes, &Layer::storedActivationBytes})
                layer.*field *= factor;
            if (layer.weightGradientBytes) *layer.weightGradientBytes *= factor;
            scaleStoredParts(layer, factor);
            scaleSentBytes(layer, factor);
            return;
        case ProfileNumbers::parameters:
            layer.parameterBytes *= factor;
            layer.expertParameterBytes *= factor;
    }
}

/// What is a part of a number stays the same part of it.
void keepShares(Layer& layer, double Layer::*field, double before) {
    const double factor = layer.*field / before;
    if (field == &Layer::storedActivationBytes) scaleStoredParts(layer, factor);
    if (!(before > 0)) {
        // Nothing that was measured on ranks is known to be a part of what was nothing; other GPUs take as
        // long as before.
        if (layer.*field > 0)
            std::erase_if(layer.onRanks, [](const RankMeasurement& each) { return each.gpu.empty(); });
        return;
    }
    if (field == &Layer::storedActivationBytes) scaleOnRanks(layer, ProfileNumbers::activations, factor);
    if (field == &Layer::parameterBytes) scaleOnRanks(layer, ProfileNumbers::parameters, factor);
    for (RankMeasurement& measured : layer.onRanks) {
        if (field == &Layer::forwardS) scaleTimes(measured, {&LayerTimes::forwardS}, factor);
        if (field == &Layer::weightGradientS) scaleTimes(measured, {&LayerTimes::weightGradientS}, factor);
        if (field == &Layer::backwardS)
            scaleTimes(measured, {&LayerTimes::backwardS, &LayerTimes::weightGradientS}, factor);
    }
    if (field == &Layer::forwardS) layer.scoresRecomputeS *= factor;
    if (field == &Layer::parameterBytes) layer.expertParameterBytes *= factor;
}

/// A layer that others put together, parts and wholes each for themselves.
void settleParts(Layer& layer) {
    if (!storedPartsAddUp(layer)) {
        layer.storedParts.clear();
        layer.division.reset();
    }
    layer.scoresRecomputeS = std::min(layer.scoresRecomputeS, layer.forwardS);
    layer.expertParameterBytes = std::min(layer.expertParameterBytes, layer.parameterBytes);
}

/// The nodes of a layer take their shares of its new number, which was `before`; see setLayerNumber.
void shareOut(NetworkGraph& graph, const std::vector<int>& nodes, const Layer& layer, double Layer::*field,
              double before) {
    const bool addsUp = field == &Layer::forwardS || field == &Layer::backwardS ||
                        field == &Layer::weightGradientS || field == &Layer::parameterBytes;
    if (!addsUp && nodes.size() > 1) return;
    for (const int node : nodes) {
        Layer& part = graph.nodes[at(node)];
        const double share = before > 0 ? part.*field / before : 1.0 / static_cast<double>(nodes.size());
        const double partBefore = std::exchange(part.*field, layer.*field * share);
        keepShares(part, field, partBefore);
        if (field == &Layer::backwardS && layer.backwardS > 0)
            part.weightGradientS = part.backwardS * (layer.weightGradientS / layer.backwardS);
        part.weightGradientS = std::min(part.weightGradientS, part.backwardS);
    }
}

/// Times at another size of layers that were not measured at it: in proportion.
LayerTimes inProportion(const Layer& layer, int size, int otherSize) {
    const double factor = static_cast<double>(otherSize) / size;
    return {layer.forwardS * factor, layer.backwardS * factor, layer.weightGradientS * factor};
}

template <class T>
void keepUnmarked(std::vector<T>& list, const std::vector<bool>& gone) {
    std::size_t to = 0;
    for (std::size_t from = 0; from < list.size(); ++from)
        if (!gone[from]) {
            if (to != from) list[to] = std::move(list[from]);
            ++to;
        }
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(to), list.end());
}

/// Makes `copies` of the entries from first to last, in a row.
template <class T, class Copy>
void repeatRun(std::vector<T>& list, int first, int last, int copies, Copy copyOf) {
    const std::vector<T> run(list.begin() + first, list.begin() + last + 1);
    std::vector<T> added;
    for (int copy = 1; copy < copies; ++copy)
        for (const T& entry : run) added.push_back(copyOf(entry, copy));
    list.insert(list.begin() + last + 1, added.begin(), added.end());
}

/// Drops nodes that do not fit the layers, before layers come or go.
void dropLooseNodes(LayerProfile& profile) {
    if (!operatorsDescribeLayers(profile)) profile.operators = {};
}

void insertNodes(NetworkGraph& graph, int layer, const std::vector<Layer>& layers) {
    const std::vector<int> before = nodesOf(graph, layer - 1), after = nodesOf(graph, layer);
    const int count = static_cast<int>(layers.size());
    const int position = !after.empty()    ? after.front()
                         : !before.empty() ? before.back() + 1
                                           : static_cast<int>(graph.nodes.size());
    std::vector<int> outputs = before;
    if (!before.empty()) outputs = exitsOf(graph, before);
    graph.edges = edgesWithInserted(graph.edges, position, count, outputs, after);
    graph.nodes.insert(graph.nodes.begin() + position, layers.begin(), layers.end());
    for (int& own : graph.layerOf)
        if (own >= layer) own += count;
    std::vector<int> added(layers.size());
    std::iota(added.begin(), added.end(), layer);
    graph.layerOf.insert(graph.layerOf.begin() + position, added.begin(), added.end());
}

void repeatNodes(NetworkGraph& graph, int first, int last, int copies) {
    const int firstNode = nodesOf(graph, first).front(), lastNode = nodesOf(graph, last).back();
    const int layers = last - first + 1;
    std::vector<int> run(at(lastNode - firstNode + 1));
    std::iota(run.begin(), run.end(), firstNode);
    const auto isBefore = [&](int node) { return graph.layerOf[at(node)] == first - 1; };
    graph.edges = edgesWithRepeated(graph.edges, firstNode, lastNode, copies, isBefore, exitsOf(graph, run));
    for (std::size_t node = at(lastNode) + 1; node < graph.layerOf.size(); ++node)
        if (graph.layerOf[node] >= 0) graph.layerOf[node] += (copies - 1) * layers;
    repeatRun(graph.nodes, firstNode, lastNode, copies, [](const Layer& node, int) { return node; });
    repeatRun(graph.layerOf, firstNode, lastNode, copies,
              [&](int layer, int copy) { return layer < 0 ? layer : layer + copy * layers; });
}

}  // namespace

std::vector<int> asRun(std::vector<int> layers) {
    std::sort(layers.begin(), layers.end());
    for (std::size_t i = 1; i < layers.size(); ++i)
        if (layers[i] != layers[i - 1] + 1) return {};
    return layers;
}

LayerProfile scaleLayers(const LayerProfile& profile, const std::vector<int>& layers, ProfileNumbers numbers,
                         double factor) {
    if (!std::isfinite(factor) || factor < 0) refuseEdit("The factor has to be a number of 0 or more.");
    const std::vector<bool> marks = marked(profile, layers);
    LayerProfile made = profile;
    for (const int layer : layers) {
        scale(made.layers[at(layer)], numbers, factor);
        if (numbers != ProfileNumbers::times) continue;
        for (TimesAtSize& other : made.otherSizes) {
            LayerTimes& times = other.layers[at(layer)];
            times = {times.forwardS * factor, times.backwardS * factor, times.weightGradientS * factor};
        }
    }
    if (operatorsDescribeLayers(profile)) {
        const std::vector<bool> nodes = nodesOf(profile.operators, marks);
        for (std::size_t node = 0; node < nodes.size(); ++node)
            if (nodes[node]) scale(made.operators.nodes[node], numbers, factor);
    }
    for (const Layer& layer : made.layers)
        for (const double number :
             {layer.forwardS, layer.backwardS, layer.parameterBytes, layer.outputBytes,
              layer.outputGradientBytes, layer.storedActivationBytes, layer.keptForWeightGradient()})
            if (!std::isfinite(number)) refuseEdit("With that factor numbers get too large.");
    return made;
}

LayerProfile setLayerNumber(const LayerProfile& profile, const std::vector<int>& layers, double Layer::*field,
                            double value) {
    if (!std::isfinite(value) || value < 0) refuseEdit("A time or size has to be a number of 0 or more.");
    marked(profile, layers);
    LayerProfile made = profile;
    const bool nodesKnown = operatorsDescribeLayers(profile);
    for (const int index : layers) {
        Layer& layer = made.layers[at(index)];
        const double before = std::exchange(layer.*field, value);
        keepShares(layer, field, before);
        if (field == &Layer::backwardS)
            layer.weightGradientS =
                before > 0 ? std::min(value, layer.weightGradientS * (value / before)) : value / 2;
        if (layer.weightGradientS > layer.backwardS)
            refuseEdit("The weight gradient of layer " + std::to_string(index) +
                       " would take longer than its whole backward.");
        if (nodesKnown) shareOut(made.operators, nodesOf(made.operators, index), layer, field, before);
    }
    return made;
}

LayerProfile setWeightGradientBytes(const LayerProfile& profile, const std::vector<int>& layers,
                                    std::optional<double> bytes) {
    if (bytes && (!std::isfinite(*bytes) || *bytes < 0))
        refuseEdit("A size has to be a number of 0 or more.");
    marked(profile, layers);
    LayerProfile made = profile;
    const bool nodesKnown = operatorsDescribeLayers(profile);
    for (const int index : layers) {
        made.layers[at(index)].weightGradientBytes = bytes;
        if (!nodesKnown) continue;
        if (const std::vector<int> nodes = nodesOf(made.operators, index); nodes.size() == 1)
            made.operators.nodes[at(nodes.front())].weightGradientBytes = bytes;
    }
    return made;
}

LayerProfile replaceLayers(const LayerProfile& profile, int first, const std::vector<Layer>& layers) {
    const int count = static_cast<int>(layers.size());
    if (first < 0 || first + count > profile.layerCount()) refuseEdit("There are not that many layers.");
    LayerProfile made = profile;
    const bool nodesKnown = operatorsDescribeLayers(profile);
    for (int index = 0; index < count; ++index) {
        Layer& layer = made.layers[at(first + index)];
        const Layer before = std::exchange(layer, layers[at(index)]);
        if (!storedPartsAddUp(layer))
            keepShares(layer, &Layer::storedActivationBytes, before.storedActivationBytes);
        settleParts(layer);
        if (!nodesKnown) continue;
        const std::vector<int> nodes = nodesOf(made.operators, first + index);
        for (double Layer::*field :
             {&Layer::forwardS, &Layer::backwardS, &Layer::weightGradientS, &Layer::parameterBytes,
              &Layer::outputBytes, &Layer::outputGradientBytes, &Layer::storedActivationBytes})
            if (layer.*field != before.*field) shareOut(made.operators, nodes, layer, field, before.*field);
    }
    return made;
}

LayerProfile withTimesOn(const LayerProfile& profile, const LayerProfile& measured, const std::string& gpu) {
    const bool isNamed = std::ranges::any_of(gpu, [](unsigned char each) { return std::isalnum(each) != 0; });
    if (!isNamed) refuseEdit("A type of GPU needs a name, such as V100-16.");
    if (measured.layerCount() != profile.layerCount())
        refuseEdit("The times on " + gpu + " are of " + counted(measured.layerCount(), "layer") +
                   ", the profile has " + std::to_string(profile.layerCount()) + ".");
    LayerProfile made = profile;
    addMeasurements(measured, gpu, made);
    return made;
}

LayerProfile renameLayers(const LayerProfile& profile, const std::vector<int>& layers,
                          const std::string& name) {
    marked(profile, layers);
    LayerProfile made = profile;
    for (const int layer : layers) made.layers[at(layer)].name = name;
    return made;
}

LayerProfile insertLayers(const LayerProfile& profile, int position, const std::vector<Layer>& layers) {
    if (position < 0 || position > profile.layerCount())
        refuseEdit("There is no place before layer " + std::to_string(position) + ".");
    if (layers.empty()) return profile;
    LayerProfile made = profile;
    dropLooseNodes(made);
    if (!made.operators.nodes.empty()) insertNodes(made.operators, position, layers);
    if (!made.edges.empty()) {
        std::vector<int> before, after;
        if (position > 0) before = {position - 1};
        if (position < profile.layerCount()) after = {position};
        made.edges = edgesWithInserted(made.edges, position, static_cast<int>(layers.size()), before, after);
    }
    made.layers.insert(made.layers.begin() + position, layers.begin(), layers.end());
    for (TimesAtSize& other : made.otherSizes) {
        std::vector<LayerTimes> times;
        for (const Layer& layer : layers)
            times.push_back(inProportion(layer, profile.microbatchSize, other.microbatchSize));
        other.layers.insert(other.layers.begin() + position, times.begin(), times.end());
    }
    return made;
}

LayerProfile repeatLayers(const LayerProfile& profile, int first, int last, int copies) {
    constexpr double most = 1e5;
    if (first < 0 || last < first || last >= profile.layerCount())
        refuseEdit("There is no such run of layers.");
    if (copies < 2) refuseEdit("The number of copies must be at least 2.");
    if (double(copies) * (last - first + 1) > most) refuseEdit("That would be more than 100 000 layers.");
    LayerProfile made = profile;
    dropLooseNodes(made);
    if (!made.operators.nodes.empty()) repeatNodes(made.operators, first, last, copies);
    if (!made.edges.empty())
        made.edges = edgesWithRepeated(made.edges, first, last, copies,
                                       [&](int layer) { return layer == first - 1; }, {last});
    repeatRun(made.layers, first, last, copies, [](Layer layer, int copy) {
        layer.name += " (" + std::to_string(copy + 1) + ")";
        return layer;
    });
    for (TimesAtSize& other : made.otherSizes)
        repeatRun(other.layers, first, last, copies, [](const LayerTimes& times, int) { return times; });
    return made;
}

LayerProfile deleteLayers(const LayerProfile& profile, const std::vector<int>& layers) {
    const std::vector<bool> gone = marked(profile, layers);
    if (std::count(gone.begin(), gone.end(), false) == 0)
        refuseEdit("All layers are selected; a profile needs at least one.");
    LayerProfile made = profile;
    dropLooseNodes(made);
    NetworkGraph& graph = made.operators;
    const std::vector<bool> goneNodes = nodesOf(graph, gone);
    graph.edges = edgesWithout(graph.edges, goneNodes);
    keepUnmarked(graph.nodes, goneNodes);
    keepUnmarked(graph.layerOf, goneNodes);
    std::vector<int> index(gone.size(), 0);
    for (std::size_t layer = 1; layer < gone.size(); ++layer)
        index[layer] = index[layer - 1] + (gone[layer - 1] ? 0 : 1);
    for (int& layer : graph.layerOf)
        if (layer >= 0) layer = index[at(layer)];
    if (!made.edges.empty()) made.edges = edgesWithout(made.edges, gone);
    keepUnmarked(made.layers, gone);
    for (TimesAtSize& other : made.otherSizes) keepUnmarked(other.layers, gone);
    if (made.isChain()) made.edges.clear();
    return made;
}

}  // namespace stagecraft::editing
