#pragma once

#include "app/rooms.h"

#include <ostream>
#include <string>
#include <vector>

namespace stagecraft::app::commands {

/// Characters of UTF-8, which are more bytes than that.
std::size_t characterCount(const std::string& text);

/// Rows of cells, printed in columns two spaces apart: the first column to the left, the others to the right.
/// Widths count characters, not bytes.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> headings) : rows_{std::move(headings)} {}
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    void print(std::ostream& out) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace stagecraft::app::commands
