#include "core/analysis/utilisation.h"

#include "core/cost/stage_layout.h"

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::analysis {

namespace {

/// How long each lane's blocks of some kinds last together, and waits for a swap before them.
struct LaneShares {
    double recomputeS = 0, swapS = 0, stallS = 0;
};

LaneShares sharesOf(const Timeline& timeline, const Lane& lane) {
    LaneShares shares;
    double previousEndS = 0;
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
        const BlockKind kind = timeline.kind[block];
        if (isOutOfTurn(kind)) continue;
        if (kind == BlockKind::recompute) shares.recomputeS += timeline.durationS(block);
        if (lane.kind == LaneKind::hostLink) shares.swapS += timeline.durationS(block);
        const std::uint32_t cause = timeline.waitedFor[block];
        if (cause != noBlock && timeline.kind[cause] == BlockKind::swapIn)
            shares.stallS += std::max(0.0, timeline.startS[block] - previousEndS);
        previousEndS = timeline.endS[block];
    }
    return shares;
}

/// How long useful work lasts where the reference has its speed, over how long it lasts on the timeline.
class Usefulness {
public:
    Usefulness(const CostModel& costs, const Plan& plan, const CostModel& reference)
        : costs_(costs), plan_(plan), reference_(reference) {
        sizes_ = static_cast<double>(costs.problem().profile.microbatchSize) /
                 reference.problem().profile.microbatchSize;
    }

    double of(int stageIndex, int device) const {
        const Stage& stage = plan_.stages[static_cast<std::size_t>(stageIndex)];
        const double ownS = workOfAllS(stageIndex, stage, device);
        const double referenceS =
            reference_.computedAt(reference_.paceOf(device), stage.firstLayer, stage.lastLayer).bothS();
        return ownS > 0 ? referenceS * sizes_ / ownS : 1;
    }

private:
    /// Of all ranks together that work on a microbatch of the device, as if each were as slow as the slowest;
    /// what a group sends within it among that.
    double workOfAllS(int index, const Stage& stage, int device) const {
        const StageLayout layout(stage);
        if (stage.group.dividesLayers()) {
            const StageCost cost = costs_.wholeMicrobatch(plan_, index);
            const double overheadS = (plan_.schedule.splits() ? 3 : 2) * costs_.problem().setup.passOverheadS;
            return (cost.forwardS + cost.backwardS - overheadS) * static_cast<double>(stage.devices.size());
        }
        return costs_
            .computedBy(layout.ranksAtWork() > 1 ? stage.devices : std::vector<int>{device}, stage.firstLayer,
                        stage.lastLayer, layout.sharers())
            .bothS();
    }

    const CostModel& costs_;
    const Plan& plan_;
    const CostModel& reference_;
    double sizes_ = 1;
};

/// The share of a device's busy time that the reference would need for it.
double usefulShare(const Timeline& timeline, const Lane& lane, int device, const Usefulness& usefulness) {
    std::map<int, double> busyS;  // by stage
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
        if (isPass(timeline.kind[block])) busyS[timeline.stage[block]] += timeline.durationS(block);
    double useful = 0, all = 0;
    for (const auto& [stage, seconds] : busyS) {
        useful += seconds * usefulness.of(stage, device);
        all += seconds;
    }
    return all > 0 ? useful / all : 1;
}

/// Whether a microbatch goes once down one pipeline and once back, whole, and no device has two turns at it.
bool fillsAndDrains(const Plan& plan) {
    if (plan.pipelineCount() > 1 || plan.schedule.splits() || plan.schedule.slices() > 1) return false;
    if (plan.schedule.sharesVocabulary()) return false;
    std::set<int> seen;
    for (const Stage& stage : plan.stages)
        for (const int device : stage.devices)
            if (!seen.insert(device).second) return false;
    return true;
}

template <class Share>
double inDevices(const CostModel& costs, const std::vector<DeviceUtilisation>& devices, Share share) {
    double sum = 0;
    for (const DeviceUtilisation& device : devices) sum += costs.speedOf(device.device) * share(device);
    return sum;
}

}  // namespace

