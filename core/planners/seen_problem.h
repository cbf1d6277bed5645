#pragma once

#include "core/model/problem_hash.h"

#include <optional>
#include <string>

namespace stagecraft {

/// Whether the planner of that id looks at how much memory devices have; one that is not known may.
bool seesMemory(const std::string& planner);

/// A problem as planners see it: whole, or without how much memory devices have. Those that look at memory do
/// not see the devices' own where the setup has a limit, which overrides them.
class SeenProblem {
public:
    explicit SeenProblem(const Problem& problem);

    const ProblemHash& whole() const { return whole_; }
    ProblemHash by(const std::string& planner) const;
    /// The same, to be held against what a plan was made for: an older file may hold the whole of a part.
    ProblemHash by(const std::string& planner, const std::optional<ProblemHash>& madeFor) const;

private:
    ProblemHash whole_;
    std::string clusterWithoutMemory_, setupWithoutMemory_;
    bool hasLimit_;
};

}  // namespace stagecraft
