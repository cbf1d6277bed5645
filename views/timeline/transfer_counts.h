#pragma once

#include "core/analysis/link_curves.h"
#include "views/timeline/busy_levels.h"

#include <vector>

namespace stagecraft::views::timeline {

/// How many blocks of a lane pass between any two instants, by kind and stage, at a cost that does not grow
/// with their number: counts at every 8th block. Of a block that runs at an end of the stretch the part
/// within counts. Holds no reference to the timeline; every call must be given the one it was built from.
class TransferCounts {
public:
    TransferCounts() = default;
    /// Of the lanes and sources of the uses alone.
    TransferCounts(const Timeline& timeline, const std::vector<LinkUse>& uses);

    /// Sources of a lane; 0 for one that no use has.
    std::size_t sourceCount(int lane) const { return lanes_[static_cast<std::size_t>(lane)].sources.size(); }
    std::size_t slotOf(const LoadSource& source) const;
    /// counts[c * sourceCount(lane) + k]: blocks of the k-th source that pass in column c, [t0S + c *
    /// columnS, t0S + (c + 1) * columnS).
    void columns(const Timeline& timeline, int lane, double t0S, double columnS, int count,
                 std::vector<float>& counts) const;
    /// The block of the lane that runs at `timeS`, or noBlock.
    std::uint32_t blockAt(const Timeline& timeline, int lane, double timeS) const;

private:
    struct LaneCounts {
        std::vector<LoadSource> sources;  ///< bytes as one
        TimeIndex index;
        std::vector<std::uint32_t> counts;  ///< [checkpoint][source]: blocks before block 8 * checkpoint
    };
    std::vector<LaneCounts> lanes_;
};

}  // namespace stagecraft::views::timeline
