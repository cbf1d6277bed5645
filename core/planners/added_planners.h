#pragma once

#include "core/planners/planner.h"

namespace stagecraft::planners {

/// Whether an added planner is in the lists that people choose from, or is found by its id alone.
enum class Offered { listed, byId };

/// Adds a planner to the built-in ones, so that findPlanner() has it. One with the same id that was added
/// before gives way, and stays alive, as all do: a job may be at work with it. Safe from any thread.
/// @throws std::invalid_argument if a built-in planner has its id
const Planner& addPlanner(std::unique_ptr<Planner> planner, Offered offered);

/// Those that are listed, in the order in which they were added.
std::vector<const Planner*> addedPlanners();
/// Found by id, listed or not; nullptr if there is none.
const Planner* findAddedPlanner(const std::string& id);
/// Those that are listed are so no longer, and not found either.
void withdrawAddedPlanners();

}  // namespace stagecraft::planners
