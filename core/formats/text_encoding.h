#pragma once

#include "core/base/rooms.h"

#include <string>
#include <string_view>

namespace stagecraft::formats {

/// What editors and shells on other systems make of a text, undone: a byte-order mark is taken off, UTF-16
/// (with a mark, or plainly every second byte 0) becomes UTF-8, and where lines end with a carriage return
/// alone, with a line feed. Everything else, models of bytes included, comes back as it is.
std::string plainText(std::string text);

}  // namespace stagecraft::formats
