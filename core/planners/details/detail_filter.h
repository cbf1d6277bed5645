#pragma once

#include "core/planners/details/detail_table.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::planners {

/// Which rows of a table are listed. Each word of a text has to be in a cell, in small or capital letters;
/// "r=2", "W<30ms" or "kind=sparse" bound a column, which is named by its id with or without its unit
/// ("w_s", "w") or by the first word of its heading ("ξ").
class DetailFilter {
public:
    DetailFilter() = default;
    /// @param columns of the table
    /// @throws QueryMistake where a term names no column, or bounds one by what is no number
    DetailFilter(std::string_view text, const std::vector<DetailColumn>& columns);

    /// @param row of the table whose columns were given
    bool takes(const std::vector<DetailCell>& row) const;
    bool takesAll() const { return words_.empty() && bounds_.empty(); }

private:
    struct Bound {
        std::size_t column = 0;
        std::string sign;
        DetailCell value;  ///< a text for a column of texts
    };

    std::vector<DetailUnit> units_;  ///< of the columns
    std::vector<std::string> words_;
    std::vector<Bound> bounds_;
};

/// The rows that the filter takes, in the table's order. @return their indices
std::vector<std::size_t> rowsTaken(const DetailTable& table, const DetailFilter& filter);

/// The same table with these rows alone, in this order; notes and all else stay.
DetailTable withRows(const DetailTable& table, const std::vector<std::size_t>& rows);

}  // namespace stagecraft::planners
