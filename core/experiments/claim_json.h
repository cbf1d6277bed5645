#pragma once

#include "core/experiments/experiment.h"
#include "core/formats/json_reader.h"

#include <nlohmann/json.hpp>

namespace stagecraft::experiments {

/// @param experiment whose axes and planners the claim names @throws InputError
Claim claimFromJson(const JsonValue& value, const Experiment& experiment);
nlohmann::ordered_json claimToJson(const Claim& claim);

}  // namespace stagecraft::experiments
