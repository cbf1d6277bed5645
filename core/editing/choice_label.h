#pragma once

#include "core/base/rooms.h"

#include <string>

namespace stagecraft::editing {

/// What the window calls a choice of a parameter whose id the command line and files use: "As numbered" for
/// "as-numbered"; an id that is an abbreviation follows its name: "Recursive minimum cut (rdo)".
std::string choiceLabel(const std::string& id);

}  // namespace stagecraft::editing
