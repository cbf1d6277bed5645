#include "core/cost/join_tree.h"

#include "core/base/indices.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace stagecraft::cost {

JoinTree::JoinTree(int nodes, std::vector<Edge> edges)
    : nodes_(nodes), above_(at(nodes), -1), widthBps_(at(nodes), infinity) {
    std::ranges::stable_sort(edges, std::greater<>(), &Edge::bandwidthBps);
    // Joins hang as low as can be: each is the top of all below it, found over shortened ways.
    std::vector<int> shortcut(at(nodes)), top(at(nodes)), size(at(nodes), 1);
    std::iota(shortcut.begin(), shortcut.end(), 0);
    std::iota(top.begin(), top.end(), 0);  // by root of the shortcuts
    const auto rootOf = [&](int node) {
        while (shortcut[at(node)] != node) node = shortcut[at(node)] = shortcut[at(shortcut[at(node)])];
        return node;
    };
    for (const Edge& edge : edges) {
        int a = rootOf(edge.a), b = rootOf(edge.b);
        if (a == b) continue;
        if (size[at(a)] < size[at(b)]) std::swap(a, b);
        shortcut[at(b)] = a;
        size[at(a)] += size[at(b)];
        join(top[at(a)], top[at(b)], edge.bandwidthBps);
        top[at(a)] = above_[at(top[at(a)])] < 0 ? top[at(a)] : above_[at(top[at(a)])];
    }
    // Where both tops were of that width one hangs below the other: thousands in a row on large networks.
    for (std::size_t node = above_.size(); node-- > 0;) {
        const int upper = above_[node];
        if (upper < 0 || above_[at(upper)] < 0) continue;
        if (widthBps_[at(above_[at(upper)])] == widthBps_[at(upper)]) above_[node] = above_[at(upper)];
    }
}

/// Two tops. Joins of one width are one: ways up stay short where a switch has many links alike.
void JoinTree::join(int a, int b, double bandwidthBps) {
    const int lower = std::min(a, b), upper = std::max(a, b);
    if (upper >= nodes_ && widthBps_[at(upper)] == bandwidthBps) {
        above_[at(lower)] = upper;
        return;
    }
    above_[at(upper)] = above_[at(lower)] = static_cast<int>(above_.size());
    above_.push_back(-1);
    widthBps_.push_back(bandwidthBps);
}

double JoinTree::between(int a, int b) const {
    // Joins are numbered as they were made, so that the lower of two is never above the other.
    while (a != b) {
        int& lower = a < b ? a : b;
        lower = above_[at(lower)];
        if (lower < 0) return 0;
    }
    return widthBps_[at(a)];
}

int JoinTree::partOf(int node, double leastBps) const {
    while (above_[at(node)] >= 0 && widthBps_[at(above_[at(node)])] >= leastBps) node = above_[at(node)];
    return node;
}

}  // namespace stagecraft::cost
