#include "views/timeline/step_series.h"

#include <algorithm>
#include <limits>

namespace stagecraft::views::timeline {

namespace {
constexpr std::uint32_t fan = 4;
/// Up to so many steps a column are looked at one by one.
constexpr std::size_t mostStepsSingly = 24;
}  // namespace

StepSeries::StepSeries(std::span<const double> timeS, std::vector<double> totals)
    : timeS_(timeS), index_(timeS), total_(std::move(totals)) {
    if (total_.empty()) return;
    const auto highest = std::max_element(total_.begin(), total_.end());
    peak_ = *highest;
    peakTimeS_ = timeS[static_cast<std::size_t>(highest - total_.begin())];
    std::vector<Group> below;
    for (std::size_t step = 0; step < total_.size(); ++step)
        below.push_back({timeS[step], total_[step], total_[step]});
    while (below.size() > 1) {
        std::vector<Group> level;
        for (std::size_t i = 0; i < below.size(); ++i) {
            if (i % fan == 0) level.push_back(below[i]);
            level.back().high = std::max(level.back().high, below[i].high);
            level.back().low = std::min(level.back().low, below[i].low);
        }
        levels_.push_back(level);
        below = std::move(level);
    }
}

/// When the next group of that level begins; never, after the last. Level 0 are the steps themselves.
inline double StepSeries::endOf(std::size_t level, std::size_t group) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    if (level == 0) return group + 1 < total_.size() ? timeS_[group + 1] : never;
    const std::vector<Group>& groups = levels_[level - 1];
    return group + 1 < groups.size() ? groups[group + 1].startS : never;
}

void StepSeries::extremes(double t0S, double columnS, int count, std::vector<Extremes>& columns) const {
    columns.clear();
    if (total_.empty()) return;
    columns.resize(static_cast<std::size_t>(count));
    std::size_t at = index_.countBefore(timeS_, t0S);
    const std::size_t inView = index_.countBefore(timeS_, t0S + count * columnS) - at;
    // The step that holds where the columns begin counts too, unless a new one begins exactly there.
    if (at > 0 && (at == total_.size() || timeS_[at] > t0S)) --at;
    if (inView <= mostStepsSingly * static_cast<std::size_t>(count))
        walkSteps(at, t0S, columnS, columns);
    else
        walkGroups(at, t0S, columnS, columns);
}

void StepSeries::walkSteps(std::size_t at, double t0S, double columnS, std::vector<Extremes>& columns) const {
    const std::size_t count = total_.size();
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const double endS = t0S + static_cast<double>(c + 1) * columnS;
        if (timeS_[at] >= endS) continue;  // before the first step
        double high = total_[at], low = high;
        std::size_t next = at + 1;
        for (; next < count && timeS_[next] < endS; ++next) {
            high = std::max(high, total_[next]);
            low = std::min(low, total_[next]);
        }
        columns[c] = {high, low, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(next)};
        at = next < count && timeS_[next] == endS ? next : next - 1;
    }
}

/// Walks through the steps in the largest groups that are within a column or are short enough, so that a
/// column costs about the same however many steps it has.
void StepSeries::walkGroups(std::size_t at, double t0S, double columnS,
                            std::vector<Extremes>& columns) const {
    const int count = static_cast<int>(columns.size());
    const double grainS = grainOf(columnS), t1S = t0S + count * columnS;
    std::size_t level = 0;
    std::uint32_t stepsEach = 1;
    int column = 0;
    double startS = timeS_[at], columnEndS = t0S + columnS;
    while (startS < t1S) {
        while (columnEndS <= startS) columnEndS = t0S + (++column + 1) * columnS;
        const double fitsS = std::max(startS + grainS, columnEndS);
        while (at % fan == 0 && level < levels_.size() && endOf(level + 1, at / fan) <= fitsS) {
            at /= fan;
            ++level;
            stepsEach *= fan;
        }
        double endS = endOf(level, at);
        while (level > 0 && endS > fitsS) {
            at *= fan;
            --level;
            stepsEach /= fan;
            endS = endOf(level, at);
        }
        const double high = level == 0 ? total_[at] : levels_[level - 1][at].high;
        const double low = level == 0 ? total_[at] : levels_[level - 1][at].low;
        const std::uint32_t firstStep = static_cast<std::uint32_t>(at) * stepsEach;
        for (int c = column; c < count && (c == column || t0S + c * columnS < endS); ++c) {
            Extremes& out = columns[static_cast<std::size_t>(c)];
            if (out.endStep == 0) out = {high, low, firstStep, 0};
            out.highBytes = std::max(out.highBytes, high);
            out.lowBytes = std::min(out.lowBytes, low);
            out.endStep = std::min(firstStep + stepsEach, static_cast<std::uint32_t>(total_.size()));
        }
        ++at;
        startS = endS;
    }
}

std::uint32_t StepSeries::highestStep(const Extremes& column) const {
    const auto first = total_.begin() + column.firstStep, end = total_.begin() + column.endStep;
    return static_cast<std::uint32_t>(std::max_element(first, end) - total_.begin());
}

double StepSeries::totalAt(double timeS) const {
    if (total_.empty() || timeS < timeS_.front()) return 0;
    std::size_t step = index_.countBefore(timeS_, timeS);
    while (step < total_.size() && timeS_[step] == timeS) ++step;
    return total_[step - 1];
}

}  // namespace stagecraft::views::timeline
