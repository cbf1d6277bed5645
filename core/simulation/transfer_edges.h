#pragma once

#include "core/cost/stage_edges.h"
#include "core/model/timeline.h"

#include <span>
#include <vector>

namespace stagecraft::simulation {

/// Which stages a transfer on a timeline joins, and by which of their devices. Refers to costs and plan,
/// which must outlive it.
class TransferEdges {
public:
    /// @param edges of the plan
    TransferEdges(const CostModel& costs, const Plan& plan, SharedStageEdges edges);

    /// That of a transfer; nothing if the lane joins no two stages of which one sends to the other. Where its
    /// sender has several receivers at the lane's other end, the one whose transfer lasts as long alone.
    const StageEdge* of(const Timeline& timeline, const Lane& lane, std::uint32_t block) const;
    /// The edges whose sender is `sender` (of gradients if `gradient`) and whose ends are those of the lane.
    std::vector<const StageEdge*> between(const Lane& lane, int sender, bool gradient) const;
    /// How long a transfer of the edge takes on that lane, in seconds.
    double durationS(const StageEdge& edge, const Lane& lane, bool gradient) const;
    /// All devices of a split stage, the replica at work of a round-robin one.
    std::vector<int> devicesOn(int stage, const Lane& lane) const;
    /// Whether they are all of the stage's: between split stages a lane has all of one and then all of the
    /// other.
    bool hasAllOf(int stage, const Lane& lane) const;
    /// Bytes of one microbatch that enter the stage over its edges; what passes it by is not among them.
    double inputBytes(int stage) const { return edges_->inputBytes(stage); }

private:
    /// Whether `devices` are those by which the stage sends and receives: all, or the replica at work.
    bool isEndOf(int stage, std::span<const int> devices) const;
    bool joins(const Lane& lane, const StageEdge& edge) const;

    const CostModel& costs_;
    const Plan& plan_;
    SharedStageEdges edges_;
};

}  // namespace stagecraft::simulation
