#pragma once

#include "core/cost/cost_model.h"
#include "core/model/timeline.h"

#include <map>
#include <utility>
#include <vector>

namespace stagecraft::simulation {

/// Which stages a transfer on a timeline joins, and by which of their devices.
class TransferEdges {
public:
    TransferEdges(const CostModel& costs, const Plan& plan);

    /// The edge whose sender is `sender` (of gradients if `gradient`) and whose other end is on the lane's
    /// devices; nothing if there is none.
    const StageEdge* of(const Lane& lane, int sender, bool gradient) const;
    /// All devices of a split stage, the replica at work of a round-robin one.
    std::vector<int> devicesOn(int stage, const Lane& lane) const;
    /// Bytes of one microbatch that enter the stage over its edges; what passes it by is not among them.
    double inputBytes(int stage) const;

private:
    const Plan& plan_;
    std::map<std::pair<int, int>, StageEdge> edges_;
};

}  // namespace stagecraft::simulation
