#include "app/commands/text_table.h"

#include <algorithm>

namespace stagecraft::app::commands {

std::size_t characterCount(const std::string& text) {
    // Bytes that do not continue a character.
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

void TextTable::print(std::ostream& out) const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characterCount(row[i]));
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string space(widths[i] - characterCount(row[i]), ' ');
            line += (i == 0 ? "" : "  ") + (i == 0 ? row[i] + space : space + row[i]);
        }
        out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
    }
}

}  // namespace stagecraft::app::commands
