#pragma once

#include "core/model/problem_hash.h"

#include <optional>
#include <string>

namespace stagecraft {

/// Whether the planner of that id looks at how much memory devices have; one that is not known may.
bool seesMemory(const std::string& planner);

/// What the planner sees of a problem: of one that does not look at memory without the setup's memory limit.
/// @param whole of the problem @param setup of it
ProblemHash seenBy(const std::string& planner, ProblemHash whole, const TrainingSetup& setup);

/// The same, to be held against what a plan was made for: a file of before may hold the whole of it.
ProblemHash seenBy(const std::string& planner, ProblemHash whole, const TrainingSetup& setup,
                   const std::optional<ProblemHash>& madeFor);

}  // namespace stagecraft
