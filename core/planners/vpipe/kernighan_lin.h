#pragma once

#include "core/planners/vpipe/layer_graph.h"

#include <limits>
#include <vector>

namespace stagecraft::planners::vpipe {

/// Two sides of a graph: side[node] is false or true.
using Bipartition = std::vector<bool>;

double cutBytes(const LayerGraph& graph, const Bipartition& side);

struct KernighanLinOptions {
    double shareS = 0;  ///< time that the first side should have
    /// What a pass keeps differs from the share by no more.
    double mostOffS = std::numeric_limits<double>::infinity();
    int mostPasses = 20;
};

/// Kernighan and Lin's heuristic (1970): passes that exchange pairs of nodes, the best pair first and each
/// node once, and keep the prefix of exchanges with the greatest gain, until a pass gains nothing. Both sides
/// keep their numbers of nodes. Ties by the lower node.
Bipartition kernighanLin(const LayerGraph& graph, Bipartition start, const KernighanLinOptions& options = {});

/// The plain algorithm that Algorithm 3 is measured against (Table 4): recursive bipartition of the whole
/// graph into p parts of about as much time each, from the halves in the order of invocation and with the
/// balance of Algorithm 3 (half the longest node). Its parts need not be of consecutive nodes.
std::vector<int> plainKernighanLin(const LayerGraph& graph, int p);

}  // namespace stagecraft::planners::vpipe
