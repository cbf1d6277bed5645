#include "views/gantt/memory_series.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::uint32_t fan = 16;

void merge(MemorySeries::Extremes& into, const MemorySeries::Extremes& other) {
    if (other.highBytes > into.highBytes) {
        into.highBytes = other.highBytes;
        into.highest = other.highest;
    }
    into.lowBytes = std::min(into.lowBytes, other.lowBytes);
}

bool sameCurve(const MemoryCurve& a, const MemoryCurve& b) {
    return a.limitBytes == b.limitBytes && a.timeS == b.timeS && a.bytes == b.bytes;
}

}  // namespace

MemorySeries::MemorySeries(const MemoryCurve& curve)
    : devices{curve.device}, curve_(&curve), index_(curve.timeS), total_(curve.timeS.size()) {
    for (const std::vector<double>& kind : curve.bytes)
        for (std::size_t step = 0; step < total_.size(); ++step) total_[step] += kind[step];
    for (std::uint32_t step = 0; step < total_.size(); ++step) {
        if (step % fan == 0)
            sixteens_.push_back({step, total_[step], total_[step]});
        else
            include(sixteens_.back(), step);
    }
    for (std::size_t i = 0; i < sixteens_.size(); ++i) {
        if (i % fan == 0)
            larges_.push_back(sixteens_[i]);
        else
            merge(larges_.back(), sixteens_[i]);
    }
    for (const Extremes& large : larges_) peak_ = std::max(peak_, large.highBytes);
}

void MemorySeries::include(Extremes& extremes, std::uint32_t step) const {
    merge(extremes, {step, total_[step], total_[step]});
}

MemorySeries::Extremes MemorySeries::overSteps(std::uint32_t step, std::uint32_t end) const {
    Extremes extremes{step, total_[step], total_[step]};
    while (step < end) {
        if (step % (fan * fan) == 0 && step + fan * fan <= end) {
            merge(extremes, larges_[step / (fan * fan)]);
            step += fan * fan;
        } else if (step % fan == 0 && step + fan <= end) {
            merge(extremes, sixteens_[step / fan]);
            step += fan;
        } else {
            include(extremes, step++);
        }
    }
    return extremes;
}

void MemorySeries::extremes(double t0S, double columnS, int count, std::vector<Extremes>& columns) const {
    columns.clear();
    if (total_.empty()) return;
    const std::vector<double>& times = curve_->timeS;
    const std::size_t steps = times.size();
    std::size_t before = index_.countBefore(times, t0S);  // steps that begin before the column
    for (int column = 0; column < count; ++column) {
        const double endS = t0S + (column + 1) * columnS;
        std::size_t beforeEnd = before;
        if (before + fan < steps && times[before + fan] < endS)
            beforeEnd = index_.countBefore(times, endS);
        else
            while (beforeEnd < steps && times[beforeEnd] < endS) ++beforeEnd;
        // The step that already holds where the column begins counts too, unless a new one begins exactly there.
        const double beginS = t0S + column * columnS;
        const bool fresh = before == 0 || (before < steps && times[before] == beginS);
        const auto first = static_cast<std::uint32_t>(fresh ? before : before - 1);
        const auto end = static_cast<std::uint32_t>(beforeEnd);
        if (first >= steps)
            columns.push_back({static_cast<std::uint32_t>(steps - 1), 0, 0});
        else if (end <= first)
            columns.push_back(before == 0 ? Extremes{} : Extremes{first, total_[first], total_[first]});
        else
            columns.push_back(overSteps(first, end));
        before = beforeEnd;
    }
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
