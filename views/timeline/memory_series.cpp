#include "views/timeline/memory_series.h"

#include <algorithm>

namespace stagecraft::views::timeline {

namespace {

bool sameCurve(const MemoryCurve& a, const MemoryCurve& b) {
    return a.limitBytes == b.limitBytes && a.holdsTheSame(b);
}

bool sameSaved(const SavedMemory* a, const SavedMemory* b) {
    if (!a || !b) return a == b;
    return a->timeS == b->timeS && a->bySwap == b->bySwap && a->byRecompute == b->byRecompute;
}

std::vector<double> totalsOf(const MemoryCurve& curve) {
    std::vector<double> totals(curve.timeS().size());
    for (const std::vector<double>& kind : curve.bytes())
        for (std::size_t step = 0; step < totals.size(); ++step) totals[step] += kind[step];
    return totals;
}

std::vector<double> keptTotals(const SavedMemory& saved) {
    std::vector<double> totals(saved.timeS.size());
    for (std::size_t step = 0; step < totals.size(); ++step) totals[step] = saved.keptAt(step);
    return totals;
}

}  // namespace

MemorySeries::MemorySeries(const MemoryCurve& curve, const SavedMemory* saved)
    : StepSeries(curve.timeS(), totalsOf(curve)), devices{curve.device}, curve_(&curve) {
    if (saved && !saved->timeS.empty()) saved_ = {saved, StepSeries(saved->timeS, keptTotals(*saved))};
}

std::vector<MemorySeries> memorySeries(const std::vector<MemoryCurve>& curves, const SavedMemories& saved) {
    std::vector<MemorySeries> series;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const SavedMemory* own = i < saved.size() && !saved[i]->timeS.empty() ? saved[i].get() : nullptr;
        const auto same = std::find_if(series.begin(), series.end(), [&](const MemorySeries& known) {
            return sameCurve(known.curve(), curves[i]) &&
                   sameSaved(known.saved() ? known.saved()->memory : nullptr, own);
        });
        if (same != series.end()) {
            same->devices.push_back(curves[i].device);
            continue;
        }
        MemorySeries it(curves[i], own);
        if (it.peakBytes() > 0) series.push_back(std::move(it));
    }
    return series;
}

}  // namespace stagecraft::views::timeline
