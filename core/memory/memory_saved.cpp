#include "core/memory/memory_saved.h"

#include "core/memory/memory_rules.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft::memory {

namespace {

struct SavedChange {
    double atS = 0;
    double swap = 0;
    double recompute = 0;
};

double highest(const std::vector<double>& steps) {
    return steps.empty() ? 0 : std::max(0.0, *std::max_element(steps.begin(), steps.end()));
}

/// Sums of bytes that come and go leave rounding errors.
void add(double& level, double bytes) {
    level += bytes;
    if (std::abs(level) < 1e-6 * std::abs(bytes)) level = 0;
}

SavedMemory merged(const MemoryCurve& curve, std::vector<SavedChange> changes) {
    SavedMemory saved;
    if (changes.empty()) return saved;
    std::stable_sort(changes.begin(), changes.end(),
                     [](const SavedChange& a, const SavedChange& b) { return a.atS < b.atS; });
    double swap = 0, recompute = 0;
    std::size_t step = 0, next = 0;
    while (step < curve.timeS().size() || next < changes.size()) {
        const bool ofCurve = step < curve.timeS().size() &&
                             (next == changes.size() || curve.timeS()[step] <= changes[next].atS);
        const double atS = ofCurve ? curve.timeS()[step] : changes[next].atS;
        if (ofCurve) ++step;
        for (; next < changes.size() && changes[next].atS == atS; ++next) {
            add(swap, changes[next].swap);
            add(recompute, changes[next].recompute);
        }
        saved.timeS.push_back(atS);
        saved.held.push_back(curve.totalAt(step - 1));
        saved.bySwap.push_back(swap);
        saved.byRecompute.push_back(recompute);
    }
    return saved;
}

}  // namespace

std::size_t SavedMemory::stepAt(double instantS) const {
    const auto after = std::upper_bound(timeS.begin(), timeS.end(), instantS);
    return after == timeS.begin() ? 0 : static_cast<std::size_t>(after - timeS.begin()) - 1;
}

double SavedMemory::mostBySwap() const { return highest(bySwap); }
double SavedMemory::mostByRecompute() const { return highest(byRecompute); }

double SavedMemory::keptPeakBytes() const {
    double peak = 0;
    for (std::size_t step = 0; step < timeS.size(); ++step) peak = std::max(peak, keptAt(step));
    return peak;
}

bool savesMemory(const Plan& plan, const Timeline& timeline) {
    return std::any_of(plan.memory.layers.begin(), plan.memory.layers.end(),
                       [](const auto& layer) { return layer.second != LayerMemory::keep; }) ||
           std::ranges::find(timeline.kind, BlockKind::swapOut) != timeline.kind.end();
}

SavedMemories savedMemory(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                          const Timeline& timeline, const std::vector<MemoryCurve>& curves) {
    // Devices whose curves share their steps are on the same lanes, so that the same is saved on them.
    std::map<const MemorySteps*, std::vector<SavedChange>> changes;
    std::vector<std::vector<SavedChange>*> changesOf(static_cast<std::size_t>(costs.deviceCount()), nullptr);
    for (const MemoryCurve& curve : curves)
        if (const auto [own, isFirst] = changes.try_emplace(curve.steps.get()); isFirst)
            changesOf[static_cast<std::size_t>(curve.device)] = &own->second;
    if (savesMemory(plan, timeline)) {
        const MemoryRules rules(costs, plan, edges);
        const auto change = [&](const std::vector<int>& devices, double atS, MemoryEffect effect,
                                double bytes) {
            const bool swap = effect == MemoryEffect::savedBySwap;
            if (bytes == 0 || (!swap && effect != MemoryEffect::savedByRecompute)) return;
            for (const int device : devices)
                if (std::vector<SavedChange>* own = changesOf[static_cast<std::size_t>(device)])
                    own->push_back({atS, swap ? bytes : 0, swap ? 0 : bytes});
        };
        for (const Lane& lane : timeline.lanes)
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
                rules.eachChange(timeline, lane, block, change);
    }
    std::map<const MemorySteps*, std::shared_ptr<const SavedMemory>> made;
    SavedMemories saved;
    for (const MemoryCurve& curve : curves) {
        std::shared_ptr<const SavedMemory>& own = made[curve.steps.get()];
        if (!own)
            own = std::make_shared<const SavedMemory>(merged(curve, std::move(changes[curve.steps.get()])));
        saved.push_back(own);
    }
    return saved;
}

}  // namespace stagecraft::memory
