#pragma once

#include "core/cost/cost_model.h"

#include <memory>
#include <vector>

namespace stagecraft::cost {

/// Which stages of a plan send to which (CostModel::stageEdges), worked out once for all who ask.
class StageEdges {
public:
    StageEdges(const CostModel& costs, const Plan& plan);

    /// Ordered by (from, to).
    const std::vector<StageEdge>& all() const { return all_; }
    /// Those that need a transfer, by the stage that sends forward, or receives.
    const std::vector<StageEdge>& sentBy(int stage) const { return sent_[static_cast<std::size_t>(stage)]; }
    const std::vector<StageEdge>& receivedBy(int stage) const {
        return received_[static_cast<std::size_t>(stage)];
    }
    /// Bytes of one microbatch that enter the stage over its edges; what passes it by is not among them.
    double inputBytes(int stage) const { return inputBytes_[static_cast<std::size_t>(stage)]; }

private:
    std::vector<StageEdge> all_;
    std::vector<std::vector<StageEdge>> sent_, received_;  ///< by stage
    std::vector<double> inputBytes_;                       ///< by stage
};

using SharedStageEdges = std::shared_ptr<const StageEdges>;
/// For those who keep them.
SharedStageEdges stageEdges(const CostModel& costs, const Plan& plan);

}  // namespace stagecraft::cost
