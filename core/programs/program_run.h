#pragma once

#include "core/base/work_context.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::programs {

/// A program of a person's own: an executable file, which needs no shell.
struct ProgramFile {
    std::filesystem::path path;  ///< absolute
    std::string name;            ///< in messages: as the person wrote it, or the name of the file
};

/// What one run of such a program may take. It is a process group of its own, which ends as a whole.
struct ProgramLimits {
    double timeS = 60;
    std::size_t outputBytes = std::size_t{64} << 20;     ///< of standard output
    std::uint64_t memoryBytes = std::uint64_t{4} << 30;  ///< of address space, for each of its processes
};

/// A program that ran and gave no answer: a limit, or an end other than exit status 0.
struct ProgramFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The number and the words of a line "progress 0.35 words…".
struct ProgressLine {
    double fraction = 0;  ///< 0 to 1
    std::string words;    ///< may be empty
};
/// Nothing for any other line.
std::optional<ProgressLine> progressIn(std::string_view line);

/// Runs the program with `input` as its standard input. Lines of its standard error that report progress go
/// to `context`, the last of the others into the message of a failure; context.enough sends it SIGINT, once.
/// @return its standard output
/// @throws ProgramFailure, or std::runtime_error if it cannot be started, in words that begin with its name
/// @throws Cancelled, within 0.1 s of the stop
std::string runProgram(const ProgramFile& program, const std::vector<std::string>& arguments,
                       const std::string& input, const ProgramLimits& limits,
                       const WorkContext& context = {});

}  // namespace stagecraft::programs
