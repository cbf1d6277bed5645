#pragma once

#include "core/experiments/cell_result.h"
#include "core/formats/json_reader.h"

#include <nlohmann/json.hpp>

namespace stagecraft::experiments {

/// "status", "reason" and "metrics" of an object that may have other fields.
CellResult cellFromJson(const JsonObject& object);
/// Adds them to `out`.
void addCell(nlohmann::ordered_json& out, const CellResult& cell);

}  // namespace stagecraft::experiments
