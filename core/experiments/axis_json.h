#pragma once

#include "core/experiments/experiment.h"
#include "core/formats/json_reader.h"

#include <nlohmann/json.hpp>

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

}  // namespace stagecraft::experiments
