#include "core/cost/stage_edges.h"

namespace stagecraft::cost {

StageEdges::StageEdges(const CostModel& costs, const Plan& plan)
    : all_(costs.stageEdges(plan)),
      sent_(plan.stages.size()),
      received_(plan.stages.size()),
      inputBytes_(plan.stages.size(), 0) {
    for (const StageEdge& edge : all_) {
        inputBytes_[static_cast<std::size_t>(edge.to)] += edge.forwardBytes;
        if (!edge.needsTransfer) continue;
        sent_[static_cast<std::size_t>(edge.from)].push_back(edge);
        received_[static_cast<std::size_t>(edge.to)].push_back(edge);
    }
}

SharedStageEdges stageEdges(const CostModel& costs, const Plan& plan) {
    return std::make_shared<const StageEdges>(costs, plan);
}

}  // namespace stagecraft::cost
