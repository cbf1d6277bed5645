#pragma once

#include "core/simulation/block_graph.h"

#include <span>

namespace stagecraft::analysis {

/// For each block the blocks of other lanes that it has to wait for: data, AllReduce, swaps and versions of
/// weights, as the plan says. The order on the lane and the barrier between iterations are not among them.
class BlockInputTable {
public:
    explicit BlockInputTable(const BlockGraph& graph);

    /// Ascending.
    std::span<const std::uint32_t> of(std::uint32_t block) const {
        return {inputs_.data() + first_[block], inputs_.data() + first_[block + 1]};
    }

private:
    std::vector<std::size_t> first_;  ///< by block, and the end
    std::vector<std::uint32_t> inputs_;
};

}  // namespace stagecraft::analysis
