#pragma once

#include "core/formats/json_reader.h"
#include "core/model/chart_note.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace stagecraft::formats {

// Notes and marks on a chart, as plans and kept figures have them. Readers throw InputError.

std::vector<ChartNote> notesFromJson(const JsonValue& value);
nlohmann::ordered_json toJson(const std::vector<ChartNote>& notes);

}  // namespace stagecraft::formats
