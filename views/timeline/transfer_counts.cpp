#include "views/timeline/transfer_counts.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::views::timeline {

namespace {

constexpr std::size_t blocksPerCheckpoint = 8;

/// `visit(position)` for each source that the block is of: several where a pass sends over one link at other
/// times than over another.
template <typename Visit>
void eachSlot(const std::vector<LoadSource>& sources, const Timeline& timeline, std::uint32_t block,
              Visit visit) {
    if (timeline.durationS(block) <= 0) return;
    for (std::size_t slot = 0; slot < sources.size(); ++slot)
        if (sources[slot].isOf(timeline, block)) visit(slot);
}

/// However much it sends over one link or another.
LoadSource ofOneByte(LoadSource source) {
    source.bytes = 1;
    return source;
}

}  // namespace

TransferCounts::TransferCounts(const Timeline& timeline, const std::vector<LinkUse>& uses)
    : lanes_(timeline.lanes.size()) {
    for (const LinkUse& use : uses)
        for (const LoadSource& source : use.sources) {
            std::vector<LoadSource>& known = lanes_[at(source.lane)].sources;
            const LoadSource own = ofOneByte(source);
            if (std::find(known.begin(), known.end(), own) == known.end()) known.push_back(own);
        }
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        LaneCounts& levels = lanes_[lane];
        if (levels.sources.empty()) continue;
        const Lane& range = timeline.lanes[lane];
        levels.index = TimeIndex(laneStarts(timeline, static_cast<int>(lane)));
        std::vector<std::uint32_t> count(levels.sources.size(), 0);
        levels.counts.reserve((range.blockCount() / blocksPerCheckpoint + 1) * levels.sources.size());
        for (std::uint32_t b = range.firstBlock; b < range.endBlock; ++b) {
            if ((b - range.firstBlock) % blocksPerCheckpoint == 0)
                levels.counts.insert(levels.counts.end(), count.begin(), count.end());
            eachSlot(levels.sources, timeline, b, [&](std::size_t slot) { ++count[slot]; });
        }
        if (range.blockCount() % blocksPerCheckpoint == 0)
            levels.counts.insert(levels.counts.end(), count.begin(), count.end());
    }
}

std::size_t TransferCounts::slotOf(const LoadSource& source) const {
    const std::vector<LoadSource>& sources = lanes_[at(source.lane)].sources;
    return static_cast<std::size_t>(std::find(sources.begin(), sources.end(), ofOneByte(source)) -
                                    sources.begin());
}

void TransferCounts::columns(const Timeline& timeline, int lane, double t0S, double columnS, int count,
                             std::vector<float>& counts) const {
    const LaneCounts& levels = lanes_[at(lane)];
    const std::size_t sources = levels.sources.size();
    counts.assign(at(count) * sources, 0.0f);
    if (sources == 0) return;
    const std::span<const double> starts = laneStarts(timeline, lane);
    const std::uint32_t first = timeline.lanes[at(lane)].firstBlock;
    // The sums are of whole numbers; `open` is what of them is not over.
    std::vector<double> before(sources, 0), sum = before, open = before;
    std::size_t next = 0;  // blocks before it start before the column boundary; sum holds all of them
    const auto take = [&](std::size_t i) {
        eachSlot(levels.sources, timeline, first + static_cast<std::uint32_t>(i),
                 [&](std::size_t slot) { ++sum[slot]; });
    };
    const auto jumpTo = [&](double timeS) {
        next = levels.index.countBefore(starts, timeS);
        const std::size_t checkpoint = next / blocksPerCheckpoint;
        for (std::size_t slot = 0; slot < sources; ++slot)
            sum[slot] = levels.counts[checkpoint * sources + slot];
        for (std::size_t i = checkpoint * blocksPerCheckpoint; i < next; ++i) take(i);
    };
    jumpTo(t0S);
    for (int boundary = 0; boundary <= count; ++boundary) {
        const double timeS = t0S + boundary * columnS;
        if (next + skipFrom < starts.size() && starts[next + skipFrom] < timeS)
            jumpTo(timeS);
        else
            for (; next < starts.size() && starts[next] < timeS; ++next) take(next);
        std::fill(open.begin(), open.end(), 0.0);
        if (next > 0) {
            const auto block = first + static_cast<std::uint32_t>(next) - 1;
            if (timeline.endS[block] > timeS)
                eachSlot(levels.sources, timeline, block, [&](std::size_t slot) {
                    open[slot] = partLeft(timeline, levels.sources[slot], block, timeS);
                });
        }
        for (std::size_t slot = 0; slot < sources; ++slot) {
            const double now = sum[slot] - open[slot];
            if (boundary > 0)
                counts[at(boundary - 1) * sources + slot] =
                    static_cast<float>(std::max(0.0, now - before[slot]));
            before[slot] = now;
        }
    }
}

std::uint32_t TransferCounts::blockAt(const Timeline& timeline, int lane, double timeS) const {
    const Lane& range = timeline.lanes[at(lane)];
    const std::span<const double> starts = laneStarts(timeline, lane);
    std::size_t next = lanes_[at(lane)].index.countBefore(starts, timeS);
    while (next < starts.size() && starts[next] == timeS) ++next;
    // Blocks that take no time may be before it.
    for (; next > 0; --next) {
        const std::uint32_t block = range.firstBlock + static_cast<std::uint32_t>(next) - 1;
        if (timeline.endS[block] > timeS) return block;
        if (timeline.durationS(block) > 0) break;
    }
    return noBlock;
}

}  // namespace stagecraft::views::timeline
