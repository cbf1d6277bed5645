#pragma once

#include "core/cost/vocabulary_cost.h"
#include "core/model/timeline.h"
#include "core/simulation/transfer_edges.h"

#include <array>
#include <map>
#include <vector>

namespace stagecraft::memory {

/// How many bytes the blocks of a plan move. Refers to costs and plan, which must outlive it.
class BlockBytes {
public:
    /// @param edges of the plan
    BlockBytes(const CostModel& costs, const Plan& plan, SharedStageEdges edges);

    /// Of a transfer all that crosses from stage to stage; of an AllReduce or a swap what each device moves;
    /// 0 for other blocks. `lane`: the block's.
    double of(const Timeline& timeline, int lane, std::uint32_t block) const;
    /// The part of it that `device`, one of the lane's, sends or receives.
    double of(const Timeline& timeline, int lane, std::uint32_t block, int device) const;

private:
    double syncBytes(BlockKind kind, int stage) const;
    /// The stages that a block on a channel joins.
    std::array<int, 2> endsOf(const Timeline& timeline, const Lane& lane, std::uint32_t block) const;

    const Plan& plan_;
    TransferEdges edges_;
    VocabularyCost vocabulary_;
    std::vector<std::map<BlockKind, double>> syncBytes_;  ///< by stage
    std::vector<double> swapBytes_;                       ///< by stage
    std::vector<StateSync> syncs_;
    std::vector<double> evictedBytes_;  ///< by stage, of all of its devices
};

}  // namespace stagecraft::memory
