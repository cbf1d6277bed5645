#include "core/analysis/metrics.h"

#include "core/cost/inside_steps.h"
#include "core/analysis/link_load.h"
#include "core/simulation/steady_state.h"

#include <algorithm>
#include <map>

namespace stagecraft::analysis {

namespace {

int iterationCount(const Timeline& timeline) {
    if (timeline.iteration.empty()) return 1;
    return 1 + *std::max_element(timeline.iteration.begin(), timeline.iteration.end());
}

/// Without a barrier numbers are those of the steady state.
bool isSteady(const CostModel& costs, const Plan& plan) {
    return std::holds_alternative<PeriodicSchedule>(plan.schedule.order) ||
           costs.problem().setup.mode == TrainingMode::asynchronous;
}

double iterationTimeS(const CostModel& costs, const Plan& plan, const Timeline& timeline, int iterations,
                      double leastS) {
    if (const auto* pattern = std::get_if<PeriodicSchedule>(&plan.schedule.order))
        return pattern->periodS * costs.problem().setup.microbatches;
    if (costs.problem().setup.mode == TrainingMode::asynchronous) {
        if (const double paceS = steadyPace(timeline, leastS).miniBatchS; paceS > 0) return paceS;
    }
    return (timeline.lastEndS() - timeline.firstStartS()) / iterations;
}

/// Sums of the same times in another order may leave a device a little less than no time to idle.
double idleShare(double busyS, double timeS) {
    constexpr double rounding = 1e-9;
    const double idle = timeS > 0 ? 1 - busyS / timeS : 0;
    return std::abs(idle) < rounding ? 0 : idle;
}

struct LaneWork {
    double busyS = 0, firstStartS = 0, lastEndS = 0;
    int peakInFlight = 0;
};

LaneWork workOn(const Lane& lane, const Timeline& timeline) {
    LaneWork work;
    bool any = false;
    int inFlight = 0;
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
        const bool isUpdate = isOutOfTurn(timeline.kind[block]);
        if (isUpdate && timeline.durationS(block) <= 0) continue;
        if (!any) work.firstStartS = timeline.startS[block];
        any = true;
        work.lastEndS = std::max(work.lastEndS, timeline.endS[block]);
        if (isUpdate || isPass(timeline.kind[block])) work.busyS += timeline.durationS(block);
        // Blocks of a lane do not overlap, so that their order is that of their ends too.
        if (timeline.kind[block] == BlockKind::forward || timeline.kind[block] == BlockKind::pair) ++inFlight;
        work.peakInFlight = std::max(work.peakInFlight, inFlight);
        if (endsBackward(timeline.kind[block])) --inFlight;
    }
    return work;
}

/// @param steady the iteration time is that of the steady state, which has no first and no last block
void measureDevices(const Timeline& timeline, int iterations, bool steady, Metrics& metrics) {
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        const LaneWork work = workOn(lane, timeline);
        const double spanS = work.lastEndS - work.firstStartS;
        for (const int device : lane.devices) {
            DeviceMetrics& own = metrics.devices[static_cast<std::size_t>(device)];
            own.busyS = work.busyS / iterations;
            own.bubbleFraction = idleShare(own.busyS, metrics.iterationTimeS);
            own.spanBubbleFraction = steady ? own.bubbleFraction : idleShare(work.busyS, spanS);
            own.peakInFlight = work.peakInFlight;
        }
    }
    double all = 0, spans = 0;
    int computing = 0;
    for (const DeviceMetrics& device : metrics.devices) {
        all += device.bubbleFraction;
        if (timeline.computeLaneOf(device.device) < 0) continue;
        spans += device.spanBubbleFraction;
        ++computing;
    }
    metrics.bubbleFraction = metrics.devices.empty() ? 0 : all / static_cast<double>(metrics.devices.size());
    metrics.spanBubbleFraction = computing > 0 ? spans / computing : 0;
}

MemoryKind largestAt(const MemoryCurve& curve, std::size_t step) {
    std::size_t largest = 0;
    for (std::size_t kind = 1; kind < curve.bytes().size(); ++kind)
        if (curve.bytes()[kind][step] > curve.bytes()[largest][step]) largest = kind;
    return static_cast<MemoryKind>(largest);
}

