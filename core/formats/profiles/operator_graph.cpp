#include "core/formats/profiles/operator_graph.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/json_writer.h"
#include "core/graph/grouping.h"
#include "core/graph/linearise.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

namespace stagecraft::formats {

namespace {

/// The nodes that are not left out, in the order of the chain.
std::vector<int> lineUp(const OperatorGraph& graph) {
    std::vector<int> kept;
    for (int node = 0; at(node) < graph.nodes.size(); ++node)
        if (!graph.nodes[at(node)].leftOut) kept.push_back(node);
    std::stable_sort(kept.begin(), kept.end(),
                     [&](int a, int b) { return graph.nodes[at(a)].number < graph.nodes[at(b)].number; });
    std::vector<int> rank(graph.nodes.size(), -1);
    for (std::size_t i = 0; i < kept.size(); ++i) rank[at(kept[i])] = static_cast<int>(i);
    std::vector<LayerEdge> edges;
    for (const LayerEdge& edge : graph.edges)
        if (rank[at(edge.from)] >= 0 && rank[at(edge.to)] >= 0)
            edges.push_back({rank[at(edge.from)], rank[at(edge.to)]});
    std::vector<int> order = chainOrder(edges, static_cast<int>(kept.size()));
    for (int& node : order) node = kept[at(node)];
    return order;
}

/// The stages that come with a graph, as far as they can be used.
class Split {
public:
    explicit Split(const OperatorGraph& graph) : graph_(graph), why_(graph.whyNoSplit) {
        if (graph.splitName.empty() || !why_.empty()) return;
        for (const OperatorNode& node : graph.nodes) {
            if (node.leftOut) continue;
            if (node.stage < 0) fail("node " + node.id + " has no stage");
            place_.emplace(node.stage, 0);
        }
        if (why_.empty()) orderStages();
    }

    bool usable() const { return why_.empty() && !place_.empty(); }
    const std::string& why() const { return why_; }
    /// The node's stage, counted in the order in which stages follow one another.
    int place(int node) const { return place_.at(graph_.nodes[at(node)].stage); }
    int replicas(int place) const {
        for (const auto& [stage, own] : place_)
            if (own == place && at(stage) < graph_.replicas.size()) return graph_.replicas[at(stage)];
        return 1;
    }

private:
    void fail(std::string why) {
        if (why_.empty()) why_ = std::move(why);
    }

    /// Stages in an order in which no edge runs back, ties by number.
    void orderStages() {
        std::map<int, std::set<int>> next;
        std::map<int, int> inputs;
        for (const LayerEdge& edge : graph_.edges) {
            const OperatorNode &from = graph_.nodes[at(edge.from)], &to = graph_.nodes[at(edge.to)];
            if (from.leftOut || to.leftOut || from.stage == to.stage) continue;
            if (next[from.stage].insert(to.stage).second) ++inputs[to.stage];
        }
        std::set<int> free;
        for (const auto& [stage, place] : place_)
            if (inputs[stage] == 0) free.insert(stage);
        int placed = 0;
        while (!free.empty()) {
            const int stage = *free.begin();
            free.erase(free.begin());
            place_[stage] = placed++;
            for (const int reader : next[stage])
                if (--inputs[reader] == 0) free.insert(reader);
        }
        if (placed == static_cast<int>(place_.size())) return;
        for (const auto& [stage, left] : inputs)
            if (left > 0)
                fail("its stages are not a pipeline: stage " + std::to_string(stage) +
                     " both feeds and reads others in a circle");
    }

