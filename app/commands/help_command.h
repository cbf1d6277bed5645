#pragma once

#include "app/commands/command.h"

namespace stagecraft::app::commands {

/// The program in short: how it is called, and every command in a line.
void printUsage(const std::vector<Command>& commands, std::ostream& out);
/// One command with its synopses and options.
void printHelp(const Command& command, std::ostream& out);
/// "no command 'plam' (did you mean 'plan'?)", and where there is something about that word. @return exitBadInput
int unknownCommand(const std::vector<Command>& commands, const std::string& name, std::ostream& err);

/// 'stagecraft help …': usage, a command, a page of help or an erratum, what a search finds; --man and
/// --completion SHELL. @param words after "help"
int runHelp(const std::vector<Command>& commands, const std::vector<std::string>& words, std::ostream& out,
            std::ostream& err);

/// The manual page stagecraft(1), as troff.
void printManual(const std::vector<Command>& commands, std::ostream& out);

/// The shells that completions can be made for.
const std::vector<std::string>& completedShells();
/// A script for one of them that completes commands, options, and values where an option has a list of them.
void printCompletion(const std::vector<Command>& commands, const std::string& shell, std::ostream& out);

}  // namespace stagecraft::app::commands
