// What stands between and in the place of lanes: the line below those that are pinned, and the bands of
// servers whose lanes are collapsed: the more of their devices are busy, the fuller the colour.

#include "views/common/theme.h"
#include "views/timeline/gantt_painter.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft {

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

}  // namespace stagecraft
