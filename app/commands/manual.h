#pragma once

#include "app/commands/command.h"

namespace stagecraft::app {

/// The manual page stagecraft(1), as troff.
void printManual(const std::vector<Command>& commands, std::ostream& out);

}  // namespace stagecraft::app
