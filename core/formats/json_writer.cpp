#include "core/formats/json_writer.h"

#include "core/formats/input_error.h"

#include <algorithm>
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

/// Appends the text in quotes. Most has nothing to escape, and is taken as it is.
void appendQuoted(const std::string& text, std::string& out) {
    constexpr auto isPlain = [](char letter) {
        return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
    };
    if (std::ranges::all_of(text, isPlain))
        out.append(1, '"').append(text).append(1, '"');
    else
        out += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

template <class Json>
void appendScalar(const Json& value, std::string& out) {
    if (value.is_number_float())
        out += numberText(value.template get<double>());
    else if (value.is_string())
        appendQuoted(value.template get_ref<const std::string&>(), out);
    else
        out += value.dump();
}

/// Appends the value on one line; gives up and answers false as soon as `out` is longer than `limit`.
template <class Json>
bool appendInline(const Json& value, std::string& out, std::size_t limit) {
    if (!value.is_structured()) {
        appendScalar(value, out);
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
        if (isObject) {
            appendQuoted(item.key(), out);
            out += ": ";
        }
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
        if (value.is_structured())
            out += value.is_object() ? "{}" : "[]";
        else
            appendScalar(value, out);
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
        out += first ? "\n" : ",\n";
        first = false;
        const std::size_t start = out.size();
        out += inner;
        if (isObject) {
            appendQuoted(item.key(), out);
            out += ": ";
        }
        append(*item, out, indentation + 2, out.size() - start, false);
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
