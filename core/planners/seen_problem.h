#pragma once

#include "core/model/plan_origin.h"
#include "core/model/problem_hash.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stagecraft::planners {

/// Whether the planner of that id looks at how much memory devices have; one that is not known may.
bool seesMemory(const std::string& planner);

/// Whether the planner of that id looks at whether samples are causal sequences; one that is not known may.
bool seesSequences(const std::string& planner);

/// A problem as planners see it: whole, or without how much memory devices have or whether samples are causal
/// sequences. Those that look at memory do not see the devices' own where the setup has a limit, which
/// overrides them.
class SeenProblem {
public:
    explicit SeenProblem(const Problem& problem);

    const ProblemHash& whole() const { return whole_; }
    ProblemHash by(const std::string& planner) const;
    /// The same, to be held against what a plan was made for: an older file may hold the whole of a part, and
    /// a plan that no known planner made (a person edited it, or its program is gone) is held against what
    /// its maker saw, whichever that was.
    ProblemHash by(const std::string& planner, const std::optional<ProblemHash>& madeFor) const;

private:
    ProblemHash whole_;
    std::string profileWithoutSequences_, clusterWithoutMemory_, setupWithoutMemory_;
    bool hasLimit_;
};

/// Plans of planners that do not say for which problem they were made count as made for this one.
/// @param origins of the plans, as many or fewer
void stampOrigins(std::span<const Plan> plans, std::vector<PlanOrigin>& origins, const SeenProblem& problem);

}  // namespace stagecraft::planners
