#include "views/timeline/gantt_scene.h"

namespace stagecraft::views::timeline {

namespace {
constexpr double updateMarkReach = 3;  // pixels to either side
}  // namespace

const BlockClasses& GanttScene::classes() const {
    static const BlockClasses byKind;
    return coloured ? coloured->classes : byKind;
}

void GanttScene::setRows(std::vector<LaneRow> all) {
    rows = std::move(all);
    rowOfLane.assign(timeline().lanes.size(), -1);
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].lane >= 0) rowOfLane[static_cast<std::size_t>(rows[i].lane)] = static_cast<int>(i);
}

const LaneRow* GanttScene::rowOf(std::uint32_t block) const {
    const int row = rowOfLane[static_cast<std::size_t>(timeline().laneOf(block))];
    return row < 0 ? nullptr : &rows[static_cast<std::size_t>(row)];
}

QRectF GanttScene::blockRect(std::uint32_t block, const QRect& area, const TimeAxis& axis) const {
    const LaneRow* row = rowOf(block);
    if (!row) return {};
    double left = axis.toX(timeline().startS[block]), right = axis.toX(timeline().endS[block]);
    if (timeline().kind[block] == BlockKind::update && timeline().durationS(block) <= 0) {
        left -= updateMarkReach;
        right += updateMarkReach;
    }
    return {left, double(area.top() + row->top - scroll), right - left, double(row->height)};
}

}  // namespace stagecraft::views::timeline
