#pragma once

#include "core/experiments/experiment.h"
#include "core/formats/json_reader.h"

#include <nlohmann/json.hpp>

namespace stagecraft::experiments {

/// @param experiment whose axes, planners and metrics the chart names @throws InputError
ExperimentChart chartFromJson(const JsonValue& value, const Experiment& experiment);
nlohmann::ordered_json chartToJson(const ExperimentChart& chart);

}  // namespace stagecraft::experiments
