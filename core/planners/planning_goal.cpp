#include "core/planners/planning_goal.h"

#include "core/planners/applicability.h"

#include <algorithm>

namespace stagecraft::planners {

const std::vector<PlanningGoal>& planningGoals() {
    static const std::vector<PlanningGoal> goals = {
        {"best", "One good plan",
         "Tries schedules on several partitions, and keeps the fastest that fits into memory",
         // What compares schedules within the memory is the widest search that there is.
         [](const PlannerDescription& about) { return about.choosesSchedule && about.plansForMemory; }},
        {"all", "Compare planners", "Runs each planner that applies; the fastest plan comes first",
         [](const PlannerDescription&) { return true; }},
        {"none", "No plan yet", "Makes the project alone, to look at it or change it first",
         [](const PlannerDescription&) { return false; }}};
    return goals;
}

const PlanningGoal* findPlanningGoal(const std::string& id) {
    const auto found = std::ranges::find(planningGoals(), id, &PlanningGoal::id);
    return found == planningGoals().end() ? nullptr : &*found;
}

std::vector<const Planner*> plannersFor(const PlanningGoal& goal, const TrainingSetup& setup) {
    std::vector<const Planner*> chosen;
    for (const std::unique_ptr<Planner>& planner : allPlanners())
        if (goal.takes(planner->description()) && appliesTo(*planner, setup)) chosen.push_back(planner.get());
    return chosen;
}

}  // namespace stagecraft::planners
