#include "views/timeline/gantt_band.h"

#include "core/base/units.h"
#include "core/runs/iteration_text.h"
#include "views/common/lane_list.h"
#include "views/common/small_font.h"
#include "views/common/theme.h"
#include "views/figures/figure_math.h"

#include <QPainter>

#include <algorithm>
#include <numeric>

namespace stagecraft::views {

namespace {

constexpr int phaseBandHeight = 18;
constexpr int noteBandHeight = 18;
constexpr int phasePixels = 11;
constexpr double wordingPadding = 6;

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

constexpr double noteFlagHeight = 15;
constexpr double leastFlagWidth = 9;
constexpr double mostFlagWidth = 180;
constexpr double leastTextWidth = 24;
constexpr double textMargin = 4;

/// The row of the lane that a note is about; null if it is about all of them, or its lane is not shown.
const LaneRow* rowOf(const ChartNote& note, const GanttScene& scene) {
    const int lane = laneOfNote(*scene.data->run, note);
    const int row = lane < 0 ? -1 : scene.rowOfLane[static_cast<std::size_t>(lane)];
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

/// Start-up, steady state and drain; the part over which the time per mini-batch is measured has a bracket.
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
    if (!steady.repeats) {
        // What it lasts is not the time per mini-batch.
        paintPhase(
            painter, measured, inside,
            {QStringLiteral("later half; nothing repeats yet"), QStringLiteral("nothing repeats yet")});
        return;
    }
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

/// Where the flags are, in the order of the notes; a flag has as much of its text as fits before the next.
std::vector<QRectF> noteFlags(const GanttScene& scene, const QRect& band, const TimeAxis& axis,
                              const QFont& font) {
    const QFontMetricsF metrics(smallFont(font));
    std::vector<QRectF> flags;
    for (std::size_t i = 0; i < scene.notes.size(); ++i) {
        const double left = axis.toX(scene.notes[i].atS);
        const double next =
            i + 1 < scene.notes.size() ? axis.toX(scene.notes[i + 1].atS) - 2 : band.right() + mostFlagWidth;
        double width = leastFlagWidth;
        if (!scene.notes[i].text.empty()) {
            const QString text = mathAsText(QString::fromStdString(scene.notes[i].text));
            // The chosen one is above the others.
            const double room = static_cast<int>(i) == scene.chosenNote ? mostFlagWidth : next - left;
            width = std::min({metrics.horizontalAdvance(text) + 2 * textMargin + 1, mostFlagWidth, room});
        }
        flags.emplace_back(left, band.top() + 1, std::max(width, leastFlagWidth), noteFlagHeight);
    }
    return flags;
}

/// Flags, and lines down to what they are about.
void paintNotes(QPainter& painter, const GanttScene& scene, const QRect& band, const QRect& area,
                const TimeAxis& axis) {
    painter.save();
    painter.setFont(smallFont(painter.font()));
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
        painter.drawText(
            inner, Qt::AlignVCenter | Qt::AlignLeft,
            painter.fontMetrics().elidedText(mathAsText(QString::fromStdString(scene.notes[i].text)),
                                             Qt::ElideRight, static_cast<int>(inner.width())));
    }
    painter.restore();
}

/// The upper part of the band.
QRect noteBand(const GanttScene& scene, const QRect& area) {
    return {area.left(), area.top() - heightAboveLanes(scene), area.width(), noteBandHeight};
}

}  // namespace

int heightAboveLanes(const GanttScene& scene) {
    return (scene.data && scene.data->steady ? phaseBandHeight : 0) +
           (scene.notes.empty() ? 0 : noteBandHeight);
}

void paintBand(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    if (scene.data->steady)
        paintPhases(painter, scene,
                    {area.left(), area.top() - phaseBandHeight, area.width(), phaseBandHeight}, axis);
    if (!scene.notes.empty()) paintNotes(painter, scene, noteBand(scene, area), area, axis);
}

int noteAt(const GanttScene& scene, const QRect& area, const TimeAxis& axis, const QFont& font,
           QPointF position) {
    const QRect band = noteBand(scene, area);
    if (scene.notes.empty() || !QRectF(band).contains(position)) return -1;
    const std::vector<QRectF> flags = noteFlags(scene, band, axis, font);
    if (scene.chosenNote >= 0 && flags[static_cast<std::size_t>(scene.chosenNote)].contains(position))
        return scene.chosenNote;
    for (std::size_t i = flags.size(); i-- > 0;)  // later ones are above
        if (flags[i].contains(position)) return static_cast<int>(i);
    return -1;
}

QString noteCard(const GanttScene& scene, int note) {
    const ChartNote& it = scene.notes[static_cast<std::size_t>(note)];
    QString html = QStringLiteral("<b>%1</b>")
                       .arg(QString::fromStdString(formatInstant(it.atS, scene.data->endS / 1000)));
    if (it.untilS)
        html += QStringLiteral(" to <b>%1</b>")
                    .arg(QString::fromStdString(formatInstant(*it.untilS, scene.data->endS / 1000)));
    if (it.block)
        html +=
            QStringLiteral("<br>%1").arg(QString::fromStdString(blockNameText(*it.block)).toHtmlEscaped());
    if (!it.device.empty())
        html += QStringLiteral(" on %1").arg(QString::fromStdString(it.device).toHtmlEscaped());
    if (!it.text.empty())
        html += QStringLiteral("<br>%1").arg(QString::fromStdString(it.text).toHtmlEscaped());
    return html;
}

}  // namespace stagecraft::views
