#pragma once

#include "core/base/rooms.h"

#include <string_view>

namespace stagecraft::base {

/// Whether `pattern` matches all of `name`: each `*` matches any text, also none; letters match in either
/// case (ASCII). Takes at most pattern × name steps.
bool matchesWildcards(std::string_view pattern, std::string_view name);

}  // namespace stagecraft::base
