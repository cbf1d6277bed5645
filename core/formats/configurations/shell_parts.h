#pragma once

#include "core/base/rooms.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// A word of a command, without its quotes and with variables in place, and the line that it is on, from 1.
struct ShellWord {
    std::string text;
    int line = 1;
};

/// A word as it is written, quotes and all; "NAME=" with the elements of an array.
struct RawShellWord {
    std::string text;
    int line = 1;
    bool isArray = false;
    std::vector<RawShellWord> elements = {};
};

/// Words up to the end of a command, and what ended it: "\n" (and ";"), "&&", "||" or "|".
struct RawShellCommand {
    std::vector<RawShellWord> words;
    std::string end;
};

/// Takes a script apart, without looking at what it says.
std::vector<RawShellCommand> rawShellCommands(std::string_view text);

}  // namespace stagecraft::formats
