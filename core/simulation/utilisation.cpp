#include "core/simulation/utilisation.h"

#include <algorithm>

namespace stagecraft {

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
        if (kind == BlockKind::update) continue;
        if (kind == BlockKind::recompute) shares.recomputeS += timeline.durationS(block);
        if (lane.kind == LaneKind::hostLink) shares.swapS += timeline.durationS(block);
        const std::uint32_t cause = timeline.waitedFor[block];
        if (cause != noBlock && timeline.kind[cause] == BlockKind::swapIn)
            shares.stallS += std::max(0.0, timeline.startS[block] - previousEndS);
        previousEndS = timeline.endS[block];
    }
    return shares;
}

}  // namespace

std::vector<DeviceUtilisation> utilisation(const Metrics& metrics, const Timeline& timeline) {
    std::vector<DeviceUtilisation> devices;
    for (const DeviceMetrics& device : metrics.devices)
        devices.push_back({device.device, 1 - device.bubbleFraction, 0, 0, 0});
    if (timeline.iteration.empty() || !(metrics.iterationTimeS > 0)) return devices;
    const int iterations = 1 + *std::max_element(timeline.iteration.begin(), timeline.iteration.end());
    const double wholeS = metrics.iterationTimeS * iterations;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute && lane.kind != LaneKind::hostLink) continue;
        const LaneShares shares = sharesOf(timeline, lane);
        for (const int device : lane.devices) {
            DeviceUtilisation& own = devices[static_cast<std::size_t>(device)];
            own.recompute += shares.recomputeS / wholeS;
            if (lane.kind == LaneKind::hostLink)
                own.hostLink += shares.swapS / wholeS;
            else
                own.swapStall += shares.stallS / wholeS;
        }
    }
    return devices;
}

double idealThroughputSamplesPerS(const CostModel& costs, int stages) {
    const Problem& problem = costs.problem();
    double speed = 0;
    for (const Device& device : problem.cluster.devices) speed += device.speed;
    const int last = costs.layerCount() - 1;
    const double microbatchS = (costs.forwardS(0, last) + costs.backwardS(0, last)) / speed;
    const int microbatches = problem.setup.microbatches;
    const int slots =
        problem.setup.mode == TrainingMode::synchronous ? microbatches + stages - 1 : microbatches;
    return microbatchS > 0 ? problem.samplesPerIteration() / (microbatchS * slots) : 0;
}

}  // namespace stagecraft
