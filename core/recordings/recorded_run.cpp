#include "core/recordings/recorded_run.h"

#include "core/analysis/block_input_table.h"
#include "core/base/indices.h"
#include "core/formats/recordings/recording_builder.h"

namespace stagecraft::recordings {

Recording recordedRun(const PlanRun& run) {
    Recording recording;
    recording.title = run.title();
    recording.timeline = run.evaluation->timeline;
    recording.cluster = run.costs->problem().cluster;
    for (const Stage& stage : run.result.plan.stages) recording.stageDevices.push_back(stage.devices);
    recording.iterations = iterationsOf(recording.timeline);
    const BlockInputTable inputs(BlockGraph(run.evaluation->graph, run.evaluation->timeline));
    recording.firstInput.push_back(0);
    for (std::uint32_t block = 0; block < recording.timeline.blockCount(); ++block) {
        const auto own = inputs.of(block);
        recording.inputs.insert(recording.inputs.end(), own.begin(), own.end());
        recording.firstInput.push_back(static_cast<std::uint32_t>(recording.inputs.size()));
    }
    recording.report.format = "simulation";
    return recording;
}

}  // namespace stagecraft::recordings
