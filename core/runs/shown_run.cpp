#include "core/runs/shown_run.h"

#include <algorithm>

namespace stagecraft::runs {

namespace {

Plan stagesIn(const Recording& recording) {
    Plan plan;
    for (const std::vector<int>& devices : recording.stageDevices) plan.stages.push_back({0, -1, devices});
    return plan;
}

std::shared_ptr<const MemorySteps> stepsOf(const RecordedSeries& series) {
    auto steps = std::make_shared<MemorySteps>();
    steps->timeS = series.timeS;
    std::vector<double> bytes = series.values;
    if (!steps->timeS.empty() && steps->timeS.front() > 0) {
        // Nothing was counted before: what is known is that there was no change.
        steps->timeS.insert(steps->timeS.begin(), 0);
        bytes.insert(bytes.begin(), bytes.front());
    }
    for (std::vector<double>& kind : steps->bytes) kind.assign(steps->timeS.size(), 0);
    steps->bytes[static_cast<std::size_t>(MemoryKind::activations)] = std::move(bytes);
    return steps;
}

/// The first series in bytes of each device.
std::vector<MemoryCurve> memoryIn(const Recording& recording) {
    std::vector<MemoryCurve> curves;
    for (const RecordedSeries& series : recording.series) {
        if (series.unit != "bytes" || series.device < 0 || series.timeS.empty()) continue;
        if (curves.empty())
            for (int device = 0; device < recording.cluster.deviceCount(); ++device)
                curves.push_back(
                    {device, recording.cluster.devices[static_cast<std::size_t>(device)].memoryBytes});
        MemoryCurve& own = curves[static_cast<std::size_t>(series.device)];
        if (own.timeS().empty()) own.steps = stepsOf(series);
    }
    return curves;
}

}  // namespace

RecordedRun::RecordedRun(std::shared_ptr<const Recording> made)
    : recording(std::move(made)), stages(stagesIn(*recording)), memory(memoryIn(*recording)) {}

std::span<const std::uint32_t> ShownRun::criticalPath() const {
    if (!run_) return {};
    return run_->evaluation->metrics.criticalPath.blocks;
}

Neighbours recordedNeighbours(const Recording& recording, std::uint32_t block) {
    const Timeline& timeline = recording.timeline;
    Neighbours found;
    if (recording.firstInput.empty()) {
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
        if (block > lane.firstBlock) found.predecessors.push_back(block - 1);
        if (block + 1 < lane.endBlock) found.successors.push_back(block + 1);
        if (const std::uint32_t before = timeline.waitedFor[block];
            before != noBlock && std::find(found.predecessors.begin(), found.predecessors.end(), before) ==
                                     found.predecessors.end())
            found.predecessors.push_back(before);
        return found;
    }
    const auto inputs = recording.inputsOf(block);
    found.predecessors.assign(inputs.begin(), inputs.end());
    for (std::uint32_t other = 0; other < timeline.blockCount(); ++other) {
        const auto own = recording.inputsOf(other);
        if (std::find(own.begin(), own.end(), block) != own.end()) found.successors.push_back(other);
    }
    return found;
}

}  // namespace stagecraft::runs
