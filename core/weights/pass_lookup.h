#pragma once

#include "core/model/plan.h"
#include "core/model/timeline.h"

#include <span>
#include <vector>

namespace stagecraft::weights {

/// Finds what one plan does with a microbatch that another plan does too. Microbatches are counted through
/// all mini-batches, so that plans with mini-batches of different sizes speak of the same samples.
class PassLookup {
public:
    /// Copies what it needs of both.
    PassLookup(const Timeline& timeline, const Plan& plan, int microbatchesPerMiniBatch);

    /// What a block computes, comparable among plans of the same network.
    struct Pass {
        BlockKind kind = BlockKind::forward;
        int microbatch = -1;  ///< counted through; -1: of a whole mini-batch (AllReduce, update)
        int iteration = 0;    ///< mini-batch; matters only where `microbatch` does not
        int firstLayer = 0;
        int lastLayer = 0;  ///< included
        bool operator==(const Pass&) const = default;
    };
    Pass passOf(const Timeline& timeline, std::uint32_t block) const;
    /// Blocks of the same kind and microbatch whose stage has any of the pass's layers, ascending.
    std::vector<std::uint32_t> blocksOf(const Timeline& timeline, const Pass& pass) const;

private:
    std::size_t groupOf(int microbatch, int iteration) const;
    std::span<const std::uint32_t> group(std::size_t index) const;

    std::vector<Stage> stages_;
    int perMiniBatch_ = 1;
    int miniBatches_ = 1;
    std::vector<std::uint32_t> firstOfGroup_;  ///< into blocks_; one more at the end
    std::vector<std::uint32_t> blocks_;        ///< of each microbatch, then those of each whole mini-batch
};

}  // namespace stagecraft::weights
