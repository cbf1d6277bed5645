#pragma once

#include "core/planners/plan_run.h"

#include <QString>

#include <vector>

namespace stagecraft {

/// One lane of a timeline as a row of a figure.
struct PrintedLane {
    int lane = 0;
    QString label;
    bool compute = true;  ///< else communication, drawn lower
};

/// Rows from the pipeline's first stage to its last: the compute lanes, and with `communication` below each
/// its channels to the next stages, its AllReduce and its host link. Labels are the longest of their wordings
/// that fits `labelMm` for every row of their kind, so that they read alike; what does not fit at all is cut
/// with an ellipsis.
std::vector<PrintedLane> printedLanes(const PlanRun& run, bool communication, double labelMm, double fontPt);

/// "s0g0–s0g3, s2g1", or "s0g0–3, s2g1" if `brief`: neighbours in the cluster's order are joined.
QString deviceRange(const Cluster& cluster, std::vector<int> devices, bool brief);

}  // namespace stagecraft
