#include "core/planners/vpipe/repartition.h"

#include "core/base/indices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stagecraft::planners::vpipe {

namespace {

std::vector<double> prefixSums(const std::vector<double>& values) {
    std::vector<double> sums{0};
    for (const double value : values) sums.push_back(sums.back() + value);
    return sums;
}

class Halving {
public:
    explicit Halving(const LayerGraph& graph) : graph_(graph), beforeS_(prefixSums(graph.timeS)) {
        leaving_.resize(graph.timeS.size());
        for (const GraphEdge& edge : graph.edges)
            leaving_[static_cast<std::size_t>(edge.from)].push_back(&edge);
    }

    void halve(int begin, int end, int p, std::vector<int>& bounds) const {
        if (p == 1) return;
        const int left = (p + 1) / 2;
        const int bound = bestBound(begin, end, left, p - left);
        halve(begin, bound, left, bounds);
        bounds.push_back(bound);
        halve(bound, end, p - left, bounds);
    }

private:
    double timeS(int begin, int end) const {
        return beforeS_[static_cast<std::size_t>(end)] - beforeS_[static_cast<std::size_t>(begin)];
    }

    /// Bytes cut at each bound inside [begin, end), by edges that stay inside.
    std::vector<double> cuts(int begin, int end) const {
        std::vector<double> change(static_cast<std::size_t>(end - begin) + 1, 0);
        for (int node = begin; node < end; ++node)
            for (const GraphEdge* edge : leaving_[static_cast<std::size_t>(node)]) {
                if (edge->to >= end) continue;
                change[static_cast<std::size_t>(node - begin) + 1] += edge->bytes;
                change[static_cast<std::size_t>(edge->to - begin) + 1] -= edge->bytes;
            }
        std::partial_sum(change.begin(), change.end(), change.begin());
        return change;
    }

    int bestBound(int begin, int end, int left, int right) const {
        const double share = timeS(begin, end) * left / (left + right);
        const double longest = *std::max_element(graph_.timeS.begin() + begin, graph_.timeS.begin() + end);
        const double allowed = longest / 2 * (1 + 1e-9);
        const std::vector<double> cut = cuts(begin, end);
        int best = -1, closest = -1;
        double bestCut = 0, bestOff = 0, closestOff = 0;
        for (int bound = begin + left; bound <= end - right; ++bound) {
            const double off = std::abs(timeS(begin, bound) - share);
            if (closest < 0 || off < closestOff) {
                closest = bound;
                closestOff = off;
            }
            const double bytes = cut[static_cast<std::size_t>(bound - begin)];
            if (off > allowed || (best >= 0 && (bytes > bestCut || (bytes == bestCut && !(off < bestOff)))))
                continue;
            best = bound;
            bestCut = bytes;
            bestOff = off;
        }
        return best >= 0 ? best : closest;  // none is allowed where every stage must get a node
    }

    const LayerGraph& graph_;
    std::vector<double> beforeS_;
    std::vector<std::vector<const GraphEdge*>> leaving_;
};

double slowestS(const LayerGraph& graph, const std::vector<int>& bounds) {
    double slowest = 0, own = 0;
    std::size_t next = 0;
    for (int node = 0; node < graph.nodeCount(); ++node) {
        if (next < bounds.size() && bounds[next] == node) {
            own = 0;
            ++next;
        }
        own += graph.timeS[static_cast<std::size_t>(node)];
        slowest = std::max(slowest, own);
    }
    return slowest;
}

/// Bytes cut by a bound at each place between two others, of edges that are between them.
std::vector<double> cutsBetween(const LayerGraph& graph, int begin, int end) {
    std::vector<double> change(static_cast<std::size_t>(end - begin) + 1, 0);
    for (const GraphEdge& edge : graph.edges) {
        // An edge that leaves the two parts is cut wherever the bound between them is.
        if (edge.from < begin || edge.to >= end) continue;
        change[static_cast<std::size_t>(edge.from - begin) + 1] += edge.bytes;
        change[static_cast<std::size_t>(edge.to - begin) + 1] -= edge.bytes;
    }
    std::partial_sum(change.begin(), change.end(), change.begin());
    return change;
}

}  // namespace

std::vector<int> bipartitionBounds(const LayerGraph& graph, int p) {
    std::vector<int> bounds;
    Halving(graph).halve(0, graph.nodeCount(), p, bounds);
    return bounds;
}

