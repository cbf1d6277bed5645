#pragma once

#include "core/base/rooms.h"

#include <charconv>
#include <string>

namespace stagecraft::base {

/// A cell of CSV: in double quotes where its text needs them (RFC 4180).
inline std::string csvCell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return quoted + "\"";
}

/// Appends a number, with a point whatever the locale, that reads back exactly.
template <class Number>
void appendNumber(std::string& out, Number value) {
    char buffer[40];
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

}  // namespace stagecraft::base
