#include "core/formats/operator_graph.h"

#include <algorithm>
#include <queue>
#include <set>
#include <utility>

namespace stagecraft {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// From the last node to the first: of those whose readers are all placed, the one with the highest number.
std::vector<int> latestOrder(const OperatorGraph& graph) {
    std::vector<std::size_t> readersLeft;
    std::priority_queue<std::pair<long long, int>> ready;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        readersLeft.push_back(graph.successors[node].size());
        if (readersLeft.back() == 0) ready.emplace(graph.nodes[node].number, static_cast<int>(node));
    }
    std::vector<int> order;
    while (!ready.empty()) {
        const int node = ready.top().second;
        ready.pop();
        order.push_back(node);
        for (const int before : graph.predecessors[at(node)])
            if (--readersLeft[at(before)] == 0) ready.emplace(graph.nodes[at(before)].number, before);
    }
    std::reverse(order.begin(), order.end());
    return order;
}

/// The position of the last reader of each node's output, or the node's own if nobody reads it or it is empty.
std::vector<std::size_t> lastReads(const OperatorGraph& graph, const std::vector<int>& order) {
    std::vector<std::size_t> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[at(order[i])] = i;
    std::vector<std::size_t> last(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        last[i] = i;
        if (graph.nodes[at(order[i])].outputBytes > 0)
            for (const int reader : graph.successors[at(order[i])]) last[i] = std::max(last[i], position[at(reader)]);
    }
    return last;
}

std::string shortened(const std::string& description) { return description.substr(0, description.find('(')); }

std::string layerName(const OperatorGraph& graph, const std::vector<int>& members) {
    const OperatorNode& first = graph.nodes[at(members.front())];
    if (members.size() == 1) return first.id + " " + shortened(first.description);
    return first.id + "…" + graph.nodes[at(members.back())].id + " (" + std::to_string(members.size()) + " nodes)";
}

Layer layerOf(const OperatorGraph& graph, const std::vector<int>& members) {
    Layer layer;
    layer.name = layerName(graph, members);
    std::set<int> read;
    for (const int member : members) {
        const OperatorNode& node = graph.nodes[at(member)];
        layer.forwardS += node.forwardS;
        layer.backwardS += node.backwardS;
        layer.parameterBytes += node.parameterBytes;
        read.insert(graph.predecessors[at(member)].begin(), graph.predecessors[at(member)].end());
    }
    for (const int node : read) layer.storedActivationBytes += graph.nodes[at(node)].outputBytes;
    layer.weightGradientS = layer.backwardS / 2;
    return layer;
}

std::string groupNote(const OperatorGraph& graph, const std::vector<int>& members, std::size_t layer) {
    std::string text = "layer " + std::to_string(layer) + " groups " + std::to_string(members.size()) + " nodes:";
    for (const int member : members) text += " " + graph.nodes[at(member)].id;
    return text;
}

}  // namespace

ImportedProfile chainOf(const OperatorGraph& graph) {
    const std::vector<int> order = latestOrder(graph);
    const std::vector<std::size_t> lastRead = lastReads(graph, order);
    ImportedProfile chain;
    std::vector<int> members;
    std::set<std::size_t> alive;  // positions whose output is read further down
    for (std::size_t i = 0; i < order.size(); ++i) {
        members.push_back(order[i]);
        if (lastRead[i] > i) alive.insert(i);
        std::erase_if(alive, [&](std::size_t position) { return lastRead[position] <= i; });
        if (alive.size() > 1) continue;
        Layer layer = layerOf(graph, members);
        if (!alive.empty()) layer.outputBytes = graph.nodes[at(order[*alive.begin()])].outputBytes;
        layer.outputGradientBytes = layer.outputBytes;
        if (members.size() > 1)
            chain.notes.push_back({ImportNote::Kind::grouped, groupNote(graph, members, chain.profile.layers.size())});
        chain.profile.layers.push_back(std::move(layer));
        members.clear();
    }
    return chain;
}

}  // namespace stagecraft
