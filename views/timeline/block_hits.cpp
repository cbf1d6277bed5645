#include "views/timeline/block_hits.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

BlockHits::BlockHits(const Timeline& timeline, std::vector<std::uint32_t> blocks)
    : blocks_(std::move(blocks)), byLane_(blocks_) {
    std::sort(byLane_.begin(), byLane_.end());
    found_.lanes = timeline.lanes;
    found_.resize(static_cast<std::uint32_t>(byLane_.size()));
    for (std::size_t i = 0; i < byLane_.size(); ++i) {
        found_.startS[i] = timeline.startS[byLane_[i]];
        found_.endS[i] = timeline.endS[byLane_[i]];
    }
    const auto countBefore = [this](std::uint32_t block) {
        return static_cast<std::uint32_t>(std::lower_bound(byLane_.begin(), byLane_.end(), block) -
                                          byLane_.begin());
    };
    for (Lane& lane : found_.lanes) {
        lane.firstBlock = countBefore(lane.firstBlock);
        lane.endBlock = countBefore(lane.endBlock);
    }
    busy_ = BusyLevels(found_);
}

bool BlockHits::has(std::uint32_t block) const {
    return std::binary_search(byLane_.begin(), byLane_.end(), block);
}

bool BlockHits::inLane(int lane) const {
    const Lane& it = found_.lanes[static_cast<std::size_t>(lane)];
    return it.firstBlock < it.endBlock;
}

void BlockHits::columns(int lane, double t0S, double columnS, int count, std::vector<Column>& columns) const {
    columns.assign(static_cast<std::size_t>(count), {});
    std::vector<float> shares;
    busy_.columnShares(found_, lane, t0S, columnS, count, shares);
    for (std::size_t c = 0; c < shares.size(); ++c) columns[c] = {shares[c], shares[c] > 0};
    // What takes no time has no share; where blocks crowd, others beside it have one.
    const std::uint32_t first = busy_.firstFrom(found_, lane, t0S);
    const std::uint32_t last = busy_.firstFrom(found_, lane, t0S + columnS * count);
    if (last - first > static_cast<std::uint32_t>(count)) return;
    for (std::uint32_t i = first; i < last; ++i) {
        const auto column = static_cast<std::ptrdiff_t>(std::floor((found_.startS[i] - t0S) / columnS));
        if (column >= 0 && column < count) columns[static_cast<std::size_t>(column)].any = true;
    }
}

}  // namespace stagecraft::views::timeline
