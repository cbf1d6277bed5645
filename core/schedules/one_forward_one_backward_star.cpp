#include "core/schedules/one_forward_one_backward_star.h"

#include <algorithm>

namespace stagecraft::schedules {

namespace {

/// Sums that are equal but for rounding fit.
bool fits(double loadS, double periodS) { return loadS <= periodS * (1 + 1e-12); }

/// Forward and backward of each task of the first half.
std::vector<double> loadsOf(const std::vector<PatternTask>& path) {
    std::vector<double> loads;
    for (std::size_t task = 0; task < path.size() / 2; ++task)
        loads.push_back(path[task].seconds + path[path.size() - 1 - task].seconds);
    return loads;
}

bool withinLimits(const std::vector<PatternTask>& path, const std::vector<int>& groups,
                  const std::vector<int>& mostActive) {
    for (std::size_t task = 0; task < groups.size(); ++task)
        if (path[task].kind == BlockKind::forward &&
            groups[task] > mostActive[static_cast<std::size_t>(path[task].stage)])
            return false;
    return true;
}

}  // namespace

std::optional<std::vector<int>> starGroups(const std::vector<PatternTask>& path, double periodS) {
    const std::vector<double> loads = loadsOf(path);
    std::vector<int> groups(loads.size());
    int group = 1;
    double filledS = 0;
    for (std::size_t task = loads.size(); task-- > 0;) {
        if (!fits(loads[task], periodS)) return std::nullopt;
        if (!fits(filledS + loads[task], periodS)) {
            ++group;
            filledS = 0;
        }
        filledS += loads[task];
        groups[task] = group;
    }
    return groups;
}

std::optional<OneForwardOneBackwardStar> oneForwardOneBackwardStar(const std::vector<PatternTask>& path,
                                                                   double periodS) {
    std::optional<std::vector<int>> groups = starGroups(path, periodS);
    if (!groups || !(periodS > 0)) return std::nullopt;
    OneForwardOneBackwardStar star;
    star.periodS = periodS;
    star.groups = *std::move(groups);
    star.startsS.resize(path.size());
    const std::size_t half = path.size() / 2;
    double atS = 0;
    for (std::size_t task = 0; task < half; ++task) {
        star.startsS[task] = atS;
        atS += path[task].seconds;
    }
    // A group's backwards follow its last forward at once, g - 1 batches later.
    for (std::size_t task = half; task-- > 0;) {
        const bool last = task + 1 == half || star.groups[task + 1] != star.groups[task];
        if (last) atS = star.startsS[task] + path[task].seconds + (star.groups[task] - 1) * periodS;
        const std::size_t back = path.size() - 1 - task;
        star.startsS[back] = atS;
        atS += path[back].seconds;
    }
    return star;
}

std::optional<double> leastStarPeriodS(const std::vector<PatternTask>& path,
                                       const std::vector<int>& mostActive) {
    if (std::any_of(mostActive.begin(), mostActive.end(), [](int most) { return most < 1; }))
        return std::nullopt;
    const std::vector<double> loads = loadsOf(path);
    if (loads.empty()) return std::nullopt;
    const double longestS = *std::max_element(loads.begin(), loads.end());
    std::vector<double> periods;
    for (std::size_t first = 0; first < loads.size(); ++first) {
        double sumS = 0;
        for (std::size_t last = first; last < loads.size(); ++last) {
            sumS += loads[last];
            if (sumS >= longestS) periods.push_back(sumS);
        }
    }
    std::sort(periods.begin(), periods.end());
    // With a longer period no group number grows.
    const auto least = std::partition_point(periods.begin(), periods.end(), [&](double periodS) {
        const std::optional<std::vector<int>> groups = starGroups(path, periodS);
        return !groups || !withinLimits(path, *groups, mostActive);
    });
    return least == periods.end() ? std::nullopt : std::optional(*least);
}

}  // namespace stagecraft::schedules
