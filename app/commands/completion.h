#pragma once

#include "app/commands/command.h"

namespace stagecraft::app {

/// The shells that completions can be made for.
const std::vector<std::string>& completedShells();
/// A script for one of them that completes commands, options, and values where an option has a list of them.
void printCompletion(const std::vector<Command>& commands, const std::string& shell, std::ostream& out);

}  // namespace stagecraft::app
