#include "core/formats/operator_graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>

namespace stagecraft {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Takes nodes out of a graph in a topological order, of those that are free always the one with the lowest
/// key.
template <class Key, class Included, class Visit>
void visitInOrder(const OperatorGraph& graph, Key key, Included included, Visit visit) {
    using Entry = std::pair<std::pair<int, long long>, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> free;
    std::vector<std::size_t> inputsLeft(graph.nodes.size(), 0);
    const auto release = [&](int node) { free.push({{key(node), graph.nodes[at(node)].number}, node}); };
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        const std::vector<int>& inputs = graph.predecessors[node];
        inputsLeft[node] = static_cast<std::size_t>(std::count_if(inputs.begin(), inputs.end(), included));
        if (inputsLeft[node] == 0 && included(static_cast<int>(node))) release(static_cast<int>(node));
    }
    while (!free.empty()) {
        const int node = free.top().second;
        free.pop();
        visit(node);
        for (const int reader : graph.successors[at(node)])
            if (included(reader) && --inputsLeft[at(reader)] == 0) release(reader);
    }
}

/// Any topological order, by number.
std::vector<int> orderByNumber(const OperatorGraph& graph) {
    std::vector<int> order;
    visitInOrder(
        graph, [](int) { return 0; }, [](int) { return true; }, [&](int node) { order.push_back(node); });
    return order;
}

/// The longest way from each node to one that nobody reads, in nodes.
std::vector<int> heights(const OperatorGraph& graph, const std::vector<int>& order) {
    std::vector<int> height(order.size(), 0);
    for (auto node = order.rbegin(); node != order.rend(); ++node)
        for (const int reader : graph.successors[at(*node)])
            height[at(*node)] = std::max(height[at(*node)], height[at(reader)] + 1);
    return height;
}

/// Marks what can be reached from the highest source, ties to the first in `order`.
std::vector<bool> trunk(const OperatorGraph& graph, const std::vector<int>& order,
                        const std::vector<int>& height) {
    int highest = order.front();
    for (const int node : order)
        if (height[at(node)] > height[at(highest)]) highest = node;
    std::vector<bool> reached(order.size(), false);
    reached[at(highest)] = true;
    for (const int node : order)
        if (reached[at(node)])
            for (const int reader : graph.successors[at(node)]) reached[at(reader)] = true;
    return reached;
}

/// The order that chainOf() describes.
std::vector<int> chainOrder(const OperatorGraph& graph) {
    const std::vector<int> byNumber = orderByNumber(graph);
    const std::vector<int> height = heights(graph, byNumber);
    const std::vector<bool> inTrunk = trunk(graph, byNumber, height);
    std::vector<std::size_t> rank(byNumber.size());
    for (std::size_t i = 0; i < byNumber.size(); ++i) rank[at(byNumber[i])] = i;

    std::vector<int> order;
    std::vector<bool> placed = inTrunk;  // trunk nodes are placed by the visit below
    const auto placeWithSideInputs = [&](int node) {
        std::vector<int> side, open = {node};
        while (!open.empty()) {
            const int reader = open.back();
            open.pop_back();
            for (const int input : graph.predecessors[at(reader)])
                if (!placed[at(input)]) {
                    placed[at(input)] = true;
                    side.push_back(input);
                    open.push_back(input);
                }
        }
        std::sort(side.begin(), side.end(), [&](int a, int b) { return rank[at(a)] < rank[at(b)]; });
        order.insert(order.end(), side.begin(), side.end());
        order.push_back(node);
    };
    visitInOrder(
        graph, [&](int node) { return height[at(node)]; }, [&](int node) { return bool(inTrunk[at(node)]); },
        placeWithSideInputs);
    for (const int node : byNumber)
        if (!placed[at(node)]) order.push_back(node);
    return order;
}

/// The position of the last reader of each node's output, or the node's own if nobody reads it or it is
/// empty.
std::vector<std::size_t> lastReads(const OperatorGraph& graph, const std::vector<int>& order) {
    std::vector<std::size_t> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[at(order[i])] = i;
    std::vector<std::size_t> last(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        last[i] = i;
        if (graph.nodes[at(order[i])].outputBytes > 0)
            for (const int reader : graph.successors[at(order[i])])
                last[i] = std::max(last[i], position[at(reader)]);
    }
    return last;
}

std::string shortened(const std::string& description) { return description.substr(0, description.find('(')); }

std::string layerName(const OperatorGraph& graph, const std::vector<int>& members) {
    const OperatorNode& first = graph.nodes[at(members.front())];
    if (members.size() == 1) return first.id + " " + shortened(first.description);
    return first.id + "…" + graph.nodes[at(members.back())].id + " (" + std::to_string(members.size()) +
           " nodes)";
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
    std::string text =
        "layer " + std::to_string(layer) + " groups " + std::to_string(members.size()) + " nodes:";
    for (const int member : members) text += " " + graph.nodes[at(member)].id;
    return text;
}

}  // namespace

ImportedProfile chainOf(const OperatorGraph& graph) {
    const std::vector<int> order = chainOrder(graph);
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
            chain.notes.push_back(
                {ImportNote::Kind::grouped, groupNote(graph, members, chain.profile.layers.size())});
        chain.profile.layers.push_back(std::move(layer));
        members.clear();
    }
    return chain;
}

}  // namespace stagecraft
