#include "core/planners/details/detail_table.h"

#include "core/base/csv_text.h"
#include "core/base/units.h"

#include <cmath>

namespace stagecraft::planners {

std::string detailText(const DetailCell& cell, DetailUnit unit) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    const double value = std::get<double>(cell);
    if (std::isnan(value)) return "";
    if (std::isinf(value)) return "∞";
    switch (unit) {
        case DetailUnit::seconds:
            return formatSeconds(value);
        case DetailUnit::bytes:
            return formatBytes(value);
        case DetailUnit::count:
        case DetailUnit::text:
            break;
    }
    return value == std::floor(value) ? formatFixed(value, 0) : formatNumber(value);
}

std::string detailCsv(const DetailTable& table) {
    std::string csv;
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        csv += (column > 0 ? "," : "") + csvCell(table.columns[column].id);
    csv += "\r\n";
    for (const std::vector<DetailCell>& row : table.rows) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            if (column > 0) csv += ",";
            if (const auto* text = std::get_if<std::string>(&row[column]))
                csv += csvCell(*text);
            else if (const double value = std::get<double>(row[column]); !std::isnan(value))
                appendNumber(csv, value);
        }
        csv += "\r\n";
    }
    return csv;
}

}  // namespace stagecraft::planners
