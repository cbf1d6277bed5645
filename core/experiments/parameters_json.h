#pragma once

#include "core/base/parameters.h"
#include "core/formats/json_reader.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace stagecraft::experiments {

/// The values that an object gives to parameters of that list. A number is in the base unit (bytes per
/// second, seconds, bytes); a text is read as on the command line, with its unit. @throws InputError
ParameterValues parametersFromJson(const JsonValue& value, const std::vector<Parameter>& parameters);
/// The same of parameters that are not known yet, of a program: each value is as it is written.
ParameterValues unknownParametersFromJson(const JsonValue& value);
nlohmann::ordered_json parametersToJson(const ParameterValues& values);

/// The object without some of its fields, for readers that know every field.
nlohmann::json withoutFields(nlohmann::json object, const std::vector<std::string>& fields);

/// @throws InputError that names the metrics that there are
[[noreturn]] void failMetric(const JsonValue& name);

}  // namespace stagecraft::experiments
