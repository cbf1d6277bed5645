#include "core/planners/spp/device_order.h"

#include "core/base/indices.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace stagecraft::planners {

namespace {

constexpr std::size_t cutBlock = 32;

/// sums += more; the most of each cutBlock numbers goes to `most`. @param count a multiple of cutBlock
STAGECRAFT_CLONES
void addUp(const double* more, std::size_t count, double* sums, double* most) {
    constexpr std::size_t lanes = 8;
    for (std::size_t block = 0; block < count; block += cutBlock) {
        double best[lanes];
        for (std::size_t k = 0; k < lanes; ++k) best[k] = -infinity;
        for (std::size_t part = block; part < block + cutBlock; part += lanes)
            for (std::size_t k = 0; k < lanes; ++k) {
                const double sum = sums[part + k] + more[part + k];
                sums[part + k] = sum;
                best[k] = sum > best[k] ? sum : best[k];
            }
        for (std::size_t k = 1; k < lanes; ++k) best[0] = best[k] > best[0] ? best[k] : best[0];
        most[block / cutBlock] = best[0];
    }
}

/// The phases of Stoer and Wagner's algorithm. Vertices go by their position among those asked about.
class CutPhases {
public:
    CutPhases(const WeightMatrix& graph, const std::vector<int>& vertices) : left_(vertices.size()) {
        for (const int vertex : vertices) merged_.push_back({vertex});
        weight_.resize(left_ * padded(left_), 0);
        for (std::size_t a = 0; a < left_; ++a)
            for (std::size_t b = 0; b < left_; ++b)
                weight_[a * padded(left_) + b] = graph.at(vertices[a], vertices[b]);
        layOut();
    }

    std::size_t left() const { return left_; }

    /// The cut of the next phase, whose last two vertices are one from then on.
    MinimumCut next() {
        tightness_ = start_;
        std::size_t last = 0, beforeLast = 0;
        double cut = 0;
        for (std::size_t added = 1; added < left_; ++added) {
            addUp(&weight_[last * stride_], stride_, tightness_.data(), most_.data());
            beforeLast = last;
            last = tightest();
            cut = tightness_[last];
            tightness_[last] = -infinity;  // no longer outside
        }
        MinimumCut found{cut, merged_[last]};
        merge(std::min(last, beforeLast), std::max(last, beforeLast));
        if (4 * left_ < 3 * merged_.size()) compact();
        return found;
    }

private:
    /// The lowest of those outside but for what is clearly tighter than all before it.
    std::size_t tightest() const {
        std::size_t found = 0;
        double most = -infinity;
        for (std::size_t block = 0; block < most_.size(); ++block) {
            if (!clearlyLess(most, most_[block])) continue;
            for (std::size_t vertex = block * cutBlock; vertex < (block + 1) * cutBlock; ++vertex)
                if (clearlyLess(most, tightness_[vertex])) {
                    found = vertex;
                    most = tightness_[vertex];
                }
        }
        return found;
    }

    void merge(std::size_t kept, std::size_t gone) {
        for (std::size_t vertex = 0; vertex < merged_.size(); ++vertex) {
            const double sum = weight_[kept * stride_ + vertex] + weight_[gone * stride_ + vertex];
            weight_[kept * stride_ + vertex] = weight_[vertex * stride_ + kept] = sum;
        }
        merged_[kept].insert(merged_[kept].end(), merged_[gone].begin(), merged_[gone].end());
        merged_[gone].clear();
        start_[gone] = -infinity;
        --left_;
    }

    /// Takes out the positions of vertices that have become part of others.
    void compact() {
        std::vector<std::size_t> kept;
        for (std::size_t position = 0; position < merged_.size(); ++position)
            if (!merged_[position].empty()) kept.push_back(position);
        std::vector<double> weight(left_ * padded(left_), 0);
        for (std::size_t a = 0; a < left_; ++a) {
            for (std::size_t b = 0; b < left_; ++b)
                weight[a * padded(left_) + b] = weight_[kept[a] * stride_ + kept[b]];
            if (a != kept[a]) merged_[a] = std::move(merged_[kept[a]]);
        }
        weight_ = std::move(weight);
        merged_.resize(left_);
        layOut();
    }

    /// For as many positions as there are vertices.
    void layOut() {
        stride_ = padded(left_);
        start_.assign(stride_, -infinity);
        std::fill_n(start_.begin() + 1, left_ - 1, 0.0);
        most_.resize(stride_ / cutBlock);
    }

    static std::size_t padded(std::size_t count) { return (count + cutBlock - 1) / cutBlock * cutBlock; }

    std::size_t left_, stride_ = 0;
    std::vector<double> weight_;
    std::vector<double> start_, tightness_;  // -infinity: not outside
    std::vector<double> most_;               // of each cutBlock of tightness_
    std::vector<std::vector<int>> merged_;   // the vertices that each stands for, if any still
};

}  // namespace

