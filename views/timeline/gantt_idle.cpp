// An idle stretch that was asked about, and the chain of blocks that it waits for.

#include "views/common/theme.h"
#include "views/timeline/gantt_painter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::size_t mostLit = 400;  // more in view are too dense to be followed by eye
constexpr int dimmed = 150;           // of 255, over what does not belong to the chain

QRectF within(QRectF rectangle, const QRect& area) {
    rectangle.setLeft(std::max(rectangle.left(), area.left() - 10.0));
    rectangle.setRight(std::min(rectangle.right(), area.right() + 10.0));
    return rectangle;
}

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
    return within({left, double(area.top() + row.top - scene.scroll), right - left, double(row.height)},
                  area);
}

}  // namespace

void paintIdleCause(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Theme& theme = Theme::current();
    const std::vector<std::uint32_t> blocks = linksInView(scene, axis);
    if (blocks.size() > mostLit) return;
    const QRectF stretch = stretchRect(scene, area, axis);
    QPainterPath lit;
    std::vector<QRectF> outlines;
    for (const std::uint32_t block : blocks) {
        const QRectF where = within(scene.blockRect(block, area, axis), area);
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

}  // namespace stagecraft
