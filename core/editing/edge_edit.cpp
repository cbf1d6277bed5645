#include "core/editing/edge_edit.h"

#include "core/base/indices.h"

#include <algorithm>
#include <set>
#include <utility>

namespace stagecraft::editing {

namespace {

/// Edges in the order in which they are first added.
class EdgeList {
public:
    void add(int from, int to) {
        if (seen_.emplace(from, to).second) edges_.push_back({from, to});
    }
    std::vector<LayerEdge> take() { return std::move(edges_); }

private:
    std::set<std::pair<int, int>> seen_;
    std::vector<LayerEdge> edges_;
};

}  // namespace

std::vector<LayerEdge> edgesWithout(const std::vector<LayerEdge>& edges, const std::vector<bool>& gone) {
    std::vector<std::set<int>> read(gone.size()), readers(gone.size());
    for (const LayerEdge& edge : edges) {
        read[at(edge.to)].insert(edge.from);
        readers[at(edge.from)].insert(edge.to);
    }
    std::vector<LayerEdge> bridges;
    std::vector<int> index(gone.size());
    int kept = 0;
    for (std::size_t item = 0; item < gone.size(); ++item) {
        index[item] = kept;
        if (!gone[item]) {
            ++kept;
            continue;
        }
        for (const int from : read[item]) {
            readers[at(from)].erase(static_cast<int>(item));
            for (const int to : readers[item]) {
                read[at(to)].insert(from);
                readers[at(from)].insert(to);
                bridges.push_back({from, to});
            }
        }
        for (const int to : readers[item]) read[at(to)].erase(static_cast<int>(item));
    }
    EdgeList result;
    const auto addAll = [&](const std::vector<LayerEdge>& list) {
        for (const LayerEdge& edge : list)
            if (!gone[at(edge.from)] && !gone[at(edge.to)])
                result.add(index[at(edge.from)], index[at(edge.to)]);
    };
    addAll(edges);
    addAll(bridges);
    return result.take();
}

std::vector<LayerEdge> edgesWithInserted(const std::vector<LayerEdge>& edges, int at, int count,
                                         const std::vector<int>& before, const std::vector<int>& after) {
    const auto moved = [&](int item) { return item < at ? item : item + count; };
    const auto isIn = [](const std::vector<int>& items, int item) {
        return std::binary_search(items.begin(), items.end(), item);
    };
    EdgeList result;
    bool led = false;
    for (const LayerEdge& edge : edges) {
        if (!isIn(before, edge.from) || !isIn(after, edge.to)) {
            result.add(moved(edge.from), moved(edge.to));
            continue;
        }
        led = true;
        result.add(edge.from, at);
        result.add(at + count - 1, moved(edge.to));
    }
    if (!led && !before.empty()) result.add(before.back(), at);
    if (!led && !after.empty()) result.add(at + count - 1, moved(after.front()));
    for (int item = at; item + 1 < at + count; ++item) result.add(item, item + 1);
    return result.take();
}

std::vector<LayerEdge> edgesWithRepeated(const std::vector<LayerEdge>& edges, int first, int last, int copies,
                                         const std::function<bool(int)>& isBefore,
                                         const std::vector<int>& exits) {
    const int length = last - first + 1, extra = (copies - 1) * length;
    const auto inRun = [&](int item) { return first <= item && item <= last; };
    const auto moved = [&](int item) { return item <= last ? item : item + extra; };
    EdgeList result;
    bool joined = false;
    for (const LayerEdge& edge : edges) {
        if (!inRun(edge.to)) {
            result.add(inRun(edge.from) ? edge.from + extra : moved(edge.from), moved(edge.to));
            continue;
        }
        for (int copy = 0; copy < copies; ++copy) {
            const int shift = copy * length;
            if (inRun(edge.from)) {
                result.add(edge.from + shift, edge.to + shift);
            } else if (copy == 0 || !isBefore(edge.from)) {
                result.add(edge.from, edge.to + shift);
            } else {
                joined = true;
                for (const int exit : exits) result.add(exit + shift - length, edge.to + shift);
            }
        }
    }
    for (int copy = 1; copy < copies && !joined; ++copy)
        for (const int exit : exits) result.add(exit + (copy - 1) * length, first + copy * length);
    return result.take();
}

}  // namespace stagecraft::editing
