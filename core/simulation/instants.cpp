#include "core/simulation/instants.h"

#include "core/simulation/close_times.h"
#include "core/simulation/execution_graph.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace stagecraft::simulation {

namespace {

/// Times that differ by rounding.
struct Group : TimeRange {
    bool joins = true;
};

[[noreturn]] void refuseTimes() {
    throw SimulationError(
        "the times of the plan exceed what a number can hold; expected durations, bandwidths and a "
        "number of microbatches whose products are finite");
}

/// @param finite made false if one is not
bool isAscending(std::span<const double> times, bool& finite) {
    constexpr double most = std::numeric_limits<double>::max();
    std::size_t wrong = times.empty() || std::abs(times.front()) <= most ? 0 : 1, descents = 0;
    for (std::size_t i = 1; i < times.size(); ++i) {
        descents += times[i - 1] <= times[i] ? 0 : 1;
        wrong += std::abs(times[i]) <= most ? 0 : 1;
    }
    finite &= wrong == 0;
    return descents == 0;
}

/// Gives the times of an ascending column that of the last of their group, a batch of groups after the other.
class ColumnJoiner {
public:
    explicit ColumnJoiner(std::span<double> times) : times_(times) {}

    void join(std::span<const Group> groups) {
        auto group = groups.begin();
        for (; next_ < times_.size() && times_[next_] <= groups.back().lastS; ++next_) {
            double& timeS = times_[next_];
            group = reaching(timeS, group, groups.end());
            if (group->firstS <= timeS && group->joins) timeS = group->lastS;
        }
    }

private:
    using Place = std::span<const Group>::iterator;

    /// The first group that does not end before: one of the next few, mostly.
    static Place reaching(double timeS, Place from, Place end) {
        constexpr int few = 8;
        for (int step = 0; step < few && from->lastS < timeS; ++step) ++from;
        if (!(from->lastS < timeS)) return from;
        return std::partition_point(from, end, [&](const Group& each) { return each.lastS < timeS; });
    }

    std::span<double> times_;
    std::size_t next_ = 0;
};

class Joiner {
public:
    Joiner(Timeline& timeline, const TimesOrigin& origin)
        : timeline_(timeline),
          origin_(origin),
          close_(relativeRounding(timeline), std::abs(origin.subtractedS)) {}

    void run() {
        findGroups();
        if (groups_.empty()) return;
        keepLengths();
        join();
    }

private:
    void findGroups() {
        bool finite = true;
        std::vector<double> others;  // in no order
        for (const Lane& lane : timeline_.lanes) {
            const std::span<double> ends = of(lane, timeline_.endS);
            if (ascends(ends, finite))
                close_.add(ends);
            else
                others.insert(others.end(), ends.begin(), ends.end());
        }
        if (!origin_.inOrder) addOtherStarts(others, finite);
        if (!finite) refuseTimes();
        std::sort(others.begin(), others.end());
        close_.add(others);
        for (const TimeRange& each : close_.find()) groups_.push_back({each});
    }

    std::span<double> of(const Lane& lane, std::vector<double>& column) const {
        return std::span(column).subspan(lane.firstBlock, lane.blockCount());
    }

    /// @param finite made false if one is not
    bool ascends(std::span<const double> ofALane, bool& finite) const {
        if (!origin_.inOrder || ofALane.empty()) return isAscending(ofALane, finite);
        return isAscending(ofALane.last(1), finite);
    }

    /// Starts that are no end to the bit, as most are.
    void addOtherStarts(std::vector<double>& times, bool& finite) const {
        for (std::uint32_t block = 0; block < timeline_.blockCount(); ++block) {
            const std::uint32_t before = timeline_.waitedFor[block];
            const double startS = timeline_.startS[block];
            if (before != noBlock && timeline_.endS[before] == startS) continue;
            finite &= std::isfinite(startS);
            times.push_back(startS);
        }
    }

    /// A block that is as short as rounding keeps apart what it is between.
    void keepLengths() {
        double widestS = 0;
        for (const Group& group : groups_) widestS = std::max(widestS, group.lastS - group.firstS);
        if (!anyIsAsShort(widestS)) return;
        for (std::uint32_t block = 0; block < timeline_.blockCount(); ++block) {
            const double startS = timeline_.startS[block], endS = timeline_.endS[block];
            if (!(startS < endS) || endS - startS > widestS) continue;
            if (Group* group = groupOf(startS); group && endS <= group->lastS) group->joins = false;
        }
    }

    bool anyIsAsShort(double lengthS) const {
        if (origin_.leastLengthS > 2 * lengthS + close_.toleranceS(groups_.back().lastS)) return false;
        std::size_t count = 0;
        for (std::size_t block = 0; block < timeline_.startS.size(); ++block) {
            const double ownS = timeline_.endS[block] - timeline_.startS[block];
            count += (ownS > 0 ? 1 : 0) & (ownS <= lengthS ? 1 : 0);
        }
        return count > 0;
    }

    void join() {
        constexpr std::size_t inABatch = 1024;  // which stays in the cache while all columns use it
        std::vector<ColumnJoiner> columns;
        bool finite = true;
        for (std::vector<double>* times : {&timeline_.startS, &timeline_.endS})
            for (const Lane& lane : timeline_.lanes)
                if (const std::span<double> own = of(lane, *times); ascends(own, finite))
                    columns.emplace_back(own);
                else
                    for (double& timeS : own)
                        if (const Group* group = groupOf(timeS); group && group->joins) timeS = group->lastS;
        const std::span<const Group> all(groups_);
        for (std::size_t first = 0; first < all.size(); first += inABatch)
            for (ColumnJoiner& column : columns)
                column.join(all.subspan(first, std::min(inABatch, all.size() - first)));
    }

    Group* groupOf(double timeS) {
        const auto after =
            std::upper_bound(groups_.begin(), groups_.end(), timeS,
                             [](double each, const Group& group) { return each < group.firstS; });
        if (after == groups_.begin() || timeS > std::prev(after)->lastS) return nullptr;
        return &*std::prev(after);
    }

    Timeline& timeline_;
    const TimesOrigin origin_;
    CloseTimes close_;
    std::vector<Group> groups_;  // ascending
};

}  // namespace

double relativeRounding(const Timeline& timeline) {
    constexpr double ofADuration = 64;  // roundings: layers, bandwidths, speeds
    std::uint32_t longest = 0;
    for (const Lane& lane : timeline.lanes) longest = std::max(longest, lane.blockCount());
    return std::numeric_limits<double>::epsilon() * (ofADuration + longest);
}

void requireFiniteEnds(const Timeline& timeline) {
    bool finite = true;
    isAscending(timeline.endS, finite);
    if (!finite) refuseTimes();
}

void joinInstants(Timeline& timeline, const TimesOrigin& origin) { Joiner(timeline, origin).run(); }

}  // namespace stagecraft::simulation
