#pragma once

#include "core/model/plan.h"

#include <vector>

namespace stagecraft::cost {

/// Who does what in a stage. Asked wherever it matters, so that nobody counts its devices for another purpose
/// than they are there for: a stage whose devices also split its layers would change this alone.
class StageLayout {
public:
    explicit StageLayout(const Stage& stage) : stage_(stage) {}

    const std::vector<int>& ranks() const { return stage_.devices; }
    int rankCount() const { return static_cast<int>(stage_.devices.size()); }

    bool isReplicated() const { return rankCount() > 1; }
    /// Replicas that take microbatches in turn; 1 where all work on each.
    int turns() const { return stage_.replication == Replication::roundRobin ? rankCount() : 1; }
    /// Ranks among which each microbatch is split: all of them, or 1 where they take turns.
    int sharers() const { return stage_.replication == Replication::roundRobin ? 1 : rankCount(); }
    /// The ranks that work on the microbatches of that turn, 0 to turns() - 1.
    std::vector<int> ranksOf(int turn) const {
        if (stage_.replication != Replication::roundRobin) return ranks();
        return {ranks()[static_cast<std::size_t>(turn)]};
    }

private:
    const Stage& stage_;
};

}  // namespace stagecraft::cost
