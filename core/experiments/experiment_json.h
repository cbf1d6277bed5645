#pragma once

#include "core/base/parameters.h"
#include "core/experiments/cell_result.h"
#include "core/experiments/experiment.h"
#include "core/formats/json_reader.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace stagecraft::experiments {

/// An axis in one of its forms:
///   "pointer" (one or several) with "values" (each plain, or {"label", "value"}), with "range" ({"from",
///   "to" and "step" or "factor"}), with "files" (each becomes {"file": …}), or with "seeds" (a count from 1,
///   or a list); or "cases" ({"label", "set": {POINTER: VALUE}}) for what changes together.
/// @param document the experiment's, whose "base" and "planners" the pointers are about
/// @throws InputError
Axis axisFromJson(const JsonValue& value, const nlohmann::json& document);
nlohmann::ordered_json axisToJson(const Axis& axis);

/// What a pointer of an axis names: the part of the experiment, created where the recipe lets it be left out.
/// "/planners/LABEL/PARAMETER" is not in the base and answers false.
bool pointsIntoBase(const std::string& pointer);

/// @param experiment whose axes and planners the claim names @throws InputError
Claim claimFromJson(const JsonValue& value, const Experiment& experiment);
nlohmann::ordered_json claimToJson(const Claim& claim);

/// @param experiment whose axes, planners and metrics the chart names @throws InputError
ExperimentChart chartFromJson(const JsonValue& value, const Experiment& experiment);
nlohmann::ordered_json chartToJson(const ExperimentChart& chart);

/// "status", "reason" and "metrics" of an object that may have other fields.
CellResult cellFromJson(const JsonObject& object);
/// Adds them to `out`.
void addCell(nlohmann::ordered_json& out, const CellResult& cell);

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

/// @param experiment whose axes, planners and metrics the table names @throws InputError
PrintedTable printedFromJson(const JsonValue& value, const Experiment& experiment);
/// Planners and values in the experiment's order.
nlohmann::ordered_json printedToJson(const PrintedTable& table, const Experiment& experiment);

}  // namespace stagecraft::experiments
