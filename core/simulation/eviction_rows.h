#pragma once

#include "core/simulation/graph_draft.h"

#include <set>
#include <string>

namespace stagecraft::simulation {

/// What devices lend to each other, of the microbatches that their orders name (Kim et al., BPipe, 2023).
class EvictionRows {
public:
    explicit EvictionRows(GraphDraft& draft) : draft_(draft) {}
    void add();
    /// An eviction, or a load, of a device's order. It begins with the task before it. @throws
    /// SimulationError
    void append(LaneProgram& program, const Task& task, int iteration, int device) const;
    /// What waits for the evictions and loads of an order that is complete. @throws SimulationError if they
    /// are not between their microbatch's passes
    void addWaits(const LaneProgram& program, const std::string& device);

private:
    void addEviction(int stage, const std::set<int>& microbatches);
    /// What of it goes over links that are shared: LinkFlows' number, or -1.
    int flow(int stage, bool back);
    void requireEvictable(int stage);
    void requireBetweenPasses(const LaneProgram& program, const std::string& device) const;
    /// The entry of its microbatch's passes.
    std::uint32_t passOf(TaskRef eviction) const;

    GraphDraft& draft_;
};

}  // namespace stagecraft::simulation
