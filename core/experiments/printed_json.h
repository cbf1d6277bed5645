#pragma once

#include "core/experiments/experiment.h"
#include "core/formats/json_reader.h"

#include <nlohmann/json.hpp>

namespace stagecraft::experiments {

/// @param experiment whose axes, planners and metrics the table names @throws InputError
PrintedTable printedFromJson(const JsonValue& value, const Experiment& experiment);
/// Planners and values in the experiment's order.
nlohmann::ordered_json printedToJson(const PrintedTable& table, const Experiment& experiment);

}  // namespace stagecraft::experiments
