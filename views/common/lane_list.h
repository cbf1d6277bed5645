#pragma once

#include "core/model/chart_note.h"
#include "core/runs/shown_run.h"
#include "views/rooms.h"

#include <QStringList>

#include <compare>
#include <functional>
#include <vector>

namespace stagecraft::views::common {

// Which lanes of a timeline have a row, in which order, and what they are called: in a window and in a
// printed figure.

/// A figure names stages in short and has transfers nearest to the lanes that send them; a window has
/// AllReduce there.
enum class LaneMedium { screen, print };

/// Where a lane is from top to bottom.
struct LanePlace {
    int home = 0;   ///< of the lanes that compute, by their first stages: the one that it is, or serves
    int stage = 0;  ///< that it serves; -1 if it computes
    int kind = 0;   ///< 0: it computes
    int within = 0;
    int backward = 0;
    auto operator<=>(const LanePlace&) const = default;
};

/// Whether the stream of that lane has a row; null: none has.
using StreamChoice = std::function<bool(int lane)>;

struct ListedLane {
    int lane = 0;
    bool computes = true;
    int stage = -1;  ///< the first of those that it computes; -1: it does not compute
    LanePlace place;
};

/// From the pipeline's first stage to its last: the lanes that compute, and with `communication` below each
/// its AllReduce, its host link and its channels to the next stages, and last the streams that a recording
/// has of its devices, if `streams` says so. What serves a device and has no block is left out.
std::vector<ListedLane> listedLanes(const ShownRun& run, bool communication, LaneMedium medium,
                                    const StreamChoice& streams = nullptr);

/// What a lane is called, longest first. @param firstStage the number in print of the first stage
QStringList laneNames(const ShownRun& run, int lane, LaneMedium medium, int firstStage = 0);
/// The whole of it, for a tooltip.
QString laneDescription(const ShownRun& run, int lane);
/// A name that a lane keeps when the plan is made anew: "s0g0", "channel 0 1", "AllReduce s0g0+s1g0".
QString laneKey(const ShownRun& run, int lane);
/// The lane in which a note's device computes; -1: the note is about all lanes, or its device computes
/// nothing.
int laneOfNote(const ShownRun& run, const ChartNote& note);
/// Whether two channels are the two directions between the same stages.
bool joinSameStages(const ShownRun& run, int channel, int other);

}  // namespace stagecraft::views::common