std::vector<int> refinedBounds(const LayerGraph& graph, std::vector<int> bounds) {
    const std::vector<double> beforeS = prefixSums(graph.timeS);
    const double meanS = beforeS.back() / static_cast<double>(bounds.size() + 1);
    const double limitS = std::max(slowestS(graph, bounds), refinedWithin * meanS);
    constexpr int mostSweeps = 10;
    bool moved = true;
    for (int sweep = 0; moved && sweep < mostSweeps; ++sweep) {
        moved = false;
        for (std::size_t b = 0; b < bounds.size(); ++b) {
            const int begin = b == 0 ? 0 : bounds[b - 1];
            const int end = b + 1 < bounds.size() ? bounds[b + 1] : graph.nodeCount();
            const auto slowerS = [&](int bound) {
                const double here = beforeS[static_cast<std::size_t>(bound)];
                return std::max(here - beforeS[static_cast<std::size_t>(begin)],
                                beforeS[static_cast<std::size_t>(end)] - here);
            };
            const std::vector<double> cut = cutsBetween(graph, begin, end);
            const auto bytes = [&](int bound) { return cut[static_cast<std::size_t>(bound - begin)]; };
            int best = bounds[b];
            for (int bound = begin + 1; bound < end; ++bound)
                if (slowerS(bound) <= limitS &&
                    (bytes(bound) < bytes(best) ||
                     (bytes(bound) == bytes(best) && slowerS(bound) < slowerS(best))))
                    best = bound;
            moved = moved || best != bounds[b];
            bounds[b] = best;
        }
    }
    return bounds;
}

std::vector<int> repartition(const LayerGraph& graph, int p) {
    const std::vector<int> whole = refinedBounds(graph, bipartitionBounds(graph, p));
    const CoarseGraph coarse = coarsened(graph, p);
    if (coarse.graph.nodeCount() < p) return whole;
    std::vector<int> bounds;
    for (const int bound : bipartitionBounds(coarse.graph, p))
        bounds.push_back(coarse.firstNode[static_cast<std::size_t>(bound)]);
    bounds = refinedBounds(graph, std::move(bounds));
    const double slowest = slowestS(graph, bounds), slowestOfWhole = slowestS(graph, whole);
    if (slowest > balancedWithin * slowestOfWhole) return whole;
    if (slowestOfWhole > balancedWithin * slowest) return bounds;
    return cutBytes(graph, partsOf(graph.nodeCount(), whole)) <
                   cutBytes(graph, partsOf(graph.nodeCount(), bounds))
               ? whole
               : bounds;
}

std::vector<int> balancedBounds(const std::vector<double>& timeS, int p) {
    const int nodes = static_cast<int>(timeS.size());
    const std::vector<double> beforeS = prefixSums(timeS);
    const auto time = [&](int begin, int end) {
        return beforeS[static_cast<std::size_t>(end)] - beforeS[static_cast<std::size_t>(begin)];
    };
    // slowest[end]: of the first `end` nodes in as many stages as there were rounds.
    std::vector<double> slowest(timeS.size() + 1, infinity);
    slowest[0] = 0;
    std::vector<std::vector<int>> begins;
    for (int stage = 1; stage <= p; ++stage) {
        std::vector<double> next(timeS.size() + 1, infinity);
        std::vector<int>& begin = begins.emplace_back(timeS.size() + 1, 0);
        for (int end = stage; end <= nodes - (p - stage); ++end)
            for (int cut = end - 1; cut >= stage - 1; --cut) {
                const double own = time(cut, end);
                if (own >= next[static_cast<std::size_t>(end)]) break;
                const double worst = std::max(own, slowest[static_cast<std::size_t>(cut)]);
                if (worst >= next[static_cast<std::size_t>(end)]) continue;
                next[static_cast<std::size_t>(end)] = worst;
                begin[static_cast<std::size_t>(end)] = cut;
            }
        slowest = std::move(next);
    }
    std::vector<int> bounds;
    for (int stage = p, end = nodes; stage > 1; --stage) {
        end = begins[static_cast<std::size_t>(stage) - 1][static_cast<std::size_t>(end)];
        bounds.push_back(end);
    }
    std::reverse(bounds.begin(), bounds.end());
    return bounds;
}

}  // namespace stagecraft::planners::vpipe
