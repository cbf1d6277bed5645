#include "views/figures/schedule_lanes.h"

#include "views/figures/cut_in_middle.h"

#include <algorithm>
#include <map>

namespace stagecraft::views {

std::vector<PrintedLane> printedLanes(const PlanRun& run, bool communication, double labelMm, double fontPt) {
    std::vector<PrintedLane> rows;
    std::map<LaneKind, qsizetype> levels;  // of names, the first at which all rows of the kind fit
    std::vector<std::pair<LaneKind, QStringList>> names;
    for (const ListedLane& lane : listedLanes(run, communication, LaneMedium::print)) {
        const LaneKind kind = run.evaluation->timeline.lanes[static_cast<std::size_t>(lane.lane)].kind;
        rows.push_back({lane.lane, {}, lane.computes});
        names.emplace_back(kind, laneNames(run, lane.lane, LaneMedium::print));
        const QStringList& own = names.back().second;
        qsizetype& level = levels[kind];
        while (level + 1 < own.size() && textWidthMm(own[level], fontPt) > labelMm) ++level;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [kind, own] = names[i];
        rows[i].label = cutInMiddle(own[std::min(levels[kind], own.size() - 1)], labelMm, fontPt);
    }
    return rows;
}

}  // namespace stagecraft::views
