#pragma once

#include "app/commands/arguments.h"

#include <ostream>
#include <vector>

namespace stagecraft::app::commands {

/// Options of `reproduce --measured`.
std::vector<Option> measuredOptions();
/// Predicts the public measurements and prints how far off each is, or writes one of them as a project.
int reproduceMeasured(const Arguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace stagecraft::app::commands
