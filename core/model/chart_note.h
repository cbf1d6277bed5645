#pragma once

#include <optional>
#include <string>

namespace stagecraft {

/// A bookmark on a plan's chart, or a note: what somebody wanted to find again, or had to say about it. No
/// part of the plan.
struct ChartNote {
    double atS = 0;                ///< the instant, or where the stretch of time begins
    std::optional<double> untilS;  ///< end of the stretch, > atS; nothing: an instant
    std::string device;            ///< id of one that computes in the lane it is about; empty: all lanes
    std::string text;              ///< empty: a bookmark
    bool operator==(const ChartNote&) const = default;
};

}  // namespace stagecraft
