#pragma once

#include "core/base/enum_names.h"
#include "core/base/parameters.h"
#include "core/programs/program_run.h"

#include <optional>

namespace stagecraft::programs {

enum class ProgramKind { planner, schedule };
inline constexpr EnumName<ProgramKind> programKindNames[] = {{ProgramKind::planner, "planner"},
                                                             {ProgramKind::schedule, "schedule"}};

/// What a program says of itself when it is called with --describe.
struct ProgramDescription {
    std::string id;     ///< the file's name without its ending, unless it says
    std::string title;  ///< the file's name, unless it says
    std::string summary;
    std::string source;               ///< a paper, or who wrote it
    std::optional<ProgramKind> kind;  ///< nothing: it does not say
    std::vector<Parameter> parameters;
};

/// The parameter that all programs have: "time_limit_s".
extern const char* const timeLimitName;
Parameter timeLimitParameter();

/// Asks the program. One that knows no --describe (it fails, takes more than 5 s, or answers with something
/// else) is described by its file's name alone.
/// @throws std::runtime_error if it cannot be started @throws InputError with the JSON pointer if its
/// description is wrong @throws Cancelled
ProgramDescription describe(const ProgramFile& program, const WorkContext& context = {});

}  // namespace stagecraft::programs
