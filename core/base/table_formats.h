#pragma once

#include "core/base/rooms.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::base {

/// A table as it is read: headings, and texts with their units.
struct TextCells {
    struct Column {
        std::string heading;
        bool number = false;  ///< to the right, "33.0 ms"
    };
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;  ///< a cell for each column
};

/// A kind of text in which a table is copied and printed. What the window and the command line offer follows
/// from the list of them.
struct TableFormat {
    std::string_view id;     ///< --table of the command line
    std::string_view title;  ///< for people
    /// Ends with a line break. Each cell stays what it is where a reader of that kind of text has read it.
    std::string (*write)(const TextCells& table);
};

/// In the order in which they are offered.
std::span<const TableFormat> tableFormats();
/// Null if there is none of that id.
const TableFormat* tableFormatNamed(std::string_view id);

}  // namespace stagecraft::base
