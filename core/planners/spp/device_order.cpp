#include "core/planners/spp/device_order.h"

#include "core/planners/planning.h"

#include <algorithm>
#include <iterator>

namespace stagecraft::planners {

// Boost's stoer_wagner_min_cut leaves it to a heap which of several equally tight vertices comes next, and so
// which of several minimum cuts it finds; the order of devices must not hang on that. The graphs are
// complete, so arrays lose nothing. The tests hold the weights against Boost's.
MinimumCut minimumCut(const WeightMatrix& graph, const std::vector<int>& vertices,
                      const WorkContext& context) {
    const std::size_t count = vertices.size();
    std::vector<double> weight(count * count);  // by position in `vertices`; merging adds rows up
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b < count; ++b) weight[a * count + b] = graph.at(vertices[a], vertices[b]);
    std::vector<std::vector<int>> merged(count);
    for (std::size_t a = 0; a < count; ++a) merged[a] = {vertices[a]};
    std::vector<std::size_t> alive(count);  // positions, ascending
    for (std::size_t a = 0; a < count; ++a) alive[a] = a;

    MinimumCut best;
    while (alive.size() > 1) {
        context.throwIfStopped();
        std::vector<std::size_t> outside(alive.begin() + 1, alive.end());
        std::vector<double> tightness(count, 0);
        std::size_t last = alive.front(), beforeLast = last;
        double cut = 0;
        while (true) {
            for (const std::size_t vertex : outside) tightness[vertex] += weight[last * count + vertex];
            if (outside.empty()) break;
            auto tightest = outside.begin();
            for (auto candidate = outside.begin(); candidate != outside.end(); ++candidate)
                if (clearlyLess(tightness[*tightest], tightness[*candidate])) tightest = candidate;
            beforeLast = last;
            last = *tightest;
            cut = tightness[last];
            outside.erase(tightest);
        }
        if (best.side.empty() || clearlyLess(cut, best.weight)) best = {cut, merged[last]};

        const std::size_t kept = std::min(last, beforeLast), gone = std::max(last, beforeLast);
        for (const std::size_t vertex : alive) {
            const double sum = weight[kept * count + vertex] + weight[gone * count + vertex];
            weight[kept * count + vertex] = weight[vertex * count + kept] = sum;
        }
        merged[kept].insert(merged[kept].end(), merged[gone].begin(), merged[gone].end());
        alive.erase(std::find(alive.begin(), alive.end(), gone));
    }
    std::sort(best.side.begin(), best.side.end());
    return best;
}

namespace {

void cutUp(const WeightMatrix& graph, const std::vector<int>& vertices, DeviceCuts& cuts,
           const WorkContext& context) {
    if (vertices.size() == 1) {
        cuts.order.push_back(vertices.front());
        context.report(static_cast<double>(cuts.order.size()) / graph.count);
        return;
    }
    const MinimumCut cut = minimumCut(graph, vertices, context);
    std::vector<int> first = cut.side, second;
    std::set_difference(vertices.begin(), vertices.end(), first.begin(), first.end(),
                        std::back_inserter(second));
    if (second.size() < first.size() || (second.size() == first.size() && second.front() < first.front()))
        std::swap(first, second);
    cuts.forks.push_back({static_cast<int>(cuts.order.size()), static_cast<int>(vertices.size()),
                          static_cast<int>(first.size()), cut.weight});
    cutUp(graph, first, cuts, context);
    cutUp(graph, second, cuts, context);
}

}  // namespace

DeviceCuts recursiveCuts(const WeightMatrix& graph, const WorkContext& context) {
    std::vector<int> all(static_cast<std::size_t>(graph.count));
    for (std::size_t vertex = 0; vertex < all.size(); ++vertex) all[vertex] = static_cast<int>(vertex);
    DeviceCuts cuts;
    if (!all.empty()) cutUp(graph, all, cuts, context);
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
