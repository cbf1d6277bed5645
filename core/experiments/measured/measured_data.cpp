#include "core/experiments/measured/measured_data.h"

#include "core/base/text_parts.h"
#include "core/experiments/measured/measured_data_files.h"
#include "core/formats/profiles/efficiency_file.h"

namespace stagecraft::experiments {

std::string_view measuredData(const std::string& name) { return measuredDataFiles().at(name); }

std::vector<MeasuredCells> measuredTable(const std::string& name) {
    const std::vector<std::string_view> lines = linesOf(measuredData(name));
    const std::vector<std::string_view> names = cellsOf(lines.at(0), ',');
    std::vector<MeasuredCells> rows;
    for (std::size_t line = 1; line < lines.size(); ++line) {
        if (trimmed(lines[line]).empty()) continue;
        const std::vector<std::string_view> cells = cellsOf(lines[line], ',');
        MeasuredCells& row = rows.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i)
            row[std::string(trimmed(names[i]))] = std::string(trimmed(cells.at(i)));
    }
    return rows;
}

MeasuredEfficiencies measuredEfficiencies(const std::string& name) {
    return readEfficiencies(measuredData(name), name);
}

}  // namespace stagecraft::experiments
