#include "core/simulation/instants.h"

#include "core/simulation/execution_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stagecraft::simulation {

namespace {

/// Times that differ by rounding, from the first to the last of them.
struct Group {
    double firstS = 0, lastS = 0;
    bool joins = true;
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
        std::vector<double> times = timeline_.endS;
        // Most blocks start when another ends, to the bit.
        for (std::uint32_t block = 0; block < timeline_.blockCount(); ++block) {
            const std::uint32_t before = timeline_.waitedFor[block];
            if (before == noBlock || timeline_.endS[before] != timeline_.startS[block])
                times.push_back(timeline_.startS[block]);
        }
        std::sort(times.begin(), times.end());
        times.erase(std::unique(times.begin(), times.end()), times.end());
        bool open = false;
        for (std::size_t next = 1; next < times.size(); ++next) {
            const double beforeS = times[next - 1], timeS = times[next];
            const bool together = timeS - beforeS <= rounding_ * (std::abs(timeS) + originS_);
            if (together && !open) groups_.push_back({beforeS, timeS});
            if (together) groups_.back().lastS = timeS;
            open = together;
        }
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
