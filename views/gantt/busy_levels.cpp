#include "views/gantt/busy_levels.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::size_t entriesPerBin = 8;
constexpr std::size_t blocksPerCheckpoint = 8;
/// Columns with fewer new blocks than this are summed block by block; more are skipped through the
/// checkpoints.
constexpr std::size_t skipFrom = 32;

std::span<const double> startsOf(const Timeline& timeline, int lane) {
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    return {timeline.startS.data() + range.firstBlock, range.blockCount()};
}

}  // namespace

TimeIndex::TimeIndex(std::span<const double> times) {
    if (times.empty()) return;
    begin_ = times.front();
    const double span = times.back() - begin_;
    const std::size_t bins = std::max<std::size_t>(1, times.size() / entriesPerBin);
    binsPerSecond_ = span > 0 ? static_cast<double>(bins) / span : 0;
    firstOfBin_.assign(bins + 1, static_cast<std::uint32_t>(times.size()));
    std::size_t bin = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const std::size_t own =
            std::min(bins - 1, static_cast<std::size_t>((times[i] - begin_) * binsPerSecond_));
        while (bin <= own) firstOfBin_[bin++] = static_cast<std::uint32_t>(i);
    }
}

std::size_t TimeIndex::countBefore(std::span<const double> times, double timeS) const {
    if (times.empty() || timeS <= begin_) return 0;
    const double position = (timeS - begin_) * binsPerSecond_;
    const std::size_t bins = firstOfBin_.size() - 1;
    const std::size_t bin =
        position >= static_cast<double>(bins) ? bins - 1 : static_cast<std::size_t>(position);
    // Entries of this very bin decide; those of the bins before and after it are on known sides.
    const auto from = times.begin() + firstOfBin_[bin];
    const auto to = bin + 1 == bins ? times.end() : times.begin() + firstOfBin_[bin + 1];
    return static_cast<std::size_t>(std::lower_bound(from, to, timeS) - times.begin());
}

BusyLevels::BusyLevels(const Timeline& timeline, const BlockClasses& classes)
    : lanes_(timeline.lanes.size()) {
    const std::span<const std::uint8_t> classOf = classes.column(timeline);
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        const Lane& range = timeline.lanes[lane];
        LaneLevels& levels = lanes_[lane];
        std::array<bool, mostBlockClasses> present{};
        for (std::uint32_t b = range.firstBlock; b < range.endBlock; ++b)
            if (timeline.durationS(b) > 0) present[classOf[b]] = true;
        for (std::size_t it = 0; it < present.size(); ++it)
            if (present[it]) {
                levels.slot[it] = static_cast<std::uint8_t>(levels.classes.size());
                levels.classes.push_back(static_cast<std::uint8_t>(it));
            }
        levels.index = TimeIndex(startsOf(timeline, static_cast<int>(lane)));
        if (levels.classes.empty()) continue;  // nothing takes time

        std::vector<double> sum(levels.classes.size(), 0.0);
        levels.sums.reserve((range.blockCount() / blocksPerCheckpoint + 1) * sum.size());
        for (std::uint32_t b = range.firstBlock; b < range.endBlock; ++b) {
            if ((b - range.firstBlock) % blocksPerCheckpoint == 0)
                levels.sums.insert(levels.sums.end(), sum.begin(), sum.end());
            sum[levels.slot[classOf[b]]] += timeline.durationS(b);
        }
        if (range.blockCount() % blocksPerCheckpoint == 0)
            levels.sums.insert(levels.sums.end(), sum.begin(), sum.end());
    }
}

void BusyLevels::columnShares(const Timeline& timeline, int lane, double t0S, double columnS, int columns,
                              std::vector<float>& shares, const BlockClasses& classes) const {
    const LaneLevels& levels = lanes_[static_cast<std::size_t>(lane)];
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    const std::size_t classCount = levels.classes.size();
    const std::size_t count = range.blockCount();
    const double* start = timeline.startS.data() + range.firstBlock;
    const double* end = timeline.endS.data() + range.firstBlock;
    const std::uint8_t* classOf = classes.column(timeline).data() + range.firstBlock;
    const auto slot = [&](std::size_t i) { return levels.slot[classOf[i]]; };

    shares.assign(static_cast<std::size_t>(columns) * classCount, 0.0f);
    if (classCount == 0) return;
    std::array<double, mostBlockClasses> sum{}, before{};
    std::size_t next = 0;  // blocks before it start before the column boundary; sum holds all of them
    const auto jumpTo = [&](double timeS) {
        next = levels.index.countBefore({start, count}, timeS);
        const std::size_t checkpoint = next / blocksPerCheckpoint;
        std::copy_n(levels.sums.begin() + static_cast<std::ptrdiff_t>(checkpoint * classCount), classCount,
                    sum.begin());
        for (std::size_t i = checkpoint * blocksPerCheckpoint; i < next; ++i)
            sum[slot(i)] += end[i] - start[i];
    };
    jumpTo(t0S);
    const float scale = static_cast<float>(1 / columnS);
    for (int boundary = 0; boundary <= columns; ++boundary) {
        const double timeS = t0S + boundary * columnS;
        if (next + skipFrom < count && start[next + skipFrom] < timeS) {
            jumpTo(timeS);
        } else {
            for (; next < count && start[next] < timeS; ++next) sum[slot(next)] += end[next] - start[next];
        }
        // What goes on after the boundary belongs to the columns after it.
        const bool open = next > 0 && end[next - 1] > timeS;
        const std::size_t openSlot = open ? slot(next - 1) : classCount;
        float* out =
            boundary > 0 ? shares.data() + static_cast<std::size_t>(boundary - 1) * classCount : nullptr;
        for (std::size_t k = 0; k < classCount; ++k) {
            const double now = k == openSlot ? sum[k] - (end[next - 1] - timeS) : sum[k];
            if (out) out[k] = std::clamp(static_cast<float>(now - before[k]) * scale, 0.0f, 1.0f);
            before[k] = now;
        }
    }
}

std::uint32_t BusyLevels::firstFrom(const Timeline& timeline, int lane, double timeS) const {
    const auto starts = startsOf(timeline, lane);
    const std::size_t before = lanes_[static_cast<std::size_t>(lane)].index.countBefore(starts, timeS);
    return timeline.lanes[static_cast<std::size_t>(lane)].firstBlock + static_cast<std::uint32_t>(before);
}

std::uint32_t BusyLevels::blockAt(const Timeline& timeline, int lane, double timeS) const {
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    std::uint32_t block = firstFrom(timeline, lane, timeS);
    if (block < range.endBlock && timeline.startS[block] == timeS) return block;
    if (block == range.firstBlock) return noBlock;
    --block;
    return timeline.endS[block] > timeS ? block : noBlock;
}

}  // namespace stagecraft
