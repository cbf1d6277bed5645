#include "core/base/parameters.h"

#include "core/base/spelling.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace stagecraft::base {

namespace {

std::string shortestText(double value) {
    char buffer[64];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

[[noreturn]] void refuse(const Parameter& parameter, const std::string& text, const std::string& expected) {
    throw std::invalid_argument("parameter '" + parameter.name + "' cannot be '" + text + "'; expected " +
                                expected);
}

std::string rangeText(const Parameter& parameter) {
    return " between " + shortestText(parameter.minimum) + " and " + shortestText(parameter.maximum);
}

template <class Number>
Number readNumber(const Parameter& parameter, const std::string& text, const char* what) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || !(double(value) >= parameter.minimum) || !(double(value) <= parameter.maximum))
        refuse(parameter, text, what + rangeText(parameter));
    return value;
}

ParameterValue readQuantity(const Parameter& parameter, const std::string& text) {
    double value = 0;
    try {
        value = parseQuantity(parameter.quantity, text);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("parameter '" + parameter.name + "': " + error.what());
    }
    if (value < parameter.minimum || value > parameter.maximum)
        refuse(parameter, text,
               "between " + exactText(parameter.quantity, parameter.minimum) + " and " +
                   exactText(parameter.quantity, parameter.maximum));
    return value;
}

}  // namespace

ParameterValue readParameter(const Parameter& parameter, const std::string& text) {
    if (std::holds_alternative<bool>(parameter.defaultValue)) {
        if (text == "true" || text == "on" || text == "1") return true;
        if (text == "false" || text == "off" || text == "0") return false;
        refuse(parameter, text, "true or false");
    }
    if (std::holds_alternative<int>(parameter.defaultValue))
        return readNumber<int>(parameter, text, "a whole number");
    if (std::holds_alternative<double>(parameter.defaultValue) && parameter.quantity != Quantity::plain)
        return readQuantity(parameter, text);
    if (std::holds_alternative<double>(parameter.defaultValue))
        return readNumber<double>(parameter, text, "a number");
    const std::vector<std::string>& choices = parameter.choices;
    if (!choices.empty() && !parameter.othersToo &&
        std::find(choices.begin(), choices.end(), text) == choices.end())
        refuse(parameter, text, "one of " + joinNames(choices) + spellingHint(text, choices));
    return text;
}

ParameterValues defaultValues(const std::vector<Parameter>& parameters) {
    ParameterValues values;
    for (const Parameter& parameter : parameters) values[parameter.name] = parameter.defaultValue;
    return values;
}

void setParameter(const std::vector<Parameter>& parameters, ParameterValues& values,
                  const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
        throw std::invalid_argument("'" + assignment + "' sets nothing; expected NAME=VALUE");
    const std::string name = assignment.substr(0, equals);
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& parameter) { return parameter.name == name; });
    if (found == parameters.end()) {
        std::vector<std::string> names;
        for (const Parameter& parameter : parameters) names.push_back(parameter.name);
        throw std::invalid_argument("no parameter '" + name + "'" + spellingHint(name, names) +
                                    "; expected " +
                                    (names.empty() ? "none at all" : "one of " + joinNames(names)));
    }
    values[name] = readParameter(*found, assignment.substr(equals + 1));
}

std::string toText(const ParameterValue& value) {
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const int* number = std::get_if<int>(&value)) return std::to_string(*number);
    if (const double* number = std::get_if<double>(&value)) return shortestText(*number);
    return std::get<std::string>(value);
}

std::string toText(const Parameter& parameter, const ParameterValue& value) {
    const double* number = std::get_if<double>(&value);
    return number && parameter.quantity != Quantity::plain ? exactText(parameter.quantity, *number)
                                                           : toText(value);
}

}  // namespace stagecraft::base