std::vector<DeviceUtilisation> utilisation(const CostModel& costs, const Plan& plan, const Metrics& metrics,
                                           const Timeline& timeline, const CostModel* reference) {
    std::vector<DeviceUtilisation> devices;
    for (const DeviceMetrics& device : metrics.devices)
        devices.push_back({device.device, 1 - device.bubbleFraction, 1 - device.bubbleFraction, 0, 0, 0});
    if (timeline.iteration.empty() || !(metrics.iterationTimeS > 0)) return devices;
    const int iterations = 1 + *std::max_element(timeline.iteration.begin(), timeline.iteration.end());
    const double wholeS = metrics.iterationTimeS * iterations;
    const Usefulness usefulness(costs, plan, reference ? *reference : costs);
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute && lane.kind != LaneKind::hostLink) continue;
        const LaneShares shares = sharesOf(timeline, lane);
        std::map<ComputePace, double> usefulByPace;  // devices of a lane differ in nothing else
        for (const int device : lane.devices) {
            DeviceUtilisation& own = devices[static_cast<std::size_t>(device)];
            own.recompute += shares.recomputeS / wholeS;
            if (lane.kind == LaneKind::hostLink) {
                own.hostLink += shares.swapS / wholeS;
            } else {
                own.swapStall += shares.stallS / wholeS;
                const auto [share, isNew] = usefulByPace.try_emplace(costs.paceOf(device));
                if (isNew) share->second = usefulShare(timeline, lane, device, usefulness);
                own.useful = own.busy * share->second;
            }
        }
    }
    return devices;
}

UtilisationMeans meansOver(const Plan& plan, const std::vector<DeviceUtilisation>& devices) {
    std::set<int> used;
    for (const Stage& stage : plan.stages) used.insert(stage.devices.begin(), stage.devices.end());
    UtilisationMeans means;
    for (const DeviceUtilisation& device : devices) {
        if (!used.contains(device.device)) continue;
        means.useful += device.useful;
        means.usefulAndRepeated += device.useful + device.repeated();
        means.busy += device.busyInAll();
        means.recompute += device.recompute;
    }
    if (used.empty()) return means;
    const double count = static_cast<double>(used.size());
    return {means.useful / count, means.usefulAndRepeated / count, means.busy / count,
            means.recompute / count};
}

double usefulDevices(const CostModel& costs, const std::vector<DeviceUtilisation>& devices) {
    return inDevices(costs, devices, [](const DeviceUtilisation& device) { return device.useful; });
}

double usefulAndRepeatedDevices(const CostModel& costs, const std::vector<DeviceUtilisation>& devices) {
    return inDevices(costs, devices,
                     [](const DeviceUtilisation& device) { return device.useful + device.repeated(); });
}

double idealThroughputSamplesPerS(const CostModel& costs, int stages) {
    const Problem& problem = costs.problem();
    double speed = 0;
    for (int device = 0; device < costs.deviceCount(); ++device) speed += costs.speedOf(device);
    const int last = costs.layerCount() - 1;
    const double microbatchS = (costs.forwardS(0, last) + costs.backwardS(0, last)) / speed;
    const int microbatches = problem.setup.microbatches;
    const int slots =
        problem.setup.mode == TrainingMode::synchronous ? microbatches + stages - 1 : microbatches;
    return microbatchS > 0 ? problem.samplesPerIteration() / (microbatchS * slots) : 0;
}

std::optional<double> idealThroughputOf(const CostModel& costs, const Plan& plan, const Metrics& metrics) {
    if (costs.problem().setup.mode == TrainingMode::synchronous && !fillsAndDrains(plan)) return std::nullopt;
    constexpr double rounding = 1e-9;
    const double ideal = idealThroughputSamplesPerS(costs, plan.stageCount());
    if (!(ideal >= metrics.throughputSamplesPerS * (1 - rounding))) return std::nullopt;
    return ideal;
}

}  // namespace stagecraft::analysis
