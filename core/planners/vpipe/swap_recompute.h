#pragma once

#include "core/planners/vpipe/stage_memory.h"

namespace stagecraft::planners::vpipe {

struct SwapRecomputeOptions {
    /// The first loop swaps as long as the PCIe window has room, as printed, even when memory is plenty;
    /// false: only until the memory fits.
    bool eagerSwap = true;
    /// Line 13 as printed: the tensor that no longer fits the window is swapped too (E-VP-5).
    bool overshoots = false;
    /// Line 16 as printed: `rank` copies of a tensor are charged to the window; false: two, one out and one
    /// in, as Eq. (2) does (E-VP-6).
    bool chargesRank = true;
};

/// What Algorithm 2 decides for a stage.
struct SwapRecompute {
    LayerOps ops;
    LayerOps preferred;         ///< l.op: what the layer costs less in
    std::vector<double> gains;  ///< bytes that a second of cost saves
    bool fits = false;          ///< false: not even with every layer swapped or recomputed
    double memoryBytes = 0;     ///< Eq. (1)
    StageTimes times;           ///< Eq. (2)
};

/// Algorithm 2: which layers of a stage are swapped and which recomputed (E-VP-5 to E-VP-9). A layer that
/// keeps nothing stays at its default.
SwapRecompute swapAndRecompute(const LocalStage& stage, const SwapRecomputeOptions& options = {});

}  // namespace stagecraft::planners::vpipe
