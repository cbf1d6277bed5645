#include "views/timeline/transfer_counts.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::views::timeline {

namespace {

constexpr std::size_t blocksPerCheckpoint = 8;

/// Position of a block's source, or how many there are if it is none of them or takes no time.
std::size_t slotIn(const std::vector<LoadSource>& sources, const Timeline& timeline, std::uint32_t block) {
    if (timeline.durationS(block) <= 0) return sources.size();
    const auto own = std::find_if(sources.begin(), sources.end(),
                                  [&](const LoadSource& source) { return source.isOf(timeline, block); });
    return static_cast<std::size_t>(own - sources.begin());
}

/// Whatever it sends over one link or another.
LoadSource withoutBytes(LoadSource source) {
    source.bytes = 0;
    return source;
}

}  // namespace

TransferCounts::TransferCounts(const Timeline& timeline, const std::vector<LinkUse>& uses)
    : lanes_(timeline.lanes.size()) {
    for (const LinkUse& use : uses)
        for (const LoadSource& source : use.sources) {
            std::vector<LoadSource>& known = lanes_[at(source.lane)].sources;
            const LoadSource own = withoutBytes(source);
            if (std::find(known.begin(), known.end(), own) == known.end()) known.push_back(own);
        }
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        LaneCounts& levels = lanes_[lane];
        if (levels.sources.empty()) continue;
        const Lane& range = timeline.lanes[lane];
        levels.index = TimeIndex(laneStarts(timeline, static_cast<int>(lane)));
        std::vector<std::uint32_t> count(levels.sources.size() + 1, 0);  // the last is of none
        levels.counts.reserve((range.blockCount() / blocksPerCheckpoint + 1) * levels.sources.size());
        for (std::uint32_t b = range.firstBlock; b < range.endBlock; ++b) {
            if ((b - range.firstBlock) % blocksPerCheckpoint == 0)
                levels.counts.insert(levels.counts.end(), count.begin(), count.end() - 1);
            ++count[slotIn(levels.sources, timeline, b)];
        }
        if (range.blockCount() % blocksPerCheckpoint == 0)
            levels.counts.insert(levels.counts.end(), count.begin(), count.end() - 1);
    }
}

std::size_t TransferCounts::slotOf(const LoadSource& source) const {
    const std::vector<LoadSource>& sources = lanes_[at(source.lane)].sources;
    return static_cast<std::size_t>(std::find(sources.begin(), sources.end(), withoutBytes(source)) -
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
    // The sums are of whole numbers and one part; the last slot gathers what is none of the sources.
    std::vector<double> before(sources, 0), sum = before;
    sum.push_back(0);
    std::size_t next = 0;  // blocks before it start before the column boundary; sum holds all of them
    const auto take = [&](std::size_t i) {
        ++sum[slotIn(levels.sources, timeline, first + static_cast<std::uint32_t>(i))];
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
        std::size_t openSlot = sources;
        double openPart = 0;  // of a block that goes on after the boundary
        if (next > 0) {
            const auto block = first + static_cast<std::uint32_t>(next) - 1;
            if (timeline.endS[block] > timeS) {
                openSlot = slotIn(levels.sources, timeline, block);
                openPart = partLeft(timeline, block, timeS);
            }
        }
        for (std::size_t slot = 0; slot < sources; ++slot) {
            const double now = sum[slot] - (slot == openSlot ? openPart : 0);
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
