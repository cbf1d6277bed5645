#include "core/planners/seen_problem.h"

#include "core/planners/planner.h"

namespace stagecraft {

bool seesMemory(const std::string& planner) {
    const Planner* found = findPlanner(planner);
    // PipeDream does not plan for memory, but checks it.
    return !found || found->description().plansForMemory || planner == "pipedream";
}

ProblemHash seenBy(const std::string& planner, ProblemHash whole, const TrainingSetup& setup) {
    if (!setup.memoryLimitBytes || seesMemory(planner)) return whole;
    Problem blind;
    blind.setup = setup;
    blind.setup.memoryLimitBytes.reset();
    whole.setup = hashOf(blind).setup;
    return whole;
}

ProblemHash seenBy(const std::string& planner, ProblemHash whole, const TrainingSetup& setup,
                   const std::optional<ProblemHash>& madeFor) {
    if (madeFor && madeFor->setup == whole.setup) return whole;
    return seenBy(planner, std::move(whole), setup);
}

}  // namespace stagecraft
