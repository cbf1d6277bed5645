#include "views/timeline/gantt_marks.h"

#include "views/common/theme.h"
#include "views/timeline/block_raster.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace stagecraft::views {

namespace {

constexpr double leastOutlineWidth = 5;
constexpr double headLength = 9;
constexpr double shortHead = 6;   // where there is little room between rows
constexpr double headWidth = 4;   // half of it
constexpr double arrowInset = 5;  // from the corner of a block to where an arrow leaves or enters it
constexpr double detour = 9;      // beside a row, for arrows that pass by its blocks

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

/// A line with a head at its end. It meets blocks at their edges, so that it hides no number in them.
struct Arrow {
    QPainterPath line;
    QPolygonF head;

    /// Ends the line at `tip`, to which it comes in the direction of the unit vector `along`.
    void end(QPointF tip, QPointF along, double length) {
        const QPointF back = tip - length * along, across(along.y() * headWidth, along.x() * headWidth);
        head = {tip, back + across, back - across};
    }
};

/// Within one row: straight through idle time, else over the blocks between; under them where the row stands
/// at the upper edge.
Arrow arrowInRow(const QRectF& from, const QRectF& to, bool blocksBetween, double upperEdge) {
    Arrow arrow;
    if (!blocksBetween && to.left() - from.right() > headLength + 2) {
        const double y = from.center().y();
        arrow.line.moveTo(from.right(), y);
        arrow.line.lineTo(to.left() - headLength + 1, y);
        arrow.end(QPointF(to.left(), y), QPointF(1, 0), headLength);
        return arrow;
    }
    const bool under = from.top() - detour < upperEdge;
    const double edge = under ? from.bottom() : from.top(), side = under ? 1 : -1;
    const QPointF start(from.right() - std::min(arrowInset, from.width() / 2), edge);
    const QPointF tip(to.left() + std::min(arrowInset, to.width() / 2), edge);
    const QPointF neck = tip + QPointF(0, side * (shortHead - 1));
    const double away = edge + side * detour, bend = std::min((tip.x() - start.x()) / 2, 10.0);
    arrow.line.moveTo(start);
    arrow.line.quadTo(QPointF(start.x(), away), QPointF(start.x() + bend, away));
    arrow.line.lineTo(tip.x() - bend, away);
    arrow.line.quadTo(QPointF(tip.x(), away), neck);
    arrow.end(tip, QPointF(0, -side), shortHead);
    return arrow;
}

/// From the end of a block at its near edge to the start of one in another row at its near edge.
Arrow arrowAcrossRows(const QRectF& from, const QRectF& to) {
    const bool down = to.top() > from.top();
    const double side = down ? 1 : -1;
    const QPointF start(from.right() - std::min(arrowInset, from.width() / 2),
                        down ? from.bottom() : from.top());
    const QPointF tip(to.left() + std::min(arrowInset, to.width() / 2), down ? to.top() : to.bottom());
    const double length = std::clamp(std::abs(tip.y() - start.y()), shortHead, headLength);
    const QPointF neck = tip - QPointF(0, side * (length - 1));
    if (std::abs(tip.y() - start.y()) < 2 * headLength && std::abs(tip.x() - start.x()) > headLength) {
        // No room to bend: along the gap between the rows.
        const double y = (start.y() + tip.y()) / 2;
        Arrow arrow;
        arrow.line.moveTo(start);
        arrow.line.lineTo(start.x(), y);
        arrow.line.lineTo(tip.x(), y);
        arrow.end(tip, QPointF(0, side), length);
        return arrow;
    }
    const double reach = std::max(2.0, std::abs(neck.y() - start.y()) * 0.6);
    Arrow arrow;
    arrow.line.moveTo(start);
    arrow.line.cubicTo(start + QPointF(0, side * reach), neck - QPointF(0, side * reach), neck);
    arrow.end(tip, QPointF(0, side), length);
    return arrow;
}

constexpr double haloWidth = 4.5;

void paintArrow(QPainter& painter, const Arrow& arrow, const QColor& colour, const QColor& halo) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(halo, haloWidth));
    painter.drawPath(arrow.line);
    painter.setPen(QPen(colour, 2));
    painter.drawPath(arrow.line);
    painter.setPen(QPen(halo, 1));
    painter.setBrush(colour);
    painter.drawPolygon(arrow.head);
}

