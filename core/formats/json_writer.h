#pragma once

#include "core/base/rooms.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace stagecraft::formats {

/// The one way in which Stagecraft writes JSON: fields in the order given, two spaces of indentation, what
/// fits into 100 columns on one line, whole numbers without point or exponent, others as the shortest text
/// that reads back the same, and a newline at the end. @throws InputError for a number that is not finite
std::string formatJson(const nlohmann::ordered_json& document);

/// The text with what is not UTF-8 replaced, so that it reads back as it is written.
std::string utf8(std::string_view text);

/// A value on one line.
template <class Json>
std::string formatJsonInline(const Json& value);

}  // namespace stagecraft::formats
