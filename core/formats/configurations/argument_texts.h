#pragma once

#include "core/formats/configurations/configuration_arguments.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// Options of the words of a command, with the words behind each as its values; names with hyphens. What
/// comes before the first, and programs (".py"), is left out.
std::vector<SaidArgument> argumentsOfShell(std::string_view text, const std::string& file,
                                           std::vector<ConfigurationItem>& gaps);
/// Scalars of a YAML or JSON text at any depth by the names of their fields, as options: "num_layers: 4" is
/// --num-layers 4, true is a flag, false and null are not said. @throws InputError
std::vector<SaidArgument> argumentsOfYaml(std::string_view text, const std::string& file);

}  // namespace stagecraft::formats
