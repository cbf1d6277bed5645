#include "core/simulation/instants.h"

#include "core/simulation/execution_graph.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace stagecraft::simulation {

namespace {

/// Times that differ by rounding, from the first to the last of them.
struct Group {
    double firstS = 0, lastS = 0;
    bool joins = true;
};

/// Merges ascending runs of times, a piece of time after the other, so that what is sorted stays in the
/// cache.
class AscendingTimes {
public:
    void add(std::span<const double> run) {
        if (run.empty()) return;
        runs_.push_back(run);
        count_ += run.size();
        firstS_ = std::min(firstS_, run.front());
        lastS_ = std::max(lastS_, run.back());
    }

    /// @param take called with each time
    template <class Take>
    void forEach(const Take& take) {
        constexpr std::size_t inAPiece = 4096;
        const double pieces = static_cast<double>(count_ / inAPiece + 1),
                     lengthS = (lastS_ - firstS_) / pieces;
        for (double piece = 1; piece <= pieces; ++piece) {
            collect(piece < pieces ? firstS_ + piece * lengthS : std::numeric_limits<double>::infinity());
            sortPiece();
            for (const double timeS : piece_) take(timeS);
        }
    }

private:
    /// What is before `endS` of all runs.
    void collect(double endS) {
        piece_.clear();
        for (std::span<const double>& run : runs_) {
            std::size_t taken = 0;
            while (taken < run.size() && run[taken] < endS) ++taken;
            piece_.insert(piece_.end(), run.begin(), run.begin() + static_cast<std::ptrdiff_t>(taken));
            run = run.subspan(taken);
        }
    }

    /// Counts the times into even stretches, of which each then holds a few.
    void sortPiece() {
        constexpr std::size_t inAStretch = 2, few = 64;
        if (piece_.size() < few) return std::sort(piece_.begin(), piece_.end());
        const auto [least, most] = std::minmax_element(piece_.begin(), piece_.end());
        const double fromS = *least, stretches = static_cast<double>(piece_.size() / inAStretch);
        const double perSecond = (stretches - 1) / (*most - fromS);
        if (!std::isfinite(perSecond)) return std::sort(piece_.begin(), piece_.end());
        const auto stretchOf = [&](double timeS) {
            return static_cast<std::size_t>((timeS - fromS) * perSecond);
        };
        places_.assign(piece_.size() / inAStretch + 1, 0);
        for (const double timeS : piece_) ++places_[stretchOf(timeS) + 1];
        std::partial_sum(places_.begin(), places_.end(), places_.begin());
        sorted_.resize(piece_.size());
        for (const double timeS : piece_) sorted_[places_[stretchOf(timeS)]++] = timeS;
        auto first = sorted_.begin();
        // A stretch's place is now where it ends.
        for (std::size_t stretch = 0; stretch + 1 < places_.size(); ++stretch) {
            const auto end = sorted_.begin() + places_[stretch];
            if (end - first > 1) std::sort(first, end);
            first = end;
        }
        piece_.swap(sorted_);
    }

    std::vector<std::span<const double>> runs_;
    std::vector<double> piece_, sorted_;
    std::vector<std::uint32_t> places_;
    std::size_t count_ = 0;
    double firstS_ = std::numeric_limits<double>::infinity(), lastS_ = -firstS_;
};

class Joiner {
public:
    Joiner(Timeline& timeline, double originS)
        : timeline_(timeline), rounding_(relativeRounding(timeline)), originS_(std::abs(originS)) {}

    void run() {
        requireNumbers();
        findGroups();
        if (groups_.empty()) return;
        keepLengths();
        for (std::vector<double>* times : {&timeline_.startS, &timeline_.endS})
            for (double& timeS : *times)
                if (const Group* group = groupOf(timeS); group && group->joins) timeS = group->lastS;
    }

private:
    void requireNumbers() const {
        const auto isNumber = [](double timeS) { return std::isfinite(timeS); };
        for (const std::vector<double>* times : {&timeline_.startS, &timeline_.endS})
            if (!std::all_of(times->begin(), times->end(), isNumber))
                throw SimulationError(
                    "the times of the plan exceed what a number can hold; expected durations, bandwidths and "
                    "a "
                    "number of microbatches whose products are finite");
    }

    void findGroups() {
        std::vector<double> others = otherTimes();
        AscendingTimes times;
        times.add(others);
        for (const Lane& lane : timeline_.lanes)
            if (const auto ends = endsOf(lane); std::is_sorted(ends.begin(), ends.end())) times.add(ends);
        bool open = false;
        double beforeS = std::numeric_limits<double>::quiet_NaN();
        times.forEach([&](double timeS) {
            if (timeS == beforeS) return;
            const bool together = timeS - beforeS <= rounding_ * (std::abs(timeS) + originS_);
            if (together && !open) groups_.push_back({beforeS, timeS});
            if (together) groups_.back().lastS = timeS;
            open = together;
            beforeS = timeS;
        });
    }

    std::span<const double> endsOf(const Lane& lane) const {
        return std::span(timeline_.endS).subspan(lane.firstBlock, lane.blockCount());
    }

    /// Ascending: starts that are no end to the bit, as most are, and ends on lanes where they are in no
    /// order.
    std::vector<double> otherTimes() const {
        std::vector<double> times;
        for (std::uint32_t block = 0; block < timeline_.blockCount(); ++block) {
            const std::uint32_t before = timeline_.waitedFor[block];
            if (before == noBlock || timeline_.endS[before] != timeline_.startS[block])
                times.push_back(timeline_.startS[block]);
        }
        for (const Lane& lane : timeline_.lanes)
            if (const auto ends = endsOf(lane); !std::is_sorted(ends.begin(), ends.end()))
                times.insert(times.end(), ends.begin(), ends.end());
        std::sort(times.begin(), times.end());
        return times;
    }

    /// A block that is as short as rounding keeps apart what it is between.
    void keepLengths() {
        double widestS = 0;
        for (const Group& group : groups_) widestS = std::max(widestS, group.lastS - group.firstS);
        for (std::uint32_t block = 0; block < timeline_.blockCount(); ++block) {
            const double startS = timeline_.startS[block], endS = timeline_.endS[block];
            if (!(startS < endS) || endS - startS > widestS) continue;
            if (Group* group = groupOf(startS); group && endS <= group->lastS) group->joins = false;
        }
    }

    Group* groupOf(double timeS) {
        const auto after =
            std::upper_bound(groups_.begin(), groups_.end(), timeS,
                             [](double each, const Group& group) { return each < group.firstS; });
        if (after == groups_.begin() || timeS > std::prev(after)->lastS) return nullptr;
        return &*std::prev(after);
    }

    Timeline& timeline_;
    const double rounding_;
    const double originS_;
    std::vector<Group> groups_;  // ascending, of two times or more
};

}  // namespace

double relativeRounding(const Timeline& timeline) {
    constexpr double ofADuration = 64;  // roundings: layers, bandwidths, speeds
    std::uint32_t longest = 0;
    for (const Lane& lane : timeline.lanes) longest = std::max(longest, lane.blockCount());
    return std::numeric_limits<double>::epsilon() * (ofADuration + longest);
}

void joinInstants(Timeline& timeline, double originS) { Joiner(timeline, originS).run(); }

}  // namespace stagecraft::simulation
