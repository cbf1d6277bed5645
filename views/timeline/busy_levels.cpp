#include "views/timeline/busy_levels.h"

#include "core/base/indices.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

namespace {

constexpr std::size_t entriesPerBin = 8;
constexpr double unitsPerGroup = 65535;
/// Of a group that lasts no time: any later instant is after it.
constexpr float noTimePerUnit = 1e30f;
/// A group whose units are finer than that many a column is as good as its blocks.
constexpr double leastUnitsPerColumn = 2 * unitsPerGroup;
constexpr std::size_t boundariesAtOnce = 64;  // whose memory fits into the nearest cache

/// How many of the first `next` blocks there are up to the last that takes time.
std::size_t takingCount(const double* start, const double* end, std::size_t next) {
    while (next > 0 && end[next - 1] <= start[next - 1]) --next;
    return next;
}

}  // namespace

std::uint32_t lastTaking(const Timeline& timeline, const Lane& lane, std::uint32_t end) {
    const std::size_t count = takingCount(timeline.startS.data() + lane.firstBlock,
                                          timeline.endS.data() + lane.firstBlock, end - lane.firstBlock);
    return count == 0 ? noBlock : lane.firstBlock + static_cast<std::uint32_t>(count) - 1;
}

std::span<const double> laneStarts(const Timeline& timeline, int lane) {
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    return {timeline.startS.data() + range.firstBlock, range.blockCount()};
}

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

std::size_t TimeIndex::binOf(double timeS) const {
    const double position = (timeS - begin_) * binsPerSecond_;
    const std::size_t bins = firstOfBin_.size() - 1;
    if (!(position > 0)) return 0;
    return position >= static_cast<double>(bins) ? bins - 1 : static_cast<std::size_t>(position);
}

std::size_t TimeIndex::countBefore(std::span<const double> times, double timeS, std::size_t bin) const {
    // Entries of this very bin decide; those of the bins before and after it are on known sides.
    const std::size_t bins = firstOfBin_.size() - 1;
    const auto from = times.begin() + firstOfBin_[bin];
    const auto to = bin + 1 == bins ? times.end() : times.begin() + firstOfBin_[bin + 1];
    return static_cast<std::size_t>(std::lower_bound(from, to, timeS) - times.begin());
}

std::size_t TimeIndex::countBefore(std::span<const double> times, double timeS) const {
    if (times.empty() || timeS <= begin_) return 0;
    return countBefore(times, timeS, binOf(timeS));
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
        levels.index = TimeIndex(laneStarts(timeline, static_cast<int>(lane)));
        if (!levels.classes.empty()) levels.group(timeline, range, classOf);
    }
}

void BusyLevels::LaneLevels::group(const Timeline& timeline, const Lane& lane,
                                   std::span<const std::uint8_t> classOf) {
    const std::size_t more = classes.size() - std::min(classes.size(), sumsInGroup);
    const std::size_t groupCount = (lane.blockCount() + blocksPerGroup - 1) / blocksPerGroup + 1;
    groups.resize(groupCount);
    moreSums.reserve(groupCount * more);
    Sums sum{};
    double reachedS = -infinity;  // by all blocks so far: what takes no time may start before that
    for (std::size_t g = 0; g < groupCount; ++g) {
        Group& it = groups[g];
        const auto first = static_cast<std::uint32_t>(lane.firstBlock + g * blocksPerGroup);
        std::copy_n(sum.begin(), sumsInGroup, it.sum.begin());
        moreSums.insert(moreSums.end(), sum.begin() + sumsInGroup,
                        sum.begin() + static_cast<std::ptrdiff_t>(sumsInGroup + more));
        if (g + 1 == groupCount) {  // what is asked of later instants
            it.beginS = reachedS;
            break;
        }
        const std::uint32_t end = std::min(lane.endBlock, first + static_cast<std::uint32_t>(blocksPerGroup));
        it.beginS = std::max(reachedS, timeline.startS[first]);
        for (std::uint32_t b = first; b < end; ++b) reachedS = std::max(reachedS, timeline.endS[b]);
        const double endS = end < lane.endBlock ? std::max(reachedS, timeline.startS[end]) : reachedS;
        it.unitsPerSecond =
            endS > it.beginS ? static_cast<float>(unitsPerGroup / (endS - it.beginS)) : noTimePerUnit;
        const auto unit = [&](double timeS) {
            return static_cast<std::uint16_t>(std::clamp(std::round(it.unitsAt(timeS)), 0.0, unitsPerGroup));
        };
        for (std::uint32_t b = first; b < end; ++b) {
            const std::uint8_t own = slot[classOf[b]];
            it.start[b - first] = unit(timeline.startS[b]);
            it.end[b - first] = unit(timeline.endS[b]);
            it.slot[b - first] = own;
            sum[own] += timeline.durationS(b);
        }
    }
}