constexpr std::size_t mostLit = 400;  // more in view are too dense to be followed by eye
constexpr int dimmed = 150;           // of 255, over what does not belong to the chain

/// Links whose blocks are in view, latest first as in the chain. Their starts never grow along it.
std::vector<std::uint32_t> linksInView(const GanttScene& scene, const TimeAxis& axis) {
    const Timeline& timeline = scene.timeline();
    const std::vector<IdleLink>& chain = scene.idle->chain;
    auto link = std::lower_bound(
        chain.begin(), chain.end(), axis.t1,
        [&](const IdleLink& each, double timeS) { return timeline.startS[each.block] > timeS; });
    std::vector<std::uint32_t> blocks;
    for (; link != chain.end() && timeline.endS[link->block] >= axis.t0 && blocks.size() <= mostLit; ++link)
        blocks.push_back(link->block);
    return blocks;
}

QRectF stretchRect(const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const int index = scene.rowOfLane[static_cast<std::size_t>(scene.idle->lane)];
    if (index < 0) return {};
    const LaneRow& row = scene.rows[static_cast<std::size_t>(index)];
    const double left = axis.toX(scene.idle->fromS), right = axis.toX(scene.idle->toS);
    return clippedTo({left, double(area.top() + row.top - scene.scroll), right - left, double(row.height)},
                     area);
}

constexpr float hitFaintness = 0.78f;
constexpr int hitLineHeight = 3;  // under what was found, so that it is seen where it is short

constexpr int veilAlpha = 205;  // of 255, of what is yet to begin

}  // namespace

