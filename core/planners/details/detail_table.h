#pragma once

#include "core/base/rooms.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace stagecraft::planners {

/// What the numbers of a column are.
enum class DetailUnit : std::uint8_t { text, count, seconds, bytes };

struct DetailColumn {
    std::string id;       ///< of a CSV file, with its unit: "period_s"
    std::string heading;  ///< for people
    DetailUnit unit = DetailUnit::text;
};

/// NaN: empty. Infinity stays what it is.
using DetailCell = std::variant<std::string, double>;

/// A table as large as what a planner looked through, or its first rows.
struct DetailTable {
    std::vector<DetailColumn> columns;
    std::vector<std::vector<DetailCell>> rows;  ///< a cell for each column
    bool cut = false;                           ///< there are more rows than were asked for
    std::vector<std::string> notes;             ///< how it is to be read, for this plan
};

/// As a person reads it: "33.0 ms", "9.40 GiB"; empty where there is nothing.
std::string detailText(const DetailCell& cell, DetailUnit unit);
/// RFC 4180, one line a row, numbers in base units that read back exactly; "inf", nothing for NaN.
std::string detailCsv(const DetailTable& table);

}  // namespace stagecraft::planners
