#pragma once

#include "app/commands/arguments.h"
#include "core/generation/generated_profile.h"

#include <vector>

namespace stagecraft::app::commands {

/// Options for what a described transformer leaves open (describedParameters()), but for those that commands
/// have for profiles of every kind.
const std::vector<Option>& describedOptions();
/// How it is computed, where a command has no options of that name of its own.
inline const std::vector<Option> computedOptions = {
    {"gpu", "NAME", "model: the GPU for which times are computed; that of the machines unless given"},
    {"precision", "NAME",
     "model: the precision of passes; what that GPU is usually trained in unless given: " +
         joinNames(allNames(precisionNames), " | ")}};
/// Those that are given, and --gpu, --precision and --granularity. Throws UsageError.
ParameterValues describedValues(const Arguments& arguments);

}  // namespace stagecraft::app::commands
