#pragma once

#include "app/rooms.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace stagecraft::app::commands {

/// Whether the program's arguments are for the command line: a command's name, --help or --version, or a word
/// that can be no file to open either.
bool isCommand(const std::vector<std::string>& arguments);

/// Runs one command (FORMATS.md, "Commands"). Complaints go to `err` as "stagecraft: …".
/// @param arguments without the program's name
/// @return the exit status: 0 done, 1 failed, 2 bad usage or bad input (nothing is written then)
int runCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace stagecraft::app::commands
