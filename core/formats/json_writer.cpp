#include "core/formats/json_writer.h"

#include "core/formats/input_error.h"

#include <charconv>
#include <cmath>

namespace stagecraft::formats {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t lineColumns = 100;

std::string numberText(double value) {
    if (!std::isfinite(value))
        throw InputError("", "", "a number is not finite and cannot be written", "finite numbers");
    char buffer[64];
    constexpr double exactIntegers = 9007199254740992.0;  // 2^53
    const bool whole = value == std::floor(value) && std::fabs(value) <= exactIntegers;
    const auto end = whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<long long>(value))
                           : std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, end.ptr};
}

template <class Json>
std::string scalarText(const Json& value) {
    if (value.is_number_float()) return numberText(value.template get<double>());
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string quoted(const std::string& text) { return scalarText(ordered_json(text)); }

/// Appends the value on one line; gives up and answers false as soon as `out` is longer than `limit`.
template <class Json>
bool appendInline(const Json& value, std::string& out, std::size_t limit) {
    if (!value.is_structured()) {
        out += scalarText(value);
        return out.size() <= limit;
    }
    const bool isObject = value.is_object();
    out += isObject ? "{" : "[";
    bool first = true;
    for (auto item = value.begin(); item != value.end(); ++item) {
        if (!first)
            out += ", ";
        else if (isObject)
            out += " ";
        first = false;
        if (isObject) out += quoted(item.key()) + ": ";
        if (!appendInline(*item, out, limit)) return false;
    }
    if (isObject && !first) out += " ";
    out += isObject ? "}" : "]";
    return out.size() <= limit;
}

/// `used` columns of the line are taken already, by indentation and the field's name.
void append(const ordered_json& value, std::string& out, std::size_t indentation, std::size_t used,
            bool root) {
    std::string line;
    constexpr std::size_t comma = 1;
    const std::size_t room = lineColumns > used + comma ? lineColumns - used - comma : 0;
    if (!value.is_structured() || value.empty()) {
        out += value.is_structured() ? (value.is_object() ? "{}" : "[]") : scalarText(value);
        return;
    }
    if (!root && appendInline(value, line, room)) {
        out += line;
        return;
    }
    const bool isObject = value.is_object();
    const std::string inner(indentation + 2, ' ');
    out += isObject ? "{" : "[";
    bool first = true;
    for (auto item = value.begin(); item != value.end(); ++item) {
        const std::string field = isObject ? quoted(item.key()) + ": " : "";
        out += (first ? "\n" : ",\n") + inner + field;
        first = false;
        append(*item, out, indentation + 2, inner.size() + field.size(), false);
    }
    out += "\n" + std::string(indentation, ' ') + (isObject ? "}" : "]");
}

}  // namespace

std::string formatJson(const ordered_json& document) {
    std::string out;
    append(document, out, 0, 0, true);
    return out + "\n";
}

std::string utf8(std::string_view text) {
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

template <class Json>
std::string formatJsonInline(const Json& value) {
    std::string out;
    appendInline(value, out, std::string::npos);
    return out;
}
template std::string formatJsonInline(const json&);
template std::string formatJsonInline(const ordered_json&);

}  // namespace stagecraft::formats
