#include "core/planners/vpipe/kernighan_lin.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft::planners::vpipe {

namespace {

struct Neighbour {
    int node = 0;
    double bytes = 0;
};

class Passes {
public:
    Passes(const LayerGraph& graph, Bipartition side, double shareS, double mostOffS)
        : timeS_(graph.timeS),
          side_(std::move(side)),
          shareS_(shareS),
          mostOffS_(mostOffS),
          neighbours_(side_.size()) {
        for (const GraphEdge& edge : graph.edges) {
            if (edge.from == edge.to) continue;
            neighbours_[static_cast<std::size_t>(edge.from)].push_back({edge.to, edge.bytes});
            neighbours_[static_cast<std::size_t>(edge.to)].push_back({edge.from, edge.bytes});
        }
        for (const auto& each : neighbours_) candidates_ = std::max(candidates_, each.size() + 1);
    }

    bool improve() {
        startPass();
        double firstS = 0;  // time on the first side
        for (std::size_t node = 0; node < side_.size(); ++node)
            if (!side_[node]) firstS += timeS_[node];
        struct Exchange {
            int a, b;
        };
        std::vector<Exchange> exchanges;
        double gained = 0, best = 0;
        std::size_t bestLength = 0;
        while (true) {
            const auto [a, b, gain] = bestPair();
            if (a < 0) break;
            exchanges.push_back({a, b});
            gained += gain;
            firstS += timeS_[static_cast<std::size_t>(b)] - timeS_[static_cast<std::size_t>(a)];
            if (gained > best * (1 + 1e-12) + 1e-9 * scale_ && std::abs(firstS - shareS_) <= mostOffS_) {
                best = gained;
                bestLength = exchanges.size();
            }
            lock(a);
            lock(b);
        }
        for (std::size_t i = 0; i < bestLength; ++i) {
            side_[static_cast<std::size_t>(exchanges[i].a)] = true;
            side_[static_cast<std::size_t>(exchanges[i].b)] = false;
        }
        return bestLength > 0;
    }

    Bipartition take() { return std::move(side_); }

private:
    struct Pair {
        int a = -1, b = -1;
        double gain = 0;
    };

    /// D of each node: bytes to the other side less bytes to its own.
    void startPass() {
        difference_.assign(side_.size(), 0);
        locked_.assign(side_.size(), false);
        free_[0].clear();
        free_[1].clear();
        scale_ = 0;
        for (std::size_t node = 0; node < side_.size(); ++node) {
            for (const Neighbour& neighbour : neighbours_[node]) {
                const bool across = side_[node] != side_[static_cast<std::size_t>(neighbour.node)];
                difference_[node] += across ? neighbour.bytes : -neighbour.bytes;
                scale_ = std::max(scale_, neighbour.bytes);
            }
            free_[side_[node]].push_back(static_cast<int>(node));
        }
    }

    double bytesBetween(int a, int b) const {
        double bytes = 0;
        for (const Neighbour& neighbour : neighbours_[static_cast<std::size_t>(a)])
            if (neighbour.node == b) bytes += neighbour.bytes;
        return bytes;
    }

    /// The free pair with the greatest gain D_a + D_b - 2 c_ab. Of each side one more than a node has
    /// neighbours are looked at, those of greatest D: among so many there is one that is no neighbour, and no
    /// pair with a node beyond beats it.
    Pair bestPair() {
        for (std::vector<int>& free : free_) {
            std::erase_if(free, [&](int node) { return locked_[static_cast<std::size_t>(node)]; });
            const auto larger = [&](int a, int b) {
                const double first = difference_[static_cast<std::size_t>(a)];
                const double second = difference_[static_cast<std::size_t>(b)];
                return first != second ? first > second : a < b;
            };
            const std::size_t front = std::min(candidates_, free.size());
            std::partial_sort(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(front), free.end(),
                              larger);
        }
        Pair best;
        const std::size_t mostA = std::min(candidates_, free_[0].size()),
                          mostB = std::min(candidates_, free_[1].size());
        for (std::size_t i = 0; i < mostA; ++i)
            for (std::size_t j = 0; j < mostB; ++j) {
                const int a = free_[0][i], b = free_[1][j];
                const double most =
                    difference_[static_cast<std::size_t>(a)] + difference_[static_cast<std::size_t>(b)];
                if (best.a >= 0 && most <= best.gain) break;
                const double gain = most - 2 * bytesBetween(a, b);
                if (best.a < 0 || gain > best.gain) best = {a, b, gain};
            }
        return best;
    }

