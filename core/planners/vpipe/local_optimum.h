#pragma once

#include "core/planners/vpipe/stage_memory.h"

namespace stagecraft::planners::vpipe {

struct LocalOptimum {
    bool feasible = false;
    LayerOps ops;
    double stageTimeS = 0;   ///< t^fwd + t^bwd of `ops`
    double lowerBoundS = 0;  ///< of any choice that fits; stageTimeS if `proven`
    bool proven = false;     ///< the search ran to its end
};

/// The least t^fwd + t^bwd of Eq. (2) under Eq. (1) for one stage, which Algorithm 2 approaches greedily
/// (E-VP-9): dynamic programming over the layers that keeps the choices which no other beats in recompute
/// time, swap time and bytes saved at once, cut by bounds of the fractional problem. Layers that are alike
/// count as one kind.
/// @param mostStates kept at once; if that is not enough, the most promising are and `proven` is false
LocalOptimum localOptimum(const LocalStage& stage, std::size_t mostStates = 20000);

}  // namespace stagecraft::planners::vpipe