/// A lane with what its blocks are looked up in.
struct BusyLevels::LaneView {
    const LaneLevels& levels;
    const double* start;
    const double* end;
    const std::uint8_t* classOf;
    std::size_t count;
    std::size_t classes = levels.classes.size();

    std::size_t classCount() const { return classes; }
    std::size_t slot(std::size_t i) const { return levels.slot[classOf[i]]; }
    std::span<const double> starts() const { return {start, count}; }
    void sumBeforeGroup(std::size_t group, Sums& sum) const {
        const std::size_t inGroup = std::min(classes, sumsInGroup), more = classes - inGroup;
        for (std::size_t k = 0; k < inGroup; ++k) sum[k] = levels.groups[group].sum[k];
        for (std::size_t k = 0; k < more; ++k) sum[inGroup + k] = levels.moreSums[group * more + k];
    }
    /// Of all blocks before `next`.
    void sumBefore(std::size_t next, Sums& sum) const {
        sumBeforeGroup(next / blocksPerGroup, sum);
        for (std::size_t i = next / blocksPerGroup * blocksPerGroup; i < next; ++i)
            sum[slot(i)] += end[i] - start[i];
    }
    /// Of all that is done until `timeS`.
    void sumUntil(double timeS, Sums& sum) const {
        const std::size_t next = levels.index.countBefore(starts(), timeS);
        sumBefore(next, sum);
        const std::size_t taking = takingCount(start, end, next);
        if (taking > 0 && end[taking - 1] > timeS) sum[slot(taking - 1)] -= end[taking - 1] - timeS;
    }
    /// Until `timeS`, which is within the group or after all of them, from the group alone.
    void sumUntil(std::size_t group, double timeS, Sums& sum) const {
        const Group& it = levels.groups[group];
        sumBeforeGroup(group, sum);
        const auto unit = static_cast<std::int32_t>(std::clamp(it.unitsAt(timeS), 0.0, unitsPerGroup));
        std::array<std::int32_t, mostBlockClasses> busy;
        for (std::size_t k = 0; k < classes; ++k) busy[k] = 0;
        for (std::size_t i = 0; i < blocksPerGroup; ++i)
            busy[it.slot[i]] += std::clamp<std::int32_t>(unit, it.start[i], it.end[i]) - it.start[i];
        const double unitS = it.unitsPerSecond > 0 ? 1 / double(it.unitsPerSecond) : 0;
        for (std::size_t k = 0; k < classes; ++k) sum[k] += busy[k] * unitS;
    }
    /// The shares of a column, from what was done until its end and until its start.
    void close(float* out, const Sums& sum, Sums& before, float scale) const {
        // Element by element: sums that were just written are slow to read as a whole.
        for (std::size_t k = 0; k < classes; ++k) {
            out[k] = std::clamp(static_cast<float>(sum[k] - before[k]) * scale, 0.0f, 1.0f);
            before[k] = sum[k];
        }
    }
    /// The shares of the column that ends at `timeS`, where `sum` counts all blocks before `next`; null: it
    /// is the first boundary. What goes on after it belongs to the columns after it. `before`: the same sums
    /// at the boundary before, and then at this one.
    void close(float* out, double timeS, std::size_t next, const Sums& sum, Sums& before, float scale) const {
        const std::size_t taking = takingCount(start, end, next);
        const bool open = taking > 0 && end[taking - 1] > timeS;
        const std::size_t openSlot = open ? slot(taking - 1) : classCount();
        for (std::size_t k = 0; k < classCount(); ++k) {
            const double now = k == openSlot ? sum[k] - (end[taking - 1] - timeS) : sum[k];
            if (out) out[k] = std::clamp(static_cast<float>(now - before[k]) * scale, 0.0f, 1.0f);
            before[k] = now;
        }
    }
};

void BusyLevels::columnShares(const Timeline& timeline, int lane, double t0S, double columnS, int columns,
                              std::vector<float>& shares, const BlockClasses& classes) const {
    const LaneLevels& levels = lanes_[static_cast<std::size_t>(lane)];
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    const LaneView view{levels, timeline.startS.data() + range.firstBlock,
                        timeline.endS.data() + range.firstBlock,
                        classes.column(timeline).data() + range.firstBlock, range.blockCount()};
    shares.assign(static_cast<std::size_t>(columns) * view.classCount(), 0.0f);
    if (view.classCount() == 0) return;
    const std::size_t inView = levels.index.countBefore(view.starts(), t0S + columns * columnS) -
                               levels.index.countBefore(view.starts(), t0S);
    if (inView >= skipFrom * static_cast<std::size_t>(columns))
        denseShares(view, t0S, columnS, columns, shares);
    else
        sparseShares(view, t0S, columnS, columns, shares);
}

