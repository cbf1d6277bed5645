#pragma once

#include "core/formats/json_reader.h"
#include "core/model/kept_figure.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace stagecraft::formats {

/// "figures" of a project: names that differ, a plan or panels or neither. Whether there are such plans, and
/// what the style says, is looked at when a figure is drawn. @throws InputError
std::vector<KeptFigure> keptFiguresFromJson(const JsonValue& value);
nlohmann::ordered_json toJson(const std::vector<KeptFigure>& figures);

/// The text of a figure style as KeptFigure::style has it, with its fields sorted. @throws InputError
std::string keptStyle(std::string_view text, const std::string& file);

}  // namespace stagecraft::formats
