#pragma once

#include "core/runs/shown_run.h"
#include "tests/views/gantt_fixture.h"

namespace stagecraft {

/// What a simulation of a plan would be as a file: the same blocks on the same devices, and no plan.
inline Recording recordingOf(const PlanRun& run) {
    Recording recording;
    recording.title = "as simulated";
    recording.timeline = run.evaluation->timeline;
    recording.cluster = run.costs->problem().cluster;
    for (const Stage& stage : run.result.plan.stages) recording.stageDevices.push_back(stage.devices);
    recording.report.format = "a simulation";
    return recording;
}

inline std::shared_ptr<const RecordedRun> recorded(Recording recording) {
    return std::make_shared<const RecordedRun>(std::make_shared<const Recording>(std::move(recording)));
}

/// Adds a stream to each of the first `devices`, with so many kernels that touch, over all of its time.
inline void addStreams(Recording& recording, int devices, std::uint32_t kernels) {
    Timeline& timeline = recording.timeline;
    const double endS = std::max(1e-3, timeline.lastEndS());
    std::uint32_t block = timeline.blockCount();
    timeline.resize(block + static_cast<std::uint32_t>(devices) * kernels);
    const char* const names[] = {"gemm", "void at::native::elementwise_kernel<4>(int)",
                                 "ncclDevKernel_SendRecv"};
    timeline.label.resize(timeline.blockCount(), -1);
    for (const char* name : names) timeline.labels.emplace_back(name);
    for (int device = 0; device < devices; ++device) {
        Lane lane;
        lane.kind = LaneKind::stream;
        lane.devices = {device};
        lane.firstBlock = block;
        for (std::uint32_t i = 0; i < kernels; ++i, ++block) {
            timeline.kind[block] = BlockKind::other;
            timeline.stage[block] = timeline.microbatch[block] = timeline.iteration[block] = -1;
            timeline.startS[block] = endS * i / kernels;
            timeline.endS[block] = endS * (i + 0.9) / kernels;
            timeline.label[block] = static_cast<std::int32_t>(i % std::size(names));
        }
        lane.endBlock = block;
        timeline.lanes.push_back(std::move(lane));
    }
}

/// Devices of which nothing but kernels is known.
inline Recording kernelsAlone(int devices, std::uint32_t kernels) {
    Recording recording;
    recording.title = "kernels";
    for (int device = 0; device < devices; ++device) {
        Device it;
        it.id = "rank" + std::to_string(device);
        recording.cluster.devices.push_back(it);
        Lane lane;
        lane.devices = {device};
        recording.timeline.lanes.push_back(lane);
    }
    addStreams(recording, devices, kernels);
    return recording;
}

}  // namespace stagecraft
