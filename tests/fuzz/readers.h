#pragma once

#include "tests/support/every_room.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace stagecraft::fuzz {

/// Gives a reader a text. Nothing happens if it refuses it with InputError; whatever else it throws comes
/// out, and what it reads must hold together.
using Reader = std::function<void(std::string_view)>;

/// By the name of its fuzz target.
const std::map<std::string, Reader>& readers();

}  // namespace stagecraft::fuzz
