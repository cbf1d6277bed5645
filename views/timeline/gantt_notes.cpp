// Flags of the notes in a band above the lanes, and what in the lanes they are about.

#include "views/common/theme.h"
#include "views/timeline/gantt_painter.h"

#include <QPainter>

#include <algorithm>
#include <numeric>

namespace stagecraft {

namespace {

constexpr double noteFlagHeight = 15;
constexpr double leastFlagWidth = 9;
constexpr double mostFlagWidth = 180;
constexpr double leastTextWidth = 24;
constexpr double textMargin = 4;
constexpr int textPixels = 11;

QFont flagFont(QFont font) {
    font.setPixelSize(textPixels);
    return font;
}

/// The row of the lane that a note is about; null if it is about all of them, or its lane is not shown.
const LaneRow* rowOf(const ChartNote& note, const GanttScene& scene) {
    const int device = note.device.empty() ? -1 : scene.data->cluster().deviceIndex(note.device);
    if (device < 0 || scene.data->firstStageOf(device) < 0) return nullptr;
    const int row = scene.rowOfLane[static_cast<std::size_t>(scene.timeline().computeLaneOf(device))];
    return row < 0 ? nullptr : &scene.rows[static_cast<std::size_t>(row)];
}

void paintNoteStretch(QPainter& painter, const QRectF& where, const QColor& colour) {
    QColor tint = colour;
    tint.setAlpha(40);
    painter.fillRect(where, tint);
    painter.fillRect(QRectF(where.left(), where.top(), where.width(), 2), colour);
}

void paintLines(QPainter& painter, const GanttScene& scene, std::size_t index, double fromY,
                const QRect& area, const TimeAxis& axis) {
    const ChartNote& note = scene.notes[index];
    const bool chosen = static_cast<int>(index) == scene.chosenNote;
    const QColor colour = Theme::current().accent;
    const LaneRow* row = rowOf(note, scene);
    const double top = row ? area.top() + row->top - scene.scroll : area.top();
    const double bottom = row ? top + row->height : area.bottom() + 1;
    const double left = axis.toX(note.atS);
    if (note.untilS && (row || chosen))
        paintNoteStretch(painter, QRectF(left, top, axis.toX(*note.untilS) - left, bottom - top), colour);
    painter.setPen(QPen(colour, chosen ? 1.5 : 1, chosen ? Qt::SolidLine : Qt::DotLine));
    painter.drawLine(QPointF(left, fromY), QPointF(left, std::max(fromY, bottom)));
}

}  // namespace

std::vector<QRectF> noteFlags(const GanttScene& scene, const QRect& band, const TimeAxis& axis,
                              const QFont& font) {
    const QFontMetricsF metrics(flagFont(font));
    std::vector<QRectF> flags;
    for (std::size_t i = 0; i < scene.notes.size(); ++i) {
        const double left = axis.toX(scene.notes[i].atS);
        const double next =
            i + 1 < scene.notes.size() ? axis.toX(scene.notes[i + 1].atS) - 2 : band.right() + mostFlagWidth;
        double width = leastFlagWidth;
        if (!scene.notes[i].text.empty()) {
            const QString text = QString::fromStdString(scene.notes[i].text);
            // The chosen one lies above the others.
            const double room = static_cast<int>(i) == scene.chosenNote ? mostFlagWidth : next - left;
            width = std::min({metrics.horizontalAdvance(text) + 2 * textMargin + 1, mostFlagWidth, room});
        }
        flags.emplace_back(left, band.top() + 1, std::max(width, leastFlagWidth), noteFlagHeight);
    }
    return flags;
}

void paintNotes(QPainter& painter, const GanttScene& scene, const QRect& band, const QRect& area,
                const TimeAxis& axis) {
    painter.save();
    painter.setFont(flagFont(painter.font()));
    const QColor colour = Theme::current().accent;
    const std::vector<QRectF> flags = noteFlags(scene, band, axis, painter.font());
    std::vector<std::size_t> order(flags.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t i) { return static_cast<int>(i) != scene.chosenNote; });
    for (const std::size_t i : order) {
        const QRectF& flag = flags[i];
        const double end = scene.notes[i].untilS ? axis.toX(*scene.notes[i].untilS) : flag.left();
        if (std::max(flag.right(), end) < area.left() || flag.left() > area.right()) continue;
        painter.setRenderHint(QPainter::Antialiasing, true);
        paintLines(painter, scene, i, flag.bottom(), area, axis);
        painter.setRenderHint(QPainter::Antialiasing, false);
        QColor fill = colour;
        if (static_cast<int>(i) != scene.chosenNote) fill.setAlpha(70);
        painter.fillRect(flag, fill);
        painter.fillRect(QRectF(flag.left(), flag.top(), 2, flag.height()), colour);
        if (flag.width() < leastTextWidth) continue;
        painter.setPen(static_cast<int>(i) == scene.chosenNote ? readableOn(colour) : Theme::current().text);
        const QRectF inner = flag.adjusted(textMargin, 0, -1, 0);
        painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft,
                         painter.fontMetrics().elidedText(QString::fromStdString(scene.notes[i].text),
                                                          Qt::ElideRight, static_cast<int>(inner.width())));
    }
    painter.restore();
}

}  // namespace stagecraft