void paintCriticalPath(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const QColor ink = Theme::current().text;
    std::vector<QRectF> outlines, strips;
    for (const LaneRow& row : scene.rows)
        if (scene.isInView(row, area)) outlineLane(scene, row, area, axis, outlines, strips);
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

QPainterPath paintSelection(QPainter& painter, const GanttScene& scene, const QRect& area,
                            const TimeAxis& axis) {
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
    QPainterPath covered;
    covered.setFillRule(Qt::WindingFill);
    QPainterPathStroker stroker;
    stroker.setWidth(haloWidth);
    for (const BlockArrow& arrow : scene.arrows) {
        // What the block waited for points at it in the accent; what waits for it in the colour of text.
        const QColor colour = arrow.to == scene.selected ? theme.accent : theme.text;
        const QRectF from = bounded(scene.blockRect(arrow.from, area, axis));
        const QRectF to = bounded(scene.blockRect(arrow.to, area, axis));
        const bool sameRow = scene.rowOf(arrow.from) == scene.rowOf(arrow.to);
        const Arrow drawn =
            sameRow ? arrowInRow(from, to, arrow.to - arrow.from > 1, area.top()) : arrowAcrossRows(from, to);
        paintArrow(painter, drawn, colour, theme.surface);
        covered.addPath(stroker.createStroke(drawn.line));
        covered.addPolygon(drawn.head);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    return covered;
}

void paintIdleCause(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Theme& theme = Theme::current();
    const std::vector<std::uint32_t> blocks = linksInView(scene, axis);
    if (blocks.size() > mostLit) return;
    const QRectF stretch = stretchRect(scene, area, axis);
    QPainterPath lit;
    std::vector<QRectF> outlines;
    for (const std::uint32_t block : blocks) {
        const QRectF where = clippedTo(scene.blockRect(block, area, axis), area);
        if (where.isEmpty() && !scene.rowOf(block)) continue;
        outlines.push_back(where.width() < 2 ? where.adjusted(-1, 0, 1, 0) : where);
        lit.addRect(outlines.back());
    }
    lit.addRect(stretch);
    QPainterPath rest;
    rest.addRect(area);
    QColor veil = theme.surface;
    veil.setAlpha(dimmed);
    painter.fillPath(rest.subtracted(lit.simplified()), veil);

    painter.setBrush(Qt::NoBrush);
    QPen pen(theme.accent, 2);
    pen.setJoinStyle(Qt::MiterJoin);
    painter.setPen(pen);
    for (const QRectF& outline : outlines) painter.drawRect(outline.adjusted(0, 1, 0, -1));
    // A link ends when what waited for it starts, so that a line straight up or down joins them.
    QRectF waiting =
        stretch.isEmpty() ? QRectF() : QRectF(stretch.right(), stretch.top(), 1, stretch.height());
    for (const QRectF& outline : outlines) {
        const bool above = outline.bottom() <= waiting.top();
        if (!waiting.isEmpty() && (above || outline.top() >= waiting.bottom()))
            painter.drawLine(QPointF(waiting.left(), above ? outline.bottom() : outline.top()),
                             QPointF(waiting.left(), above ? waiting.top() : waiting.bottom()));
        waiting = outline;
    }
    if (stretch.isEmpty()) return;
    QColor fill = theme.accent;
    fill.setAlpha(50);
    painter.fillRect(stretch, fill);
    pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.drawRect(stretch.adjusted(1, 1, -1, -1));
}

void paintHits(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Theme& theme = Theme::current();
    const QColor veil = theme.surface;
    const float faintness = scene.hidesRest() ? 1 : hitFaintness;
    const int count = std::max(1, area.width());
    QImage line(count, 1, QImage::Format_ARGB32_Premultiplied);
    std::vector<BlockHits::Column> columns;
    for (const LaneRow& row : scene.rows) {
        if (!scene.isInView(row, area)) continue;
        scene.hits->columns(row.lane, axis.t0, axis.spanS() / count, count, columns);
        auto* pixels = reinterpret_cast<QRgb*>(line.scanLine(0));
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const int alpha = static_cast<int>(255 * faintness * (1 - columns[c].share));
            pixels[c] = qPremultiply(qRgba(veil.red(), veil.green(), veil.blue(), alpha));
        }
        const int top = area.top() + row.top - scene.scroll;
        painter.drawImage(QRect(area.left(), top, count, row.height), line);
        for (int from = 0; from < count; ++from) {
            if (!columns[static_cast<std::size_t>(from)].any) continue;
            int to = from;
            while (to < count && columns[static_cast<std::size_t>(to)].any) ++to;
            painter.fillRect(area.left() + from, top + row.height - hitLineHeight, std::max(2, to - from),
                             hitLineHeight, theme.accent);
            from = to;
        }
    }
}

void paintPinnedEdge(QPainter& painter, const GanttScene& scene, const QRect& area) {
    const auto below =
        std::find_if(scene.rows.begin(), scene.rows.end(), [](const LaneRow& row) { return !row.pinned; });
    if (below == scene.rows.begin()) return;
    const int y = area.top() + std::prev(below)->bottom() - scene.scroll + 4;
    painter.fillRect(area.left(), y, area.width(), 1, Theme::current().mutedText);
}

void paintHeatBands(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Theme& theme = Theme::current();
    const int count = std::max(1, area.width());
    QImage line(count, 1, QImage::Format_RGB32);
    std::vector<float> shares;
    for (const LaneRow& row : scene.rows) {
        if (row.group < 0 || !scene.isSeen(row, area)) continue;
        const QRect band(area.left(), area.top() + row.top - scene.scroll, count, row.height);
        if (const auto& curve = scene.groupCurves[static_cast<std::size_t>(row.group)]) {
            curve->columnShares(axis.t0, axis.spanS() / count, count, shares);
            auto* pixels = reinterpret_cast<QRgb*>(line.scanLine(0));
            for (std::size_t c = 0; c < shares.size(); ++c)
                pixels[c] = mixed(theme.surface.rgb(), theme.accent.rgb(), shares[c]);
            painter.drawImage(band, line);
        }
        painter.fillRect(band.left(), band.top(), band.width(), 1, theme.line);
        painter.fillRect(band.left(), band.bottom(), band.width(), 1, theme.line);
    }
}

void paintStep(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Theme& theme = Theme::current();
    QColor veil = theme.surface;
    veil.setAlpha(veilAlpha);
    const double now = axis.toX(*scene.stepS);
    std::vector<QRectF> running;
    for (const LaneRow& row : scene.rows) {
        if (!scene.isInView(row, area)) continue;
        const std::uint32_t block = scene.data->running(row.lane, *scene.stepS);
        double from = now;
        if (block != noBlock) {
            const QRectF where = scene.blockRect(block, area, axis);
            from = where.right();
            running.push_back(where);
        }
        from = std::max(from, double(area.left()));
        const double top = area.top() + row.top - scene.scroll;
        if (from <= area.right())
            painter.fillRect(QRectF(from, top, area.right() + 1 - from, row.height), veil);
    }
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    for (const QRectF& where : running) painter.drawRect(where.adjusted(1, 1, -1, -1));
    painter.fillRect(QRectF(now - 0.75, area.top(), 1.5, area.height()), theme.accent);
}

}  // namespace stagecraft::views
