#pragma once

#include "core/experiments/measured/measured_set.h"

namespace stagecraft::experiments {

/// A configuration as programs that train have it, planned as it is: no planner decides anything.
/// @param text arguments of Megatron-LM, or torchtitan's TOML @param name for complaints
/// @param machines "16x dgx-a100"; empty: those that the text names
/// @throws InputError, std::invalid_argument, also where an argument is not understood
MeasuredProject configuredProject(const std::string& text, const std::string& name,
                                  const std::string& machines = {});

}  // namespace stagecraft::experiments