void measureMemory(const std::vector<MemoryCurve>& curves, Metrics& metrics) {
    std::map<const MemorySteps*, std::size_t> peaks;  // devices that hold the same have one
    for (const MemoryCurve& curve : curves) {
        const auto [known, isNew] = peaks.try_emplace(curve.steps.get());
        if (isNew) known->second = curve.peakStep();
        const std::size_t peak = known->second;
        DeviceMetrics& own = metrics.devices[static_cast<std::size_t>(curve.device)];
        own.peakMemoryBytes = curve.totalAt(peak);
        own.limitBytes = curve.limitBytes;
        own.peakTimeS = curve.timeS()[peak];
        if (own.peakMemoryBytes <= curve.limitBytes) continue;
        std::size_t first = 0;
        while (curve.totalAt(first) <= curve.limitBytes) ++first;
        metrics.excesses.push_back({curve.device, curve.timeS()[first],
                                    own.peakMemoryBytes - curve.limitBytes, largestAt(curve, peak)});
    }
    metrics.fitsMemory = metrics.excesses.empty();
}

/// What groups send inside of the path's passes is communication; not what one pass of a pair sends while the
/// other computes, by which the pair is shorter than both.
void takeInside(const CostModel& costs, const Plan& plan, const Timeline& timeline, CriticalPath& path) {
    if (!plan.dividesLayers()) return;
    struct PassLength {
        double sentS = 0, wholeS = 0;
    };
    std::map<std::pair<int, BlockKind>, PassLength> lengths;
    const auto lengthOf = [&](int stage, BlockKind kind) {
        const auto [known, isNew] = lengths.try_emplace({stage, kind});
        if (!isNew) return known->second;
        const StageCost cost = costs.stage(plan, stage);
        known->second = {insideSentS(costs, plan, stage, kind),
                         kind == BlockKind::forward ? cost.forwardS : cost.backwardS};
        return known->second;
    };
    for (const std::uint32_t block : path.blocks) {
        if (passKind(timeline.kind[block]).role != PassRole::computes) continue;
        PassLength both;
        timeline.eachPass(block, [&](const Pass& pass) {
            const PassLength own = lengthOf(pass.stage, pass.kind);
            both.sentS += own.sentS;
            both.wholeS += own.wholeS;
        });
        const bool isPair = timeline.kind[block] == BlockKind::pair;
        const double hiddenS = isPair ? std::max(0.0, both.wholeS - timeline.durationS(block)) : 0;
        // What it took longer than alone, as it shared links, it sent.
        const double sharingS = timeline.durationS(block) - timeline.aloneS(block);
        path.insideS += std::clamp(both.sentS + sharingS - hiddenS, 0.0, timeline.durationS(block));
    }
    path.computeS -= path.insideS;
    path.communicationS += path.insideS;
}

}  // namespace

Metrics computeMetrics(const CostModel& costs, const Plan& plan, const SimulatedRun& run,
                       const std::vector<MemoryCurve>& curves) {
    const Timeline& timeline = run.timeline;
    const int iterations = iterationCount(timeline);
    Metrics metrics;
    metrics.planBound = planLowerBound(costs, plan, *run.graph);
    metrics.iterationTimeS = iterationTimeS(costs, plan, timeline, iterations, metrics.planBound.seconds);
    if (metrics.iterationTimeS > 0)
        metrics.throughputSamplesPerS = costs.problem().samplesPerIteration() / metrics.iterationTimeS;
    metrics.devices.resize(static_cast<std::size_t>(costs.deviceCount()));
    for (int device = 0; device < costs.deviceCount(); ++device) {
        metrics.devices[static_cast<std::size_t>(device)].device = device;
        metrics.devices[static_cast<std::size_t>(device)].bubbleFraction = 1;  // until it is seen to work
    }
    measureDevices(timeline, iterations, isSteady(costs, plan), metrics);
    measureMemory(curves, metrics);
    metrics.links = linkLoads(costs, plan, run.lowered(), metrics.iterationTimeS);
    metrics.criticalPath = criticalPath(timeline);
    if (plan.dividesLayers()) takeInside(costs, plan, timeline, metrics.criticalPath);
    metrics.problemBound = problemLowerBound(costs.problem(), plan.schedule.pairTimes());
    return metrics;
}

}  // namespace stagecraft::analysis
