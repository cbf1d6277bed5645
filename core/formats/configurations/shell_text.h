#pragma once

#include "core/formats/configurations/shell_parts.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// What of a shell script had no effect here.
struct ShellGap {
    int line = 1;
    std::string why;  ///< "the condition is not known here; what it guards is left out"
};

/// The first command of a text with the most options ("--…"), as a shell would run it.
struct ShellCommand {
    std::vector<ShellWord> words;
    std::vector<ShellGap> gaps;
};

/// Reads options as they are typed or pasted, or the script that has them: lines that go on after a
/// backslash, comments, quotes, variables with and without defaults, arithmetic, arrays, and conditions on
/// variables. Nothing is run: loops, functions and what other programs print are not known. A variable that
/// is not set stays as it is written, "$TP"; so does a pipeline layout without quotes. Options on lines by
/// themselves are one command; without any command that has options those count that are in variables.
ShellCommand shellCommandIn(std::string_view text);

}  // namespace stagecraft::formats
