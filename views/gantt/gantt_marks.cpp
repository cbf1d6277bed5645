// The marks that lie over the blocks: critical path, selection, arrows.

#include "views/common/theme.h"
#include "views/gantt/gantt_painter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr double leastOutlineWidth = 5;
constexpr double headLength = 9;
constexpr double headWidth = 4.5;
/// Ends of arrows further out than this many pixels are drawn as if they stood there.
constexpr double farOutside = 4000;

QRectF clippedTo(QRectF rectangle, const QRect& area) {
    rectangle.setLeft(std::max(rectangle.left(), area.left() - 10.0));
    rectangle.setRight(std::min(rectangle.right(), area.right() + 10.0));
    return rectangle;
}

void outlineLane(const GanttScene& scene, const LaneRow& row, const QRect& area, const TimeAxis& axis,
                 std::vector<QRectF>& outlines, std::vector<QRectF>& strips) {
    const Timeline& timeline = scene.timeline();
    const auto& critical = scene.data->criticalByLane[static_cast<std::size_t>(row.lane)];
    const auto startsBefore = [&](std::uint32_t block, double timeS) {
        return timeline.startS[block] < timeS;
    };
    auto block = std::lower_bound(critical.begin(), critical.end(), axis.t0, startsBefore);
    if (block != critical.begin()) --block;
    const double top = area.top() + row.top - scene.scroll, pixelS = axis.secondsPerPixel();
    double stripFrom = 0, stripTo = -1;
    const auto endStrip = [&] {
        if (stripTo < stripFrom) return;
        strips.emplace_back(stripFrom, top, std::max(1.0, stripTo - stripFrom), 2);
        strips.emplace_back(stripFrom, top + row.height - 2, std::max(1.0, stripTo - stripFrom), 2);
        stripTo = stripFrom - 1;
    };
    while (block != critical.end() && timeline.startS[*block] < axis.t1) {
        const QRectF rectangle = scene.blockRect(*block, area, axis);
        if (rectangle.width() >= leastOutlineWidth && row.height >= 8) {
            outlines.push_back(clippedTo(rectangle, area));
            ++block;
            continue;
        }
        if (stripTo < stripFrom || rectangle.left() > stripTo + 1) {
            endStrip();
            stripFrom = rectangle.left();
        }
        stripTo = std::max(stripTo, rectangle.right());
        // What begins within the same pixel adds nothing that can be seen.
        const double nextS = std::max(timeline.startS[*block] + pixelS, timeline.endS[*block] - pixelS);
        auto next = block + 1;
        if (next != critical.end() && timeline.startS[*next] < nextS)
            next = std::lower_bound(next, critical.end(), nextS, startsBefore);
        block = next;
    }
    endStrip();
}

void connectLanes(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Timeline& timeline = scene.timeline();
    const auto& path = scene.data->evaluation().metrics.criticalPath.blocks;
    const auto startsBefore = [&](std::uint32_t block, double timeS) {
        return timeline.startS[block] < timeS;
    };
    auto first = std::lower_bound(path.begin(), path.end(), axis.t0, startsBefore);
    if (first != path.begin()) --first;
    auto last = std::lower_bound(first, path.end(), axis.t1, startsBefore);
    if (last != path.end()) ++last;
    if (last - first > area.width() / 4) return;  // too dense to be followed by eye
    // Blocks without a row are passed over: the line goes on to the next block that is shown.
    const LaneRow* fromRow = nullptr;
    double fromX = 0;
    for (auto block = first; block != last; ++block) {
        const LaneRow* row = scene.rowOf(*block);
        if (!row) continue;
        const QRectF rectangle = scene.blockRect(*block, area, axis);
        if (fromRow && fromRow != row) {
            const bool down = row->top > fromRow->top;
            const double y0 = area.top() - scene.scroll + (down ? fromRow->bottom() : fromRow->top);
            const double y1 = area.top() - scene.scroll + (down ? row->top : row->bottom());
            painter.drawLine(QPointF(fromX, y0), QPointF(rectangle.left(), y1));
        }
        fromRow = row;
        fromX = rectangle.right();
    }
}

