#include "views/gantt/memory_series.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::uint32_t fan = 8;
/// Columns with fewer steps than this are found by walking on from the column before.
constexpr std::uint32_t walkedSteps = 8 * fan;

bool sameCurve(const MemoryCurve& a, const MemoryCurve& b) {
    return a.limitBytes == b.limitBytes && a.timeS == b.timeS && a.bytes == b.bytes;
}

}  // namespace

MemorySeries::MemorySeries(const MemoryCurve& curve)
    : devices{curve.device}, curve_(&curve), index_(curve.timeS), total_(curve.timeS.size()) {
    for (const std::vector<double>& kind : curve.bytes)
        for (std::size_t step = 0; step < total_.size(); ++step) total_[step] += kind[step];
    const auto widened = [](Bounds bounds, const Bounds& other) {
        return Bounds{std::max(bounds.high, other.high), std::min(bounds.low, other.low)};
    };
    std::vector<Bounds> below;
    for (const double total : total_) below.push_back({total, total});
    while (below.size() > 1) {
        std::vector<Bounds> level;
        for (std::size_t i = 0; i < below.size(); ++i) {
            if (i % fan == 0)
                level.push_back(below[i]);
            else
                level.back() = widened(level.back(), below[i]);
        }
        levels_.push_back(level);
        below = std::move(level);
    }
    if (!below.empty()) peak_ = below.front().high;
}

/// Up through the levels while both ends stand inside a group, taking what lies beside whole groups on the
/// way.
MemorySeries::Bounds MemorySeries::overSteps(std::uint32_t first, std::uint32_t end) const {
    Bounds bounds{total_[first], total_[first]};
    for (; first < end && first % fan != 0; ++first) {
        bounds.high = std::max(bounds.high, total_[first]);
        bounds.low = std::min(bounds.low, total_[first]);
    }
    for (; first < end && end % fan != 0; --end) {
        bounds.high = std::max(bounds.high, total_[end - 1]);
        bounds.low = std::min(bounds.low, total_[end - 1]);
    }
    for (const std::vector<Bounds>& level : levels_) {
        if (first >= end) break;
        first /= fan;
        end /= fan;
        const bool last = &level == &levels_.back();
        const auto take = [&](std::uint32_t i) {
            bounds.high = std::max(bounds.high, level[i].high);
            bounds.low = std::min(bounds.low, level[i].low);
        };
        for (; first < end && (last || first % fan != 0); ++first) take(first);
        for (; first < end && end % fan != 0; --end) take(end - 1);
    }
    return bounds;
}

/// How many steps begin before `timeS`, given that `known` do.
std::uint32_t MemorySeries::stepsBefore(std::uint32_t known, double timeS) const {
    const std::vector<double>& times = curve_->timeS;
    const auto steps = static_cast<std::uint32_t>(times.size());
    if (known + walkedSteps < steps && times[known + walkedSteps] < timeS)
        return static_cast<std::uint32_t>(index_.countBefore(times, timeS));
    while (known + fan < steps && times[known + fan] < timeS) known += fan;
    while (known < steps && times[known] < timeS) ++known;
    return known;
}

void MemorySeries::extremes(double t0S, double columnS, int count, std::vector<Extremes>& columns) const {
    columns.clear();
    if (total_.empty()) return;
    const std::vector<double>& times = curve_->timeS;
    const auto steps = static_cast<std::uint32_t>(times.size());
    auto before = static_cast<std::uint32_t>(index_.countBefore(times, t0S));
    for (int column = 0; column < count; ++column) {
        const double beginS = t0S + column * columnS;
        const std::uint32_t end = stepsBefore(before, t0S + (column + 1) * columnS);
        // The step that already holds where the column begins counts too, unless a new one begins exactly
        // there.
        const bool fresh = before == 0 || (before < steps && times[before] == beginS);
        const std::uint32_t first = fresh ? before : before - 1;
        if (first < end) {
            const Bounds bounds = overSteps(first, end);
            columns.push_back({bounds.high, bounds.low, first, end});
        } else {
            columns.push_back({});
        }
        before = end;
    }
}

std::uint32_t MemorySeries::highestStep(const Extremes& column) const {
    const auto first = total_.begin() + column.firstStep, end = total_.begin() + column.endStep;
    return static_cast<std::uint32_t>(std::max_element(first, end) - total_.begin());
}

double MemorySeries::totalAt(double timeS) const {
    if (total_.empty() || timeS < curve_->timeS.front()) return 0;
    std::size_t step = index_.countBefore(curve_->timeS, timeS);
    while (step < total_.size() && curve_->timeS[step] == timeS) ++step;
    return total_[step - 1];
}

std::vector<MemorySeries> memorySeries(const std::vector<MemoryCurve>& curves) {
    std::vector<MemorySeries> series;
    for (const MemoryCurve& curve : curves) {
        const auto same = std::find_if(series.begin(), series.end(), [&](const MemorySeries& known) {
            return sameCurve(known.curve(), curve);
        });
        if (same != series.end()) {
            same->devices.push_back(curve.device);
            continue;
        }
        MemorySeries own(curve);
        if (own.peakBytes() > 0) series.push_back(std::move(own));
    }
    return series;
}

}  // namespace stagecraft
