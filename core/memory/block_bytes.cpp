#include "core/memory/block_bytes.h"

#include "core/cost/stage_layout.h"

#include <algorithm>

namespace stagecraft::memory {

namespace {

bool holds(const std::vector<int>& devices, int device) {
    return std::find(devices.begin(), devices.end(), device) != devices.end();
}

bool isEviction(const Timeline& timeline, std::uint32_t block) {
    return timeline.kind[block] == BlockKind::swapOut || timeline.kind[block] == BlockKind::swapIn;
}

}  // namespace

BlockBytes::BlockBytes(const CostModel& costs, const Plan& plan, SharedStageEdges edges)
    : plan_(plan),
      edges_(costs, plan, std::move(edges)),
      vocabulary_(vocabularyCost(costs, plan)),
      syncBytes_(plan.stages.size()),
      syncs_(stateSyncs(costs.problem())) {
    for (const DataParallelGroup& group : costs.dataParallelGroups(plan))
        for (const StateSync& sync : syncs_)
            for (const int stage : group.stages)
                syncBytes_[static_cast<std::size_t>(stage)][sync.kind] = group.costOf(sync).bytes;
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        swapBytes_.push_back(costs.stage(plan, stage).swapBytes);
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        evictedBytes_.push_back(costs.keptActivationBytes(plan, stage) *
                                StageLayout(plan.stages[static_cast<std::size_t>(stage)]).rankCount());
}

std::array<int, 2> BlockBytes::endsOf(const Timeline& timeline, const Lane& lane, std::uint32_t block) const {
    const int stage = timeline.stage[block];
    if (isEviction(timeline, block)) return {stage, plan_.mirroredStage(stage)};
    const StageEdge& edge = *edges_.of(timeline, lane, block);
    return {edge.from, edge.to};
}

double BlockBytes::syncBytes(BlockKind kind, int stage) const {
    const std::map<BlockKind, double>& own = syncBytes_[static_cast<std::size_t>(stage)];
    const auto found = own.find(kind);
    return found == own.end() ? 0 : found->second;
}

double BlockBytes::of(const Timeline& timeline, int lane, std::uint32_t block) const {
    const Lane& own = timeline.lanes[static_cast<std::size_t>(lane)];
    const auto stage = static_cast<std::size_t>(timeline.stage[block]);
    if (isOfVocabulary(timeline.kind[block])) return vocabulary_.bytesOf(timeline.kind[block]);
    switch (own.kind) {
        case LaneKind::compute:
        case LaneKind::stream:
            return 0;
        case LaneKind::hostLink:
            return swapBytes_[stage];
        case LaneKind::allReduce:
            return syncBytes(timeline.kind[block], timeline.stage[block]);
        case LaneKind::channel:
            if (isEviction(timeline, block)) return evictedBytes_[stage];
            if (const StageEdge* edge = edges_.of(timeline, own, block))
                return timeline.kind[block] == BlockKind::transferBackward ? edge->backwardBytes
                                                                           : edge->forwardBytes;
    }
    return 0;
}

double BlockBytes::of(const Timeline& timeline, int lane, std::uint32_t block, int device) const {
    const Lane& own = timeline.lanes[static_cast<std::size_t>(lane)];
    const double all = of(timeline, lane, block);
    if (own.kind != LaneKind::channel || all == 0) return all;
    double part = 0;
    for (const int end : endsOf(timeline, own, block)) {
        const Stage& stage = plan_.stages[static_cast<std::size_t>(end)];
        const StageLayout layout(stage);
        const int parts =
            isEviction(timeline, block) ? layout.rankCount() : layout.sharers() * layout.boundaryDivision();
        if (holds(stage.devices, device)) part += all / parts;
    }
    return part;
}

}  // namespace stagecraft::memory
