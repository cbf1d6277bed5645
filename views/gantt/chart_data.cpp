#include "views/gantt/chart_data.h"

#include <algorithm>

namespace stagecraft {

ChartData::ChartData(std::shared_ptr<const PlanRun> planRun)
    : run(std::move(planRun)),
      busy(timeline()),
      memory(memorySeries(evaluation().memory)),
      criticalByLane(timeline().lanes.size()),
      edges(run->costs->stageEdges(plan())),
      allReduces(run->costs->allReduceGroups(plan())),
      endS(timeline().lastEndS()) {
    std::stable_sort(memory.begin(), memory.end(), [this](const MemorySeries& a, const MemorySeries& b) {
        return firstStageOf(a.devices.front()) < firstStageOf(b.devices.front());
    });
    for (const std::uint32_t block : evaluation().metrics.criticalPath.blocks)
        criticalByLane[static_cast<std::size_t>(timeline().laneOf(block))].push_back(block);
    for (auto& blocks : criticalByLane) std::sort(blocks.begin(), blocks.end());
    for (const Lane& lane : timeline().lanes)
        laneStartS.push_back(lane.blockCount() > 0 ? timeline().startS[lane.firstBlock] : 0);
}

int ChartData::firstStageOf(int device) const {
    const std::vector<Stage>& stages = plan().stages;
    const auto found = std::find_if(stages.begin(), stages.end(), [device](const Stage& stage) {
        return std::find(stage.devices.begin(), stage.devices.end(), device) != stage.devices.end();
    });
    return found == stages.end() ? -1 : static_cast<int>(found - stages.begin());
}

double ChartData::bytesMoved(std::uint32_t block) const {
    const Lane& lane = timeline().lanes[static_cast<std::size_t>(timeline().laneOf(block))];
    const BlockKind kind = timeline().kind[block];
    if (lane.kind == LaneKind::channel)
        for (const StageEdge& edge : edges)
            if (edge.from == lane.fromStage && edge.to == lane.toStage)
                return kind == BlockKind::transferBackward ? edge.backwardBytes : edge.forwardBytes;
    if (lane.kind == LaneKind::allReduce)
        for (const AllReduceGroup& group : allReduces)
            if (!group.stages.empty() && group.stages.front() == timeline().stage[block])
                return group.bytesPerDevice;
    return 0;
}

}  // namespace stagecraft
