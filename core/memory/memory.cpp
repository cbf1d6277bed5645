#include "core/memory/memory.h"

#include "core/memory/memory_rules.h"
#include "core/weights/weight_stash.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::memory {

double MemoryCurve::totalAt(std::size_t step) const {
    double total = 0;
    for (const std::vector<double>& series : bytes) total += series[step];
    return total;
}

std::size_t MemoryCurve::stepAt(double instantS) const {
    const auto after = std::upper_bound(timeS.begin(), timeS.end(), instantS);
    return after == timeS.begin() ? 0 : static_cast<std::size_t>(after - timeS.begin()) - 1;
}

std::size_t MemoryCurve::peakStep() const {
    std::size_t peak = 0;
    for (std::size_t step = 1; step < timeS.size(); ++step)
        if (totalAt(step) > totalAt(peak)) peak = step;
    return peak;
}

namespace {

/// A change of one series of one device at an instant. Releases of an instant come before what is taken then.
struct Change {
    double atS = 0;
    MemoryKind kind = MemoryKind::activations;
    double bytes = 0;
};

class CurveBuilder {
public:
    CurveBuilder(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                 const Timeline& timeline)
        : costs_(costs),
          plan_(plan),
          timeline_(timeline),
          rules_(costs, plan, edges),
          steady_(static_cast<std::size_t>(costs.deviceCount())),
          changes_(static_cast<std::size_t>(costs.deviceCount())) {}

    std::vector<MemoryCurve> build() {
        for (int stage = 0; stage < plan_.stageCount(); ++stage) addThroughout(stage);
        for (const Lane& lane : timeline_.lanes)
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) addBlock(lane, block);
        if (rules_.stashes()) addStashes();
        std::vector<MemoryCurve> curves;
        for (int device = 0; device < costs_.deviceCount(); ++device) curves.push_back(curveOf(device));
        return curves;
    }

private:
    void addThroughout(int stage) {
        for (const int device : plan_.stages[static_cast<std::size_t>(stage)].devices)
            for (std::size_t kind = 0; kind < memoryKindCount; ++kind)
                steady_[static_cast<std::size_t>(device)][kind] += rules_.throughout(stage)[kind];
    }

    void addBlock(const Lane& lane, std::uint32_t block) {
        rules_.eachChange(
            timeline_, lane, block,
            [this](const std::vector<int>& devices, double atS, MemoryEffect effect, double bytes) {
                if (effect == MemoryEffect::activations)
                    change(devices, atS, MemoryKind::activations, bytes);
                else if (effect == MemoryEffect::buffers)
                    change(devices, atS, MemoryKind::buffers, bytes);
            });
    }

    void addStashes() {
        for (const StashedVersion& stash : stashedVersions(plan_, timeline_)) {
            const Stage& stage = plan_.stages[static_cast<std::size_t>(stash.stage)];
            const double bytes = costs_.parameterBytes(stage.firstLayer, stage.lastLayer);
            change(stash.devices, stash.fromS, MemoryKind::weightVersions, bytes);
            change(stash.devices, stash.untilS, MemoryKind::weightVersions, -bytes);
        }
    }

    void change(const std::vector<int>& devices, double atS, MemoryKind kind, double bytes) {
        if (bytes == 0) return;
        for (const int device : devices)
            changes_[static_cast<std::size_t>(device)].push_back({atS, kind, bytes});
    }

    MemoryCurve curveOf(int device) {
        std::vector<Change>& changes = changes_[static_cast<std::size_t>(device)];
        std::stable_sort(changes.begin(), changes.end(),
                         [](const Change& a, const Change& b) { return a.atS < b.atS; });
        MemoryCurve curve;
        curve.device = device;
        curve.limitBytes = costs_.problem().memoryLimitBytes(device);
        std::array<double, memoryKindCount> level = steady_[static_cast<std::size_t>(device)];
        const auto addStep = [&](double atS) {
            curve.timeS.push_back(atS);
            for (std::size_t kind = 0; kind < level.size(); ++kind) curve.bytes[kind].push_back(level[kind]);
        };
        addStep(0);
        for (std::size_t next = 0; next < changes.size();) {
            const double atS = changes[next].atS;
            // All of an instant together: what leaves then makes room for what comes.
            for (; next < changes.size() && changes[next].atS == atS; ++next) {
                double& series = level[static_cast<std::size_t>(changes[next].kind)];
                series += changes[next].bytes;
                if (std::abs(series) < 1e-6 * std::abs(changes[next].bytes))
                    series = 0;  // rounding left over
            }
            if (atS == curve.timeS.back())
                for (std::size_t kind = 0; kind < level.size(); ++kind)
                    curve.bytes[kind].back() = level[kind];
            else
                addStep(atS);
        }
        return curve;
    }

    const CostModel& costs_;
    const Plan& plan_;
    const Timeline& timeline_;
    MemoryRules rules_;
    std::vector<std::array<double, memoryKindCount>> steady_;
    std::vector<std::vector<Change>> changes_;
};

}  // namespace

std::vector<MemoryCurve> memoryCurves(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                                      const Timeline& timeline) {
    return CurveBuilder(costs, plan, edges, timeline).build();
}

}  // namespace stagecraft::memory