/// From the right edge of one block to the left edge of another; `over`: above the blocks between them.
QPainterPath arrowPath(const QRectF& fromBlock, const QRectF& toBlock, bool over, QPointF& tip) {
    const QPointF from(fromBlock.right(), fromBlock.center().y());
    tip = QPointF(toBlock.left(), toBlock.center().y());
    const QPointF neck = tip - QPointF(headLength - 1, 0);
    QPainterPath path(from);
    const double apart = tip.x() - from.x();
    if (over && apart > headLength) {
        const double above = fromBlock.top() - 1;
        const double bend = std::min(apart / 4, 24.0);
        path.cubicTo(from + QPointF(bend / 2, 0), QPointF(from.x() + bend / 2, above),
                     QPointF(from.x() + bend, above));
        path.lineTo(tip.x() - bend, above);
        path.cubicTo(QPointF(tip.x() - bend / 2, above), neck - QPointF(bend / 2, 0), neck);
        return path;
    }
    const double reach = std::clamp(std::abs(apart) / 2, 14.0, 60.0);
    path.cubicTo(from + QPointF(reach, 0), neck - QPointF(reach, 0), neck);
    return path;
}

void paintArrow(QPainter& painter, const QRectF& fromBlock, const QRectF& toBlock, bool over,
                const QColor& colour, const QColor& halo) {
    QPointF to;
    const QPainterPath path = arrowPath(fromBlock, toBlock, over, to);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(halo, 4.5));
    painter.drawPath(path);
    painter.setPen(QPen(colour, 2));
    painter.drawPath(path);
    const QPolygonF head{to, to - QPointF(headLength, headWidth), to - QPointF(headLength, -headWidth)};
    painter.setPen(QPen(halo, 1));
    painter.setBrush(colour);
    painter.drawPolygon(head);
}

}  // namespace

void paintCriticalPath(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const QColor ink = Theme::current().text;
    std::vector<QRectF> outlines, strips;
    for (const LaneRow& row : scene.rows)
        if (row.top - scene.scroll < area.height() && row.bottom() > scene.scroll)
            outlineLane(scene, row, area, axis, outlines, strips);
    for (const QRectF& strip : strips) painter.fillRect(strip, ink);
    painter.setBrush(Qt::NoBrush);
    QPen pen(ink, 2);
    pen.setJoinStyle(Qt::MiterJoin);
    painter.setPen(pen);
    for (const QRectF& outline : outlines) painter.drawRect(outline.toAlignedRect().adjusted(1, 1, -1, -1));
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(ink, 1.5));
    connectLanes(painter, scene, area, axis);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintSelection(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Theme& theme = Theme::current();
    const QRectF selected = scene.blockRect(scene.selected, area, axis);
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (!selected.isEmpty()) {
        const QRectF outline = clippedTo(selected, area).adjusted(-1, -1, 1, 1);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.surface, 5));
        painter.drawRect(outline);
        painter.setPen(QPen(theme.text, 2.5));
        painter.drawRect(outline);
    }
    const auto bounded = [&](QRectF rectangle) {
        rectangle.setRight(
            std::clamp(rectangle.right(), area.left() - farOutside, area.right() + farOutside));
        rectangle.setLeft(std::clamp(rectangle.left(), area.left() - farOutside, area.right() + farOutside));
        return rectangle;
    };
    for (const BlockArrow& arrow : scene.arrows) {
        // What the block waited for points at it in the accent; what waits for it in the colour of text.
        const QColor colour = arrow.to == scene.selected ? theme.accent : theme.text;
        const bool over = scene.rowOf(arrow.from) == scene.rowOf(arrow.to) && arrow.to - arrow.from > 1;
        paintArrow(painter, bounded(scene.blockRect(arrow.from, area, axis)),
                   bounded(scene.blockRect(arrow.to, area, axis)), over, colour, theme.surface);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace stagecraft