// Boost's stoer_wagner_min_cut leaves it to a heap which of several equally tight vertices comes next, and so
// which of several minimum cuts it finds; the order of devices must not hang on that. The graphs are
// complete, so arrays lose nothing. The tests hold the weights against Boost's.
MinimumCut minimumCut(const WeightMatrix& graph, const std::vector<int>& vertices, const WorkContext& context,
                      double least) {
    CutPhases phases(graph, vertices);
    MinimumCut best;
    while (phases.left() > 1 && (best.side.empty() || clearlyLess(least, best.weight))) {
        context.throwIfStopped();
        MinimumCut cut = phases.next();
        if (best.side.empty() || clearlyLess(cut.weight, best.weight)) best = std::move(cut);
    }
    std::sort(best.side.begin(), best.side.end());
    return best;
}

CutBounds::CutBounds(const WeightMatrix& graph) : graph_(graph), heaviest_(graph.weights.size()) {
    const auto count = static_cast<std::ptrdiff_t>(graph.count);
    for (std::ptrdiff_t vertex = 0; vertex < count; ++vertex) {
        const auto edges = heaviest_.begin() + vertex * count;
        std::copy_n(graph.weights.begin() + vertex * count, count, edges);
        std::sort(edges, edges + count, std::greater<>());
        std::partial_sum(edges, edges + count, edges);
    }
}

CutBounds::Bound CutBounds::of(const std::vector<int>& vertices) const {
    // Sums of as many numbers as this differ by less when they are added up in another order.
    constexpr double rounding = 2e-13;
    const std::size_t count = vertices.size();
    std::vector<double> all(count, 0);  // the weight of a vertex's edges
    double lightest = infinity, weight = infinity, second = infinity;
    int isolated = -1;
    for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b < count; ++b) {
            if (a == b) continue;
            const double edge = graph_.at(vertices[a], vertices[b]);
            all[a] += edge;
            lightest = std::min(lightest, edge);
        }
        if (all[a] < weight) {
            second = weight;
            weight = all[a];
            isolated = vertices[a];
        } else {
            second = std::min(second, all[a]);
        }
    }
    for (std::size_t side = 2; side <= count / 2; ++side) {
        const double edges = static_cast<double>(side) * static_cast<double>(count - side);
        double bound = edges * lightest;
        if (bound <= second) {
            double each = infinity;
            for (std::size_t a = 0; a < count; ++a) {
                const double rest = all[a] - heaviest_[at(vertices[a]) * at(graph_.count) + side - 2];
                each = std::min(each, rest > 0 ? rest : 0);  // of infinite weights nothing is known
            }
            bound = std::max(bound, static_cast<double>(side) * each);
        }
        second = std::min(second, bound);
    }
    Bound bound;
    bound.least = std::max(0.0, std::min(weight, second) * (1 - rounding));
    if (betterObjective(weight, second)) bound.isolated = isolated;
    return bound;
}

namespace {

/// As minimumCut() finds it. Where most devices are joined to most others the bounds nearly always tell, so
/// that a cut takes n^2 instead of n^3.
MinimumCut lightestCut(const WeightMatrix& graph, const CutBounds& bounds, const std::vector<int>& vertices,
                       const WorkContext& context) {
    context.throwIfStopped();
    const CutBounds::Bound bound = bounds.of(vertices);
    if (bound.isolated < 0) return minimumCut(graph, vertices, context, bound.least);
    double weight = 0;
    for (const int vertex : vertices)
        if (vertex != bound.isolated) weight += graph.at(vertex, bound.isolated);
    return {weight, {bound.isolated}};
}

void cutUp(const WeightMatrix& graph, const CutBounds& bounds, const std::vector<int>& vertices,
           DeviceCuts& cuts, const WorkContext& context) {
    if (vertices.size() == 1) {
        cuts.order.push_back(vertices.front());
        context.report(static_cast<double>(cuts.order.size()) / graph.count);
        return;
    }
    const MinimumCut cut = lightestCut(graph, bounds, vertices, context);
    std::vector<int> first = cut.side, second;
    std::set_difference(vertices.begin(), vertices.end(), first.begin(), first.end(),
                        std::back_inserter(second));
    if (second.size() < first.size() || (second.size() == first.size() && second.front() < first.front()))
        std::swap(first, second);
    cuts.forks.push_back({static_cast<int>(cuts.order.size()), static_cast<int>(vertices.size()),
                          static_cast<int>(first.size()), cut.weight});
    cutUp(graph, bounds, first, cuts, context);
    cutUp(graph, bounds, second, cuts, context);
}

}  // namespace

DeviceCuts recursiveCuts(const WeightMatrix& graph, const WorkContext& context) {
    std::vector<int> all(static_cast<std::size_t>(graph.count));
    for (std::size_t vertex = 0; vertex < all.size(); ++vertex) all[vertex] = static_cast<int>(vertex);
    DeviceCuts cuts;
    if (!all.empty()) cutUp(graph, CutBounds(graph), all, cuts, context);
    return cuts;
}

std::vector<int> recursiveDeviceOrder(const WeightMatrix& graph, const WorkContext& context) {
    return recursiveCuts(graph, {context.stop, {}}).order;
}

WeightMatrix bandwidthGraph(const Interconnect& interconnect) {
    const int count = interconnect.deviceCount();
    WeightMatrix graph{count, std::vector<double>(static_cast<std::size_t>(count) * count, 0)};
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < count; ++b)
            if (a != b) graph.at(a, b) = interconnect.bandwidthBps(a, b);
    return graph;
}

}  // namespace stagecraft::planners