    const OperatorGraph& graph_;
    std::string why_;
    std::map<int, int> place_;  // by stage
};

/// Left-out nodes that read nothing come first, others last: no edge runs back.
std::vector<int> withLeftOut(const OperatorGraph& graph, std::vector<int> order) {
    std::vector<bool> reads(graph.nodes.size(), false);
    for (const LayerEdge& edge : graph.edges) reads[at(edge.to)] = true;
    std::vector<int> first, last;
    for (int node = 0; at(node) < graph.nodes.size(); ++node)
        if (graph.nodes[at(node)].leftOut) (reads[at(node)] ? last : first).push_back(node);
    order.insert(order.begin(), first.begin(), first.end());
    order.insert(order.end(), last.begin(), last.end());
    return order;
}

NetworkGraph networkOf(const OperatorGraph& graph, const std::vector<int>& order) {
    NetworkGraph network;
    std::vector<int> position(graph.nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const OperatorNode& node = graph.nodes[at(order[i])];
        position[at(order[i])] = static_cast<int>(i);
        Layer layer;
        layer.name = utf8(node.description.empty() ? node.id : node.id + " " + node.description);
        layer.forwardS = node.forwardS;
        layer.backwardS = node.backwardS;
        layer.weightGradientS = node.weightGradientS.value_or(node.backwardS / 2);
        layer.parameterBytes = node.parameterBytes;
        layer.outputBytes = layer.outputGradientBytes = node.outputBytes;
        layer.flops = node.flops;
        network.nodes.push_back(std::move(layer));
        network.layerOf.push_back(node.leftOut ? -1 : 0);
    }
    for (const LayerEdge& edge : graph.edges)
        network.edges.push_back({position[at(edge.from)], position[at(edge.to)]});
    std::sort(network.edges.begin(), network.edges.end(), [](const LayerEdge& a, const LayerEdge& b) {
        return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    });
    const std::vector<double> inputs = inputBytes(network.nodes, network.edges);
    for (std::size_t i = 0; i < order.size(); ++i)
        network.nodes[i].storedActivationBytes = graph.nodes[at(order[i])].storedBytes.value_or(inputs[i]);
    return network;
}

std::string groupNote(const OperatorGraph& graph, const std::vector<int>& members, int layer) {
    constexpr std::size_t most = 12;
    std::string text = "layer " + std::to_string(layer) + " groups " + counted(members.size(), "node") + ":";
    for (std::size_t i = 0; i < std::min(members.size(), most); ++i)
        text += " " + graph.nodes[at(members[i])].id;
    if (members.size() > most) text += " and " + std::to_string(members.size() - most) + " more";
    return text;
}

void addGroupNotes(const OperatorGraph& graph, const std::vector<int>& order, int width,
                   ImportedProfile& made) {
    if (width > 1)
        made.notes.push_back(
            {ImportNote::Kind::derived, "up to " + counted(width, "tensor crosses", "tensors cross") +
                                            " between two layers: cuts that one tensor alone crosses would "
                                            "leave too much in one layer"});
    std::vector<std::vector<int>> members(made.profile.layers.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        if (made.profile.operators.layerOf[i] >= 0)
            members[at(made.profile.operators.layerOf[i])].push_back(order[i]);
    for (std::size_t layer = 0; layer < members.size(); ++layer)
        if (members[layer].size() > 1)
            made.notes.push_back(
                {ImportNote::Kind::grouped, groupNote(graph, members[layer], static_cast<int>(layer))});
}

ImportedSplit splitOf(const OperatorGraph& graph, const Split& split, const std::vector<int>& order,
                      const std::vector<int>& layerOf) {
    ImportedSplit made{graph.splitName, {}};
    int before = -1;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (layerOf[i] < 0) continue;
        const int place = split.place(order[i]);
        if (place != before) made.parts.push_back({layerOf[i], layerOf[i], split.replicas(place)});
        made.parts.back().lastLayer = layerOf[i];
        before = place;
    }
    return made;
}

}  // namespace

void checkGraph(int nodes, const std::vector<LayerEdge>& edges,
                const std::function<void(std::size_t edge)>& failCircle,
                const std::function<void(int node)>& failAlone) {
    std::vector<int> inputsLeft(at(nodes), 0);
    std::vector<bool> joined(at(nodes), false);
    std::vector<std::vector<int>> readers(at(nodes));
    for (const LayerEdge& edge : edges) {
        ++inputsLeft[at(edge.to)];
        readers[at(edge.from)].push_back(edge.to);
        joined[at(edge.from)] = joined[at(edge.to)] = true;
    }
    // Takes away nodes without inputs as long as there are any; what is left holds a circle.
    std::vector<int> free;
    for (int node = 0; node < nodes; ++node)
        if (inputsLeft[at(node)] == 0) free.push_back(node);
    while (!free.empty()) {
        const int node = free.back();
        free.pop_back();
        for (const int reader : readers[at(node)])
            if (--inputsLeft[at(reader)] == 0) free.push_back(reader);
    }
    for (std::size_t edge = 0; edge < edges.size(); ++edge)
        if (inputsLeft[at(edges[edge].from)] > 0 && inputsLeft[at(edges[edge].to)] > 0) failCircle(edge);
    if (nodes < 2) return;
    for (int node = 0; node < nodes; ++node)
        if (!joined[at(node)]) failAlone(node);
}

ImportedProfile chainOf(const OperatorGraph& graph) {
    const Split split(graph);
    std::vector<int> order = lineUp(graph);
    if (split.usable())
        std::stable_sort(order.begin(), order.end(),
                         [&](int a, int b) { return split.place(a) < split.place(b); });
    const std::vector<int> kept = order;
    order = withLeftOut(graph, std::move(order));
    std::vector<int> between;
    if (split.usable()) {
        const auto firstKept = std::find_if(order.begin(), order.end(),
                                            [&](int node) { return !graph.nodes[at(node)].leftOut; }) -
                               order.begin();
        for (std::size_t i = 0; i + 1 < kept.size(); ++i)
            if (split.place(kept[i]) != split.place(kept[i + 1]))
                between.push_back(static_cast<int>(static_cast<std::size_t>(firstKept) + i));
    }
    ImportedProfile made;
    made.profile.operators = networkOf(graph, order);
    const ChosenCuts chosen = chooseCuts(made.profile.operators, between);
    groupOperators(made.profile, chosen.cuts);
    addGroupNotes(graph, order, chosen.width, made);
    if (split.usable()) {
        made.splits.push_back(splitOf(graph, split, order, made.profile.operators.layerOf));
        made.notes.push_back(
            {ImportNote::Kind::took,
             made.splits.back().name + ": " + counted(made.splits.back().parts.size(), "stage") + " on " +
                 counted(made.splits.back().deviceCount(), "device") + " come along as a plan"});
    } else if (!graph.splitName.empty()) {
        made.notes.push_back(
            {ImportNote::Kind::ignored, graph.splitName + " does not come along: " + split.why()});
    }
    return made;
}

std::string nameFromFile(const std::string& file, const std::string& suffix) {
    const std::string name = std::filesystem::path(file).filename().string();
    return utf8(name.substr(0, name.rfind(suffix)));
}

}  // namespace stagecraft::formats
