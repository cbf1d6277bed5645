#pragma once

#include "app/rooms.h"
#include "core/planners/planner.h"
#include "core/programs/any_family.h"
#include "core/programs/programs_folder.h"

#include <ostream>
#include <string>

namespace stagecraft::app::commands {

/// What the folder of the preferences holds; read when it is first asked for, as each of its programs is
/// started for that. @param err where those that are refused are named; may be null
const ProgramsFolder& customPrograms(std::ostream* err = nullptr);

/// A built-in planner, one of that folder, or "exec:PROGRAM", by a path from the working directory.
/// @throws UsageError
const Planner& plannerNamed(const std::string& id);

/// A built-in family, an order kept under that name, a family of that folder, or "exec:PROGRAM".
/// @throws UsageError
AnyFamily familyNamed(const std::string& id);

}  // namespace stagecraft::app::commands
