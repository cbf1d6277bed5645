#pragma once

#include "core/base/work_context.h"
#include "core/planners/schedule_search/tried_schedules.h"

#include <string>
#include <utility>
#include <vector>

namespace stagecraft::planners {

/// What is tried where memory lacks: activations of all layers computed again, of as many layers as it takes
/// offloaded to the hosts' memory, or each of both.
struct MemoryRemedies {
    bool recompute = true, offload = false;
};

/// Simulates schedules on partitions, with what is asked for where memory lacks, until an effort is used up.
class ScheduleTrials {
public:
    /// @param mostPasses after which nothing more is simulated
    ScheduleTrials(double mostPasses, MemoryRemedies remedies, const WorkContext& context)
        : passesLeft_(mostPasses), remedies_(remedies), context_(context) {}

    /// @param all of a partition and a family, in the order in which they are tried; partition and size are
    /// filled in @throws Cancelled
    void run(const StageSource& source, const std::vector<TriedSchedule>& all, const MiniBatchCut& cut);

    /// From the best: those that fit, from the shortest, of which those that take as long from the one that
    /// holds least; then those that lack memory, then those that were left out.
    std::vector<TriedSchedule> rows() const;
    int notTried() const { return notTried_; }

private:
    void attempt(const StageSource& source, const MiniBatchCut& cut, TriedSchedule tried);
    bool simulateInto(TriedSchedule& tried, const StageSource& source, const MiniBatchCut& cut);
    void leaveOut(TriedSchedule tried, const std::string& reason);

    double passesLeft_;
    MemoryRemedies remedies_;
    int notTried_ = 0;
    const WorkContext& context_;
    std::vector<TriedSchedule> rows_;
    std::vector<std::pair<Plan, std::string>> simulated_;
};

/// Whether it was simulated and fits into memory.
bool fits(const TriedSchedule& tried);

}  // namespace stagecraft::planners
