#pragma once

#include "core/simulation/eviction_rows.h"
#include "core/simulation/graph_draft.h"
#include "core/simulation/shared_blocks.h"

#include <span>

namespace stagecraft::simulation {

/// The orders of compute lanes where each device has one over all of its stages (OrderRule::ofDevices).
class DeviceOrderLanes {
public:
    DeviceOrderLanes(GraphDraft& draft, EvictionRows& evictions)
        : draft_(draft), evictions_(evictions), blocks_(draft) {}
    /// @throws SimulationError if the orders do not fit the plan
    void add();

private:
    bool recomputes() const;
    void addLane(int lane, bool recomputes);
    void addIteration(LaneProgram& program, std::span<const Task> order, int iteration, int device,
                      bool addsRecompute);
    /// @param tasks one, or the forward and the backward of a pair
    void appendBlock(LaneProgram& program, std::span<const Task> tasks, int iteration, int device,
                     bool addsRecompute);
    void appendPass(LaneProgram& program, const Task& task, int iteration, int device);
    void requirePair(std::span<const Task> tasks, int device) const;

    GraphDraft& draft_;
    EvictionRows& evictions_;
    SharedBlocks blocks_;
};

}  // namespace stagecraft::simulation
