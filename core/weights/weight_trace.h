#pragma once

#include "core/model/plan.h"
#include "core/model/timeline.h"

#include <cstdint>
#include <vector>

namespace stagecraft::weights {

/// The weights of one block.
struct BlockWeights {
    /// Of a forward, backward, weight gradient or recompute (which uses its backward's): updates that its
    /// stage had had when the weights it uses were current; of an update: the version that it makes; -1: a
    /// block without weights.
    int version = -1;
    int ahead = 0;  ///< updates that the prediction it uses anticipates
    /// Updates of its stage, its mini-batch's own left out, between the weights it uses (as predicted, where
    /// they are) and the update that its gradient enters. Negative: over-predicted.
    int staleness = 0;
    bool bellwether = false;  ///< under prediction: the one that predicts for its mini-batch
};

/// A prediction: from a bellwether's forward or backward block to the update of its mini-batch on the input
/// stage, where the mini-batch has been through the whole pipeline (XPipe Fig. 1, the red arrows).
struct PredictionArrow {
    std::uint32_t from = noBlock;
    std::uint32_t toUpdate = noBlock;
    int ahead = 0;  ///< 0: the current weights are those expected then, and nothing is predicted
};

/// For charts: which weights each block of the plan's simulated timeline uses under its policy. 16 bytes a
/// block.
class WeightTrace {
public:
    WeightTrace(const Plan& plan, const Timeline& timeline);

    BlockWeights of(std::uint32_t block) const { return blocks_[block]; }
    /// By stage, then mini-batch, then forward before backward; empty unless the policy is `predicted`.
    const std::vector<PredictionArrow>& predictions() const { return predictions_; }
    int maxStaleness() const { return maxStaleness_; }  ///< of all passes; 0 without any

private:
    std::vector<BlockWeights> blocks_;
    std::vector<PredictionArrow> predictions_;
    int maxStaleness_ = 0;
};

}  // namespace stagecraft::weights
