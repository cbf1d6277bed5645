#pragma once

#include "core/base/rooms.h"

#include <string>
#include <string_view>

namespace stagecraft::formats {

/// What a text of no known format is to the eye, for messages: "JSON with the fields 'a' and 'b'", "XML with
/// the outermost element 'graph'", "text that begins 'hello'".
std::string describedText(std::string_view text);
/// Whether it is whole JSON, an object or a list, in which no reader would find a fault of spelling, and no
/// native file: those have a field "format".
bool isForeignJson(std::string_view text);

}  // namespace stagecraft::formats
