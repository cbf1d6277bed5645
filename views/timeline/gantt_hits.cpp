// What a search has found: the rest is faint.

#include "views/common/theme.h"
#include "views/timeline/gantt_painter.h"

#include <QPainter>

namespace stagecraft {

namespace {
constexpr float hitFaintness = 0.78f;
constexpr int hitLineHeight = 3;  // under what was found, so that it is seen where it is short
}  // namespace

void paintHits(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Theme& theme = Theme::current();
    const QColor veil = theme.surface;
    const int count = std::max(1, area.width());
    QImage line(count, 1, QImage::Format_ARGB32_Premultiplied);
    std::vector<BlockHits::Column> columns;
    for (const LaneRow& row : scene.rows) {
        if (!scene.isInView(row, area)) continue;
        scene.hits->columns(row.lane, axis.t0, axis.spanS() / count, count, columns);
        auto* pixels = reinterpret_cast<QRgb*>(line.scanLine(0));
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const int alpha = static_cast<int>(255 * hitFaintness * (1 - columns[c].share));
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

}  // namespace stagecraft
