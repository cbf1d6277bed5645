#pragma once

#include "core/base/work_context.h"
#include "core/cost/interconnect.h"

#include <vector>

namespace stagecraft::planners {

/// A symmetric matrix of non-negative edge weights over vertices 0..count-1; 0 is no edge.
struct WeightMatrix {
    int count = 0;
    std::vector<double> weights;

    double at(int a, int b) const { return weights[static_cast<std::size_t>(a) * count + b]; }
    double& at(int a, int b) { return weights[static_cast<std::size_t>(a) * count + b]; }
};

struct MinimumCut {
    double weight = 0;
    std::vector<int> side;  ///< one side, ascending; the other is the rest of the vertices asked about
};

/// Global minimum cut of the subgraph on `vertices` (ascending, at least two) by Stoer and Wagner's
/// algorithm, O(n^3). Ties by MODEL.md section 5: each phase starts at the lowest vertex, the lower index
/// wins among equally tight vertices (a merged vertex goes by its lowest), and only a strictly lighter cut
/// replaces the best so far.
/// @param least no cut is lighter: the search ends with the first cut that no lighter one can replace
/// @throws Cancelled
MinimumCut minimumCut(const WeightMatrix& graph, const std::vector<int>& vertices,
                      const WorkContext& context = {}, double least = 0);

/// What any cut of a subgraph weighs at least, without looking at cuts: of k vertices on one side, each has
/// the weight of all its edges but the k - 1 heaviest that it has in the graph, and k of the n vertices have
/// k(n - k) edges to the others, none lighter than the lightest.
class CutBounds {
public:
    explicit CutBounds(const WeightMatrix& graph);

    struct Bound {
        double least = 0;  ///< of all cuts
        /// If not negative: all cuts but that which isolates this vertex are heavier than it by more than
        /// rounding and ties.
        int isolated = -1;
    };
    Bound of(const std::vector<int>& vertices) const;

private:
    const WeightMatrix& graph_;
    std::vector<double> heaviest_;  // by vertex and number of its heaviest edges, their sum
};

/// A set of devices that RDO cut in two: the `count` that are in the order from place `first` on, of which
/// the first `split` are one side.
struct CutFork {
    int first = 0;
    int count = 0;
    int split = 0;
    double weight = 0;  ///< of the minimum cut between the two sides
    bool operator==(const CutFork&) const = default;
};

/// What RDO made of a graph: the order and the recursion that led to it.
struct DeviceCuts {
    std::vector<int> order;
    std::vector<CutFork> forks;  ///< each before those of its first side, these before those of its second
};

/// SPP Alg. 2 (RDO): cuts recursively; the smaller side comes first, of equal sides the one with the lowest
/// index (E-SPP-10). Reports the share of the devices that have their place. @throws Cancelled
DeviceCuts recursiveCuts(const WeightMatrix& graph, const WorkContext& context = {});
/// The order alone, without reports.
std::vector<int> recursiveDeviceOrder(const WeightMatrix& graph, const WorkContext& context = {});

/// The complete graph of device-to-device bandwidths b(v, v').
WeightMatrix bandwidthGraph(const Interconnect& interconnect);

}  // namespace stagecraft::planners
