#pragma once

#include "app/commands/command.h"

namespace stagecraft::app {

/// The program in short: how it is called, and every command in a line.
void printUsage(const std::vector<Command>& commands, std::ostream& out);
/// One command with its synopses and options.
void printHelp(const Command& command, std::ostream& out);
/// "no command 'plam' (did you mean 'plan'?)", and the usage. @return exitBadInput
int unknownCommand(const std::vector<Command>& commands, const std::string& name, std::ostream& err);

/// 'stagecraft help …': usage, a command, a page of help or an erratum, what a search finds; --man and
/// --completion SHELL. @param words after "help"
int runHelp(const std::vector<Command>& commands, const std::vector<std::string>& words, std::ostream& out,
            std::ostream& err);

}  // namespace stagecraft::app
