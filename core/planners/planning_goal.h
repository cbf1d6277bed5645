#pragma once

#include "core/planners/planner.h"

#include <string>
#include <vector>

namespace stagecraft::planners {

/// What a person wants of planning who knows no planner yet. Which planners serve it follows from what they
/// say of themselves.
struct PlanningGoal {
    std::string id;       ///< on the command line, in the place of planners: "best"
    std::string title;    ///< "One good plan"
    std::string summary;  ///< what is done for it, a sentence
    bool (*takes)(const PlannerDescription& about);
};

/// In the order in which they are offered; the first is what most people want.
const std::vector<PlanningGoal>& planningGoals();
/// nullptr if there is none of that id.
const PlanningGoal* findPlanningGoal(const std::string& id);

/// The built-in planners that serve it, those alone that apply to the setup; none: nothing is planned.
std::vector<const Planner*> plannersFor(const PlanningGoal& goal, const TrainingSetup& setup);

}  // namespace stagecraft::planners
