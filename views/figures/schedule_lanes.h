#pragma once

#include "views/common/lane_list.h"

namespace stagecraft::views {

/// One lane of a timeline as a row of a figure.
struct PrintedLane {
    int lane = 0;
    QString label;
    bool compute = true;  ///< else communication, drawn lower
};

/// The lanes as they are listed in print. Labels are the longest of their names that fits `labelMm` for every
/// row of their kind, so that they read alike; what does not fit at all is cut with an ellipsis.
std::vector<PrintedLane> printedLanes(const PlanRun& run, bool communication, double labelMm, double fontPt);

}  // namespace stagecraft::views
