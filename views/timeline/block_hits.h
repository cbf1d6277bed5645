#pragma once

#include "views/timeline/busy_levels.h"

namespace stagecraft::views::timeline {

/// The blocks that a search has found, so prepared that marking them costs what their pixels cost. Holds no
/// reference to the timeline.
class BlockHits {
public:
    /// @param blocks by start
    BlockHits(const Timeline& timeline, std::vector<std::uint32_t> blocks);

    const std::vector<std::uint32_t>& blocks() const { return blocks_; }
    bool has(std::uint32_t block) const;
    bool inLane(int lane) const;  ///< whether the lane has some of them

    struct Column {
        float share = 0;  ///< of its time that is in blocks found, from 0 to 1
        bool any = false;
    };
    /// Columns as those of BusyLevels::columnShares.
    void columns(int lane, double t0S, double columnS, int count, std::vector<Column>& columns) const;

private:
    std::vector<std::uint32_t> blocks_;
    std::vector<std::uint32_t> byLane_;  ///< the same, ascending
    Timeline found_;                     ///< those alone, in the lanes of the timeline
    BusyLevels busy_;
};

}  // namespace stagecraft::views::timeline
