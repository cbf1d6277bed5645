#pragma once

#include "app/commands/arguments.h"
#include "core/generation/generated_profile.h"

#include <vector>

namespace stagecraft::app::commands {

/// Options for what a described transformer leaves open (describedParameters()), but for those that commands
/// have for profiles of every kind.
const std::vector<Option>& describedOptions();
/// Those that are given, and --gpu, --precision and --granularity. Throws UsageError.
ParameterValues describedValues(const Arguments& arguments);

}  // namespace stagecraft::app::commands
