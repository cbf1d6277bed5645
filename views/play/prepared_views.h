#pragma once

#include "core/model/chart_note.h"
#include "views/timeline/chart_data.h"

#include <QString>

#include <vector>

namespace stagecraft::views {

inline constexpr std::size_t mostPreparedViews = 9;  ///< as many as there are digits

/// A part of a plan's time to which a digit jumps.
struct PreparedView {
    QString name;
    double t0 = 0, t1 = 1;  ///< seconds, what is in view
    double atS = 0;         ///< where playing goes on
};

/// The notes and bookmarks of a plan, by time, each with what the chart showed as it was made; without any
/// the whole run and its warm-up, steady state and cool-down, as far as it has them.
std::vector<PreparedView> preparedViews(const ChartData& data, const std::vector<ChartNote>& notes);

}  // namespace stagecraft::views
