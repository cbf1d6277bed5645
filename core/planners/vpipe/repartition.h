#pragma once

#include "core/planners/vpipe/layer_graph.h"

#include <vector>

namespace stagecraft::planners::vpipe {

/// Stages are balanced if none takes longer than this times what it is compared with (E-VP-12).
inline constexpr double balancedWithin = 1.1;

/// For fewer bytes the refinement lets a stage take this times the mean.
inline constexpr double refinedWithin = 1.02;

/// Algorithm 3: where the p stages after the first begin, p - 1 ascending node numbers. Every stage gets a
/// node.
///
/// The graph is coarsened, halved recursively, and the bounds are refined on the whole graph. Since halving
/// by bounds costs next to nothing, the whole graph is halved as well, and the partition that cuts less is
/// taken, unless its slowest stage is more than a tenth slower. A bipartition is a bound in the order of
/// invocation, so that stages are contiguous (E-VP-11): of the bounds at which the time before differs from
/// its share by at most half the longest node the one that cuts fewest bytes; ties by balance, then the
/// earlier. For a p that is no power of two the larger part gets the share of its stages.
/// @param p from 1 to the number of nodes
std::vector<int> repartition(const LayerGraph& graph, int p);

/// Lines 22 to 26 on a graph as it is.
std::vector<int> bipartitionBounds(const LayerGraph& graph, int p);

/// Lines 27 to 29: moves each bound between its neighbours to where fewest bytes are cut, as long as no stage
/// takes longer than the slowest did, or than `refinedWithin` times the mean; ties where the two stages are most
/// alike; until no bound moves.
std::vector<int> refinedBounds(const LayerGraph& graph, std::vector<int> bounds);

/// The partition into p stages of consecutive nodes of which the slowest is as quick as can be; what
/// PipeDream's static profile gives the systems under vPipe to start from, without replication and with free
/// transfers.
std::vector<int> balancedBounds(const std::vector<double>& timeS, int p);

}  // namespace stagecraft::planners::vpipe