/// Each boundary is looked up on its own, in the index and in one group. What that reads is far apart, so
/// that memory would be waited for at each step: a step is taken for many boundaries before the next, and
/// fetches ahead what the next reads.
void BusyLevels::denseShares(const LaneView& lane, double t0S, double columnS, int columns,
                             std::vector<float>& shares) const {
    const TimeIndex& index = lane.levels.index;
    const std::vector<Group>& groups = lane.levels.groups;
    const std::size_t moreSums = lane.classCount() - std::min(lane.classCount(), sumsInGroup);
    std::array<std::size_t, boundariesAtOnce> at{};
    Sums sum{}, before{};
    const float scale = static_cast<float>(1 / columnS);
    float* out = shares.data();
    for (int first = 0; first <= columns; first += static_cast<int>(at.size())) {
        const std::size_t some = std::min(at.size(), static_cast<std::size_t>(columns - first) + 1);
        const auto instant = [&](std::size_t i) { return t0S + (first + static_cast<int>(i)) * columnS; };
        for (std::size_t i = 0; i < some; ++i) {
            at[i] = index.binOf(instant(i));
            __builtin_prefetch(index.firstOf(at[i]));
        }
        for (std::size_t i = 0; i < some; ++i) {
            at[i] = *index.firstOf(at[i]) / blocksPerGroup;
            __builtin_prefetch(&groups[at[i]]);
            __builtin_prefetch(&groups[at[i]] + 1);
            if (moreSums > 0) __builtin_prefetch(&lane.levels.moreSums[at[i] * moreSums]);
        }
        for (std::size_t i = 0; i < some; ++i) {
            const double timeS = instant(i);
            // A block that starts in the bin may belong to a group that begins before it.
            std::size_t group = at[i];
            while (groups[group].unitsAt(timeS) > unitsPerGroup) ++group;
            if (group > 0 && groups[group].unitsAt(timeS) < 0) --group;
            const bool fine = double(groups[group].unitsPerSecond) * columnS >= leastUnitsPerColumn;
            if (fine)
                lane.sumUntil(group, timeS, sum);
            else
                lane.sumUntil(timeS, sum);
            if (first + static_cast<int>(i) == 0) {
                before = sum;
                continue;
            }
            lane.close(out, sum, before, scale);
            out += lane.classCount();
        }
    }
}

/// Few blocks a column are summed from boundary to boundary.
void BusyLevels::sparseShares(const LaneView& lane, double t0S, double columnS, int columns,
                              std::vector<float>& shares) const {
    Sums sum{}, before{};
    std::size_t next = lane.levels.index.countBefore(lane.starts(), t0S);
    lane.sumBefore(next, sum);
    const float scale = static_cast<float>(1 / columnS);
    for (int boundary = 0; boundary <= columns; ++boundary) {
        const double timeS = t0S + boundary * columnS;
        if (next + skipFrom < lane.count && lane.start[next + skipFrom] < timeS) {
            next = lane.levels.index.countBefore(lane.starts(), timeS);
            lane.sumBefore(next, sum);
        } else {
            for (; next < lane.count && lane.start[next] < timeS; ++next)
                sum[lane.slot(next)] += lane.end[next] - lane.start[next];
        }
        lane.close(boundary > 0 ? shares.data() + static_cast<std::size_t>(boundary - 1) * lane.classCount()
                                : nullptr,
                   timeS, next, sum, before, scale);
    }
}

std::uint32_t BusyLevels::firstFrom(const Timeline& timeline, int lane, double timeS) const {
    const auto starts = laneStarts(timeline, lane);
    const std::size_t before = lanes_[static_cast<std::size_t>(lane)].index.countBefore(starts, timeS);
    return timeline.lanes[static_cast<std::size_t>(lane)].firstBlock + static_cast<std::uint32_t>(before);
}

std::uint32_t BusyLevels::blockAt(const Timeline& timeline, int lane, double timeS) const {
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    std::uint32_t block = firstFrom(timeline, lane, timeS);
    if (block < range.endBlock && timeline.startS[block] == timeS) return block;
    block = lastTaking(timeline, range, block);
    return block != noBlock && timeline.endS[block] > timeS ? block : noBlock;
}

}  // namespace stagecraft::views::timeline
