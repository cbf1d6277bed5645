#pragma once

#include "core/runs/shown_run.h"
#include "views/common/lane_list.h"
#include "views/rooms.h"

#include <QStringList>
#include <vector>

namespace stagecraft::views::timeline {

/// How lanes are ordered, top to bottom. What serves a device is below its lane in each order.
enum class LaneOrder { stage, device, busy };
inline constexpr int laneOrderCount = 3;

/// How a person has arranged the lanes of a plan. Keys and servers that the plan does not have are of no
/// account, so that an arrangement outlives a change of the plan.
struct LaneArrangement {
    LaneOrder order = LaneOrder::stage;
    QStringList pinned;     ///< laneKey() of each, top to bottom
    QStringList collapsed;  ///< serversOf() lanes that are shown as one band
    QStringList opened;     ///< laneKey() of lanes that compute, below which a recording's streams are shown
    bool operator==(const LaneArrangement&) const = default;
};

/// Lanes of the devices of one server, or of the same servers.
struct LaneGroup {
    QString servers;         ///< as serversOf()
    std::vector<int> lanes;  ///< that compute
    int devices = 0;
};

/// One row of the chart: a lane of the timeline, or the band of a group that is collapsed, with where it is
/// drawn and what is written beside it.
struct LaneRow {
    int lane = 0;    ///< -1: a band
    int group = -1;  ///< of laneGroups(): whose band it is
    bool pinned = false;
    int stage = -1;     ///< whose colour marks the row; -1 for none
    QString label;      ///< empty for the second row of a pair of channels, which share one label
    QString toolTip;    ///< the whole of it, for labels that do not fit
    QString share;      ///< "87 %": how much of a time it is busy; empty: not shown
    QString shareTip;   ///< of which time, in words
    bool thin = false;  ///< everything but compute
    bool half = false;  ///< one of the two directions of a full-duplex channel
    int top = 0;        ///< pixels from the top of the chart's contents
    int height = 0;
    int place = 0;  ///< top if nothing were scrolled

    int bottom() const { return top + height; }
};

/// The servers of a lane's devices, "s0" or "s0+s1"; empty if they have none.
QString serversOf(const ShownRun& run, int lane);
/// All servers that lanes can be collapsed into, in the order of the cluster's devices.
std::vector<LaneGroup> laneGroups(const ShownRun& run);

/// Rows from top to bottom: those that are pinned, then each compute lane in its order, below it what serves
/// its devices or stage (AllReduce, host links), then its channels to the next stages. Compute lanes of
/// servers that are collapsed are one band, and what runs within such servers has no row. Lanes without a
/// block have none either. Streams of a recording are below the lane of their device: of those that are
/// opened, of all with `allStreams`, and where there is nothing else of the device.
/// `busyShares`: of each lane, for LaneOrder::busy.
std::vector<LaneRow> laneRows(const ShownRun& run, bool communication,
                              const LaneArrangement& arrangement = {},
                              const std::vector<double>& busyShares = {}, bool allStreams = false);

/// Sets top and height so that the rows fill `available` pixels if they can at readable heights.
/// @return the height of all rows together, which may be more or less than `available`
int placeRows(std::vector<LaneRow>& rows, int available);

/// The same, but so that they fill `available` pixels whatever heights that takes: for pictures that nobody
/// scrolls.
void fillWithRows(std::vector<LaneRow>& rows, int available);

/// Keeps the pinned rows, which are the first, at the top of what is seen when `scroll` pixels of the
/// contents are above it; the others are cut off where they pass below them.
void keepPinnedInView(std::vector<LaneRow>& rows, int scroll);

}  // namespace stagecraft::views::timeline
