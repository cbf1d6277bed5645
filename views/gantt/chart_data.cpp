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
    for (const std::uint32_t block : evaluation().metrics.criticalPath.blocks)
        criticalByLane[static_cast<std::size_t>(timeline().laneOf(block))].push_back(block);
    for (auto& blocks : criticalByLane) std::sort(blocks.begin(), blocks.end());
    for (const Lane& lane : timeline().lanes)
        laneStartS.push_back(lane.blockCount() > 0 ? timeline().startS[lane.firstBlock] : 0);
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
            if (!group.stages.empty() && group.stages.front() == timeline().stage[block]) return group.bytesPerDevice;
    return 0;
}

}  // namespace stagecraft
