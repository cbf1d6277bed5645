#include "tests/core/planners/runs.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"

#include <memory>

namespace stagecraft::testing {

PlanRun runWithDefaults(const std::string& planner, const Problem& problem) {
    const Planner& found = *findPlanner(planner);
    return runAndEvaluate(found, std::make_shared<const CostModel>(problem),
                          defaultValues(found.description().parameters));
}

std::string notesOf(const PlanRun& run) {
    std::string all;
    for (const std::string& note : run.result.notes) all += note + "\n";
    return all;
}

}  // namespace stagecraft::testing
