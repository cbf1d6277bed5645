// Stretches and instants of time over all lanes: the phases of a pipeline, and a step through its events.

#include "core/base/units.h"
#include "core/planners/iteration_text.h"
#include "views/common/theme.h"
#include "views/timeline/gantt_painter.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft {

namespace {

constexpr int phasePixels = 11;
constexpr double wordingPadding = 6;
constexpr int veilAlpha = 205;  // of 255, of what is yet to begin

/// The first of `wordings` that fits, in the part of the stretch that is in view.
/// @return whether one does
bool paintPhase(QPainter& painter, const QRectF& stretch, const QRectF& band, const QStringList& wordings) {
    const QRectF shown = stretch.intersected(band);
    for (const QString& text : wordings)
        if (painter.fontMetrics().horizontalAdvance(text) + 2 * wordingPadding <= shown.width()) {
            painter.drawText(shown, Qt::AlignCenter, text);
            return true;
        }
    return false;
}

/// A bracket that opens downwards over the lanes that it measures.
void paintBracket(QPainter& painter, const QRectF& stretch) {
    const double top = stretch.bottom() - 2;
    painter.fillRect(QRectF(stretch.left(), top, stretch.width(), 2), painter.pen().color());
    for (const double x : {stretch.left(), stretch.right() - 2})
        painter.fillRect(QRectF(x, top - 3, 2, 5), painter.pen().color());
}

}  // namespace

void paintPhases(QPainter& painter, const GanttScene& scene, const QRect& band, const TimeAxis& axis) {
    const ChartData& data = *scene.data;
    const SteadyState& steady = *data.steady;
    const Theme& theme = Theme::current();
    const QRectF inside(band);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto stretch = [&](double fromS, double toS) {
        const double left = std::max(axis.toX(fromS), inside.left() - 10);
        const double right = std::min(axis.toX(toS), inside.right() + 10);
        return QRectF(left, inside.top(), std::max(0.0, right - left), inside.height());
    };
    QFont font = painter.font();
    font.setPixelSize(phasePixels);
    painter.setFont(font);
    const QRectF startUp = stretch(axis.t0, data.startUpEndS), drain = stretch(data.drainStartS, axis.t1);
    QColor quiet = theme.mutedText;
    quiet.setAlpha(28);
    painter.fillRect(startUp, quiet);
    painter.fillRect(drain, quiet);
    painter.setPen(theme.mutedText);
    paintPhase(painter, startUp, inside, {QStringLiteral("start-up")});
    paintPhase(painter, drain, inside, {QStringLiteral("drain")});

    const QRectF measured = stretch(steady.fromS, steady.toS);
    if (measured.width() <= 0) return;
    QColor tint = theme.accent;
    tint.setAlpha(theme.dark ? 60 : 36);
    painter.fillRect(measured, tint);
    painter.setPen(theme.accent);
    paintBracket(painter, measured);
    painter.setPen(theme.text);
    const QString each = QString::fromStdString(formatSeconds(steady.miniBatchS()));
    const int count = steady.miniBatches;
    const QString between = count == 1 ? QStringLiteral(" in ") : QStringLiteral(" of ");
    const QString miniBatches =
        (count == 1 ? QStringLiteral("1 mini-batch") : QStringLiteral("%1 mini-batches").arg(count)) +
        between;
    const QString whole =
        "steady state: " + QString::fromStdString(miniBatchesText(*data.run, count)) + between + each;
    if (paintPhase(painter, measured, inside, {whole})) return;
    // Beside the bracket there is often more room than within it.
    const double free = std::max(startUp.right(), inside.left());
    const QRectF beside(free, inside.top(), measured.left() - free, inside.height());
    if (beside.intersected(inside).width() >
        painter.fontMetrics().horizontalAdvance(whole) + 2 * wordingPadding)
        painter.drawText(beside.adjusted(0, 0, -wordingPadding, 0), Qt::AlignVCenter | Qt::AlignRight, whole);
    else
        paintPhase(painter, measured, inside, {miniBatches + each, each});
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

}  // namespace stagecraft
