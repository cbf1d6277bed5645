#pragma once

#include "core/formats/configurations/configuration_arguments.h"

#include <span>

namespace stagecraft::formats {

/// What is known of Megatron-LM's arguments that have no effect on a plan here (megatron/training/
/// arguments.py, v0.15), and of those of the programs that start it.
std::span<const ArgumentRule> megatronRules();

}  // namespace stagecraft::formats
