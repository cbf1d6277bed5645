#include "views/compare/compare_numbers.h"

#include "core/planners/standing.h"

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
    double highest = -1;
    for (const DeviceMetrics& device : metrics.devices) {
        const double share =
            device.limitBytes > 0 ? device.peakMemoryBytes / device.limitBytes : device.peakMemoryBytes;
        if (share <= highest) continue;
        highest = share;
        numbers.peakDevice = device.device;
        numbers.peakMemoryBytes = device.peakMemoryBytes;
        numbers.limitBytes = device.limitBytes;
    }
    return numbers;
}

}  // namespace

Baselines baselinesOf(const PlanRuns& runs, int chosen) {
    if (chosen >= 0 && chosen < std::ssize(runs) && runs[static_cast<std::size_t>(chosen)]->ok())
        return {chosen, chosen};
    Baselines baselines;
    bool fits = false;
    double slowest = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const PlanRun& run = *runs[i];
        if (!run.ok() || !isCompared(run)) continue;
        if (baselines.against < 0 && run.result.plan.planner == "spp")
            baselines.against = static_cast<int>(i);
        const bool itFits = standingOf(run) == Standing::fits;
        if (fits && !itFits) continue;
        if (fits == itFits && run.iterationTimeS() <= slowest) continue;
        fits = itFits;
        slowest = run.iterationTimeS();
        baselines.speedUp = static_cast<int>(i);
    }
    return baselines;
}

std::vector<CompareNumbers> compareNumbers(const PlanRuns& runs, const Baselines& baselines) {
    std::vector<CompareNumbers> all;
    double slowest = 0;
    for (const auto& run : runs) {
        all.push_back(ownNumbers(*run));
        if (isCompared(*run)) slowest = std::max(slowest, all.back().iterationTimeS.value_or(0));
    }
    const auto timeOf = [&all](int run) {
        return run < 0 ? 0 : all[static_cast<std::size_t>(run)].iterationTimeS.value_or(0);
    };
    const double over = timeOf(baselines.speedUp), against = timeOf(baselines.against);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        CompareNumbers& numbers = all[i];
        if (!isCompared(*runs[i]) || !(numbers.iterationTimeS.value_or(0) > 0)) continue;
        numbers.share = *numbers.iterationTimeS / slowest;
        if (over > 0) numbers.speedUp = over / *numbers.iterationTimeS;
        if (against > 0) numbers.against = *numbers.iterationTimeS / against - 1;
    }
    return all;
}

}  // namespace stagecraft
