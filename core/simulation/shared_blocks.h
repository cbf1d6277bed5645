#pragma once

#include "core/simulation/graph_draft.h"

#include <span>

namespace stagecraft::simulation {

/// Tasks of device orders that share a block: whole backwards where others are split, and pairs.
class SharedBlocks {
public:
    explicit SharedBlocks(GraphDraft& draft) : draft_(draft) {}
    /// One block of all tasks from `first` on. @throws SimulationError if they cannot be one
    void fuse(LaneProgram& program, std::size_t first);
    /// A block of several tasks is one on every device that takes part in it. @throws SimulationError
    void requireSame() const;

private:
    void addDuration(Fusion& fusion, std::span<const TaskRef> block) const;
    double pairS(TaskRef forward, TaskRef backward, double bothS) const;
    double hiddenS(int forwardStage, int backwardStage) const;
    std::span<const TaskRef> tasksOf(std::size_t lane, const Fusion& fusion) const;
    [[noreturn]] void refuseBlockOfOne(std::size_t lane, std::size_t other, BlockKind kind,
                                       TaskRef first) const;

    GraphDraft& draft_;
};

}  // namespace stagecraft::simulation
