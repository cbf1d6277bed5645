#pragma once

#include "core/planners/plan_run.h"

#include <QStringList>
#include <vector>

namespace stagecraft {

/// One row of the chart: a lane of the timeline with where it is drawn and what is written beside it.
struct LaneRow {
    int lane = 0;
    int stage = -1;     ///< whose colour marks the row; -1 for none
    QString label;      ///< empty for the second row of a pair of channels, which share one label
    QString toolTip;    ///< the whole of it, for labels that do not fit
    bool thin = false;  ///< everything but compute
    bool half = false;  ///< one of the two directions of a full-duplex channel
    int top = 0;        ///< pixels from the top of the chart's contents
    int height = 0;

    int bottom() const { return top + height; }
};

/// "s0g0 … s0g3 (×4)", "s0g0, s0g1", "s0g0".
QString deviceSummary(const Cluster& cluster, const std::vector<int>& devices);

/// The same and shorter ways to say it, down to "s0g0 (×4)", for places with less room.
QStringList deviceSummaries(const Cluster& cluster, const std::vector<int>& devices);

/// Rows from top to bottom: each compute lane by the first stage it works for, below it what serves that
/// stage (AllReduce, host links), then its channels to the next stages. Lanes without a block have no row.
std::vector<LaneRow> laneRows(const PlanRun& run, bool communication);

/// Sets top and height so that the rows fill `available` pixels if they can at readable heights.
/// @return the height of all rows together, which may be more or less than `available`
int placeRows(std::vector<LaneRow>& rows, int available);

}  // namespace stagecraft
