#include "views/timeline/gantt_picker.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

namespace {
constexpr double reachPixels = 2;  // how far beside a block it can still be pointed at
constexpr double snapPixels = 6;
constexpr double markReach = 4;  // how far beside the mark of an update it can be pointed at
}  // namespace

int GanttPicker::rowAt(double y) const {
    const double inside = y - area_.top() + scene_.scroll;
    for (std::size_t i = 0; i < scene_.rows.size(); ++i)
        if (inside >= scene_.rows[i].top && inside < scene_.rows[i].bottom()) return static_cast<int>(i);
    return -1;
}

std::uint32_t GanttPicker::blockAt(QPointF position) const {
    const int row = rowAt(position.y());
    if (row < 0 || !QRectF(area_).contains(position)) return noBlock;
    const int lane = scene_.rows[static_cast<std::size_t>(row)].lane;
    if (lane < 0) return noBlock;
    const Timeline& timeline = scene_.timeline();
    const BusyLevels& busy = scene_.data->busy;
    const double timeS = axis_.toTime(position.x());
    if (const std::uint32_t update = updateAt(lane, position.x()); update != noBlock) return update;
    const std::uint32_t hit = busy.blockAt(timeline, lane, timeS);
    if (hit != noBlock) return hit;
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    const std::uint32_t next = busy.firstFrom(timeline, lane, timeS);
    const double reachS = reachPixels * axis_.secondsPerPixel();
    if (next < range.endBlock && timeline.startS[next] - timeS <= reachS) return next;
    if (next > range.firstBlock && timeS - timeline.endS[next - 1] <= reachS) return next - 1;
    return noBlock;
}

double GanttPicker::snapped(QPointF position) const {
    const double timeS = axis_.toTime(position.x());
    const int row = rowAt(position.y());
    if (row < 0) return timeS;
    const int lane = scene_.rows[static_cast<std::size_t>(row)].lane;
    if (lane < 0) return timeS;
    const Timeline& timeline = scene_.timeline();
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    const std::uint32_t next = scene_.data->busy.firstFrom(timeline, lane, timeS);
    double nearest = timeS, distanceS = snapPixels * axis_.secondsPerPixel();
    for (std::uint32_t block = next > range.firstBlock ? next - 1 : next; block <= next; ++block) {
        if (block >= range.endBlock) break;
        for (const double edge : {timeline.startS[block], timeline.endS[block]})
            if (std::abs(edge - timeS) < distanceS) {
                nearest = edge;
                distanceS = std::abs(edge - timeS);
            }
    }
    return nearest;
}

/// The nearest mark of an update in the lane, as near as a pointer can be told to be on it.
std::uint32_t GanttPicker::updateAt(int lane, double x) const {
    if (!scene_.data->runsOn()) return noBlock;
    const Timeline& timeline = scene_.timeline();
    const auto& updates = scene_.data->marks[static_cast<std::size_t>(lane)].updates;
    const auto distance = [&](std::uint32_t block) {
        return std::abs(axis_.toX(timeline.startS[block]) - x);
    };
    auto next =
        std::lower_bound(updates.begin(), updates.end(), axis_.toTime(x),
                         [&](std::uint32_t block, double timeS) { return timeline.startS[block] < timeS; });
    if (next != updates.begin() && (next == updates.end() || distance(next[-1]) < distance(*next))) --next;
    if (next == updates.end() || distance(*next) > markReach) return noBlock;
    // Where blocks are as narrow as the mark, they can be pointed at and it cannot.
    const bool crowded = *next > 0 && scene_.blockRect(*next - 1, area_, axis_).width() < 4 * markReach;
    return crowded && distance(*next) > 1 ? noBlock : *next;
}

}  // namespace stagecraft::views::timeline
