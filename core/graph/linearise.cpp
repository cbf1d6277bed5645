#include "core/graph/linearise.h"

#include "core/base/indices.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>

namespace stagecraft::graph {

namespace {

struct Graph {
    explicit Graph(const std::vector<LayerEdge>& edges, std::size_t nodes)
        : successors(nodes), predecessors(nodes) {
        for (const LayerEdge& edge : edges) {
            successors[at(edge.from)].push_back(edge.to);
            predecessors[at(edge.to)].push_back(edge.from);
        }
    }

    std::size_t size() const { return successors.size(); }

    std::vector<std::vector<int>> successors;
    std::vector<std::vector<int>> predecessors;
};

/// Takes nodes out of a graph in a topological order, of those that are free always the one with the lowest
/// key, ties by index.
template <class Key, class Included, class Visit>
void visitInOrder(const Graph& graph, Key key, Included included, Visit visit) {
    using Entry = std::pair<int, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> free;
    std::vector<std::size_t> inputsLeft(graph.size(), 0);
    for (int node = 0; at(node) < graph.size(); ++node) {
        const std::vector<int>& inputs = graph.predecessors[at(node)];
        inputsLeft[at(node)] =
            static_cast<std::size_t>(std::count_if(inputs.begin(), inputs.end(), included));
        if (inputsLeft[at(node)] == 0 && included(node)) free.push({key(node), node});
    }
    while (!free.empty()) {
        const int node = free.top().second;
        free.pop();
        visit(node);
        for (const int reader : graph.successors[at(node)])
            if (included(reader) && --inputsLeft[at(reader)] == 0) free.push({key(reader), reader});
    }
}

/// Any topological order, by index.
std::vector<int> orderByIndex(const Graph& graph) {
    std::vector<int> order;
    visitInOrder(
        graph, [](int) { return 0; }, [](int) { return true; }, [&](int node) { order.push_back(node); });
    return order;
}

/// The longest way from each node to one that nobody reads, in nodes.
std::vector<int> heights(const Graph& graph, const std::vector<int>& order) {
    std::vector<int> height(order.size(), 0);
    for (auto node = order.rbegin(); node != order.rend(); ++node)
        for (const int reader : graph.successors[at(*node)])
            height[at(*node)] = std::max(height[at(*node)], height[at(reader)] + 1);
    return height;
}

/// Marks what can be reached from the highest source, ties to the first in `order`.
std::vector<bool> trunk(const Graph& graph, const std::vector<int>& order, const std::vector<int>& height) {
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

/// The order that linearise() describes.
std::vector<int> chainOrder(const Graph& graph) {
    const std::vector<int> byIndex = orderByIndex(graph);
    const std::vector<int> height = heights(graph, byIndex);
    const std::vector<bool> inTrunk = trunk(graph, byIndex, height);
    std::vector<std::size_t> rank(byIndex.size());
    for (std::size_t i = 0; i < byIndex.size(); ++i) rank[at(byIndex[i])] = i;

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
    for (const int node : byIndex)
        if (!placed[at(node)]) order.push_back(node);
    return order;
}

/// The position of the last reader of each node's output, or the node's own if nobody reads it or it sends
/// nothing.
std::vector<std::size_t> lastReads(const Graph& graph, const std::vector<bool>& sends,
                                   const std::vector<int>& order) {
    std::vector<std::size_t> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[at(order[i])] = i;
    std::vector<std::size_t> last(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        last[i] = i;
        if (sends[at(order[i])])
            for (const int reader : graph.successors[at(order[i])])
                last[i] = std::max(last[i], position[at(reader)]);
    }
    return last;
}

}  // namespace

std::vector<int> chainOrder(const std::vector<LayerEdge>& edges, int nodes) {
    if (nodes == 0) return {};
    return chainOrder(Graph(edges, at(nodes)));
}

std::vector<ChainLink> linearise(const std::vector<LayerEdge>& edges, const std::vector<bool>& sends) {
    if (sends.empty()) return {};
    const Graph graph(edges, sends.size());
    const std::vector<int> order = chainOrder(graph);
    const std::vector<std::size_t> lastRead = lastReads(graph, sends, order);
    std::vector<ChainLink> chain;
    ChainLink link;
    std::set<std::size_t> alive;  // positions whose output is read further down
    for (std::size_t i = 0; i < order.size(); ++i) {
        link.members.push_back(order[i]);
        if (lastRead[i] > i) alive.insert(i);
        std::erase_if(alive, [&](std::size_t position) { return lastRead[position] <= i; });
        if (alive.size() > 1) continue;
        if (!alive.empty()) link.crossing = order[*alive.begin()];
        chain.push_back(std::exchange(link, {}));
    }
    return chain;
}

}  // namespace stagecraft::graph
