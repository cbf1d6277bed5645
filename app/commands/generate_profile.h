#pragma once

#include "app/commands/command.h"

namespace stagecraft::app {

/// The options of `generate profile`: one for each parameter of any model and of the timing, but those that a
/// cluster takes too.
std::vector<Option> profileOptions();
/// The text of the profile that the arguments ask for; what they ask for is the model zoo's description.
/// @throws UsageError and std::invalid_argument
std::string generatedProfileText(const Arguments& arguments);
/// `generate models`: what can be generated, and from which parameters.
void listModels(const Arguments& arguments, std::ostream& out);

}  // namespace stagecraft::app
