#pragma once

#include "core/model/problem_hash.h"
#include "core/runs/planning_result.h"

#include <optional>
#include <string>

namespace stagecraft::runs {

/// A problem as planners see it: whole, or without how much memory devices have or whether samples are causal
/// sequences. Those that look at memory do not see the devices' own where the setup has a limit, which
/// overrides them.
class SeenProblem {
public:
    explicit SeenProblem(const Problem& problem);

    const ProblemHash& whole() const { return whole_; }
    ProblemHash by(const PlanMaker& maker) const;
    /// The same, to be held against what a plan was made for: an older file may hold the whole of a part, and
    /// a plan that no known planner made (a person edited it, or its program is gone) is held against what
    /// its maker saw, whichever that was.
    ProblemHash by(const PlanMaker& maker, const std::optional<ProblemHash>& madeFor) const;

private:
    ProblemHash whole_;
    std::string profileWithoutSequences_, clusterWithoutMemory_, setupWithoutMemory_;
    bool hasLimit_;
};

}  // namespace stagecraft::runs
