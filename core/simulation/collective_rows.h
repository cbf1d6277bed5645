#pragma once

#include "core/simulation/graph_draft.h"

#include <vector>

namespace stagecraft::simulation {

/// What the devices of several stages, or of one, do together over their links once the backwards that it is
/// triggered by are done.
struct Collective {
    BlockKind kind = BlockKind::allReduce;
    RowTrigger trigger = RowTrigger::iteration;
    AllReduceGroup group;
};
/// Those of a plan: a new one is an entry here. Today: at the end of each iteration gradients are summed over
/// the replicas of stages, and over copies of the network.
std::vector<Collective> collectivesOf(const CostModel& costs, const Plan& plan);

/// Collectives, and the updates that end an iteration.
class CollectiveRows {
public:
    CollectiveRows(GraphDraft& draft, std::vector<Collective> collectives)
        : draft_(draft), collectives_(std::move(collectives)) {}
    void add();

private:
    int addCollective(const Collective& collective);
    void waitForBackwards(const Collective& collective, int row);
    void addUpdate(int stage);
    void addBarrier();
    void addWaitsForVersions();
    int inputStageOf(int stage) const;

    GraphDraft& draft_;
    const std::vector<Collective> collectives_;
    std::vector<std::vector<int>> ofStages_;  ///< rows of collectives, by stage
    std::vector<int> updates_;                ///< rows, by stage
};

}  // namespace stagecraft::simulation