    void lock(int node) {
        locked_[static_cast<std::size_t>(node)] = true;
        // Its neighbours see it on the other side from now on.
        for (const Neighbour& neighbour : neighbours_[static_cast<std::size_t>(node)]) {
            const auto other = static_cast<std::size_t>(neighbour.node);
            const bool together = side_[other] == side_[static_cast<std::size_t>(node)];
            difference_[other] += together ? 2 * neighbour.bytes : -2 * neighbour.bytes;
        }
    }

    const std::vector<double>& timeS_;
    Bipartition side_;
    double shareS_, mostOffS_;
    std::vector<std::vector<Neighbour>> neighbours_;
    std::vector<double> difference_;
    std::vector<bool> locked_;
    std::vector<int> free_[2];
    std::size_t candidates_ = 1;
    double scale_ = 0;  ///< the heaviest edge, against which rounding is judged
};

/// The part of a graph between some of its nodes, numbered in their order.
LayerGraph between(const LayerGraph& graph, const std::vector<int>& nodes) {
    std::vector<int> number(graph.timeS.size(), -1);
    std::vector<double> timeS;
    for (const int node : nodes) {
        number[static_cast<std::size_t>(node)] = static_cast<int>(timeS.size());
        timeS.push_back(graph.timeS[static_cast<std::size_t>(node)]);
    }
    std::vector<GraphEdge> edges;
    for (const GraphEdge& edge : graph.edges) {
        const int from = number[static_cast<std::size_t>(edge.from)];
        const int to = number[static_cast<std::size_t>(edge.to)];
        if (from >= 0 && to >= 0) edges.push_back({from, to, edge.bytes});
    }
    return layerGraph(std::move(timeS), std::move(edges));
}

void bipartition(const LayerGraph& graph, const std::vector<int>& nodes, int firstPart, int parts,
                 std::vector<int>& partOf) {
    if (parts == 1) {
        for (const int node : nodes) partOf[static_cast<std::size_t>(node)] = firstPart;
        return;
    }
    const int left = (parts + 1) / 2;
    const LayerGraph part = between(graph, nodes);
    const double shareS = std::accumulate(part.timeS.begin(), part.timeS.end(), 0.0) * left / parts;
    const double longestS = *std::max_element(part.timeS.begin(), part.timeS.end());
    // The half in the order of invocation that comes closest to its share.
    Bipartition side(nodes.size(), true);
    double firstS = 0;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        const bool closer = firstS + part.timeS[node] / 2 <= shareS;
        const bool must = node < static_cast<std::size_t>(left);
        const bool may = node + static_cast<std::size_t>(parts - left) < nodes.size();
        if (!must && !(closer && may)) break;
        side[node] = false;
        firstS += part.timeS[node];
    }
    side = kernighanLin(part, std::move(side), {shareS, std::max(longestS / 2, std::abs(firstS - shareS))});
    std::vector<int> halves[2];
    for (std::size_t i = 0; i < nodes.size(); ++i) halves[side[i]].push_back(nodes[i]);
    bipartition(graph, halves[0], firstPart, left, partOf);
    bipartition(graph, halves[1], firstPart + left, parts - left, partOf);
}

}  // namespace

double cutBytes(const LayerGraph& graph, const Bipartition& side) {
    return cutBytes(graph, std::vector<int>(side.begin(), side.end()));
}

Bipartition kernighanLin(const LayerGraph& graph, Bipartition start, const KernighanLinOptions& options) {
    Passes passes(graph, std::move(start), options.shareS, options.mostOffS);
    for (int pass = 0; pass < options.mostPasses && passes.improve(); ++pass) {
    }
    return passes.take();
}

std::vector<int> plainKernighanLin(const LayerGraph& graph, int p) {
    std::vector<int> nodes(graph.timeS.size()), partOf(graph.timeS.size(), 0);
    std::iota(nodes.begin(), nodes.end(), 0);
    bipartition(graph, nodes, 0, p, partOf);
    return partOf;
}

}  // namespace stagecraft::planners::vpipe
