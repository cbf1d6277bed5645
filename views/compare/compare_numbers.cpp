#include "views/compare/compare_numbers.h"

namespace stagecraft {
namespace {

CompareNumbers ownNumbers(const PlanRun& run) {
    CompareNumbers numbers;
    if (run.planningTimeS > 0)
        numbers.planningTimeS = run.planningTimeS;  // nobody planned what came from a file
    if (!run.ok()) return numbers;
    const Metrics& metrics = run.evaluation->metrics;
    numbers.iterationTimeS = run.iterationTimeS();
    numbers.throughputSamplesPerS = metrics.throughputSamplesPerS;
    numbers.bubbleFraction = metrics.bubbleFraction;
    numbers.fitsMemory = metrics.fitsMemory;
    numbers.lowerBoundS = run.perIteration(metrics.planBound.seconds);
    if (metrics.planBound.seconds > 0) numbers.gap = metrics.iterationTimeS / metrics.planBound.seconds - 1;
    numbers.stages = run.result.plan.stageCount();
    double fullest = -1;
    for (const DeviceMetrics& device : metrics.devices) {
        const double share =
            device.limitBytes > 0 ? device.peakMemoryBytes / device.limitBytes : device.peakMemoryBytes;
        if (share <= fullest) continue;
        fullest = share;
        numbers.fullestDevice = device.device;
        numbers.peakMemoryBytes = device.peakMemoryBytes;
        numbers.limitBytes = device.limitBytes;
    }
    return numbers;
}

}  // namespace

int sppRun(const PlanRuns& runs) {
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i]->ok() && runs[i]->result.plan.planner == "spp") return static_cast<int>(i);
    return -1;
}

std::vector<CompareNumbers> compareNumbers(const PlanRuns& runs) {
    std::vector<CompareNumbers> all;
    double slowest = 0;
    for (const auto& run : runs) {
        all.push_back(ownNumbers(*run));
        slowest = std::max(slowest, all.back().iterationTimeS.value_or(0));
    }
    const int spp = sppRun(runs);
    for (CompareNumbers& numbers : all) {
        if (!numbers.iterationTimeS || !(*numbers.iterationTimeS > 0)) continue;
        numbers.speedUp = slowest / *numbers.iterationTimeS;
        if (spp >= 0) {
            const double reference = *all[static_cast<std::size_t>(spp)].iterationTimeS;
            if (reference > 0) numbers.againstSpp = *numbers.iterationTimeS / reference - 1;
        }
    }
    return all;
}

}  // namespace stagecraft
