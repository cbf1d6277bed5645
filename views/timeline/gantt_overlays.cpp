#include "views/timeline/gantt_overlays.h"

#include "core/base/units.h"
#include "core/runs/iteration_text.h"
#include "views/common/lane_list.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/figures/figure_math.h"
#include "views/timeline/block_raster.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft::views::timeline {

namespace {

/// Blocks without a row (a transfer while communication is off) are replaced by those on their other side.
std::vector<std::uint32_t> withRows(const GanttScene& scene, const std::vector<std::uint32_t>& blocks,
                                    bool backwards) {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t block : blocks) {
        if (scene.rowOf(block)) {
            found.push_back(block);
            continue;
        }
        const Neighbours beyond = scene.data->neighboursOf(block);
        for (const std::uint32_t other : backwards ? beyond.predecessors : beyond.successors)
            if (scene.rowOf(other)) found.push_back(other);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace

void findArrows(GanttScene& scene) {
    scene.arrows.clear();
    scene.weightArrows.clear();
    const std::uint32_t block = scene.selected;
    if (!scene.data || block == noBlock || !scene.rowOf(block)) return;
    const Neighbours around = scene.data->neighboursOf(block);
    for (const std::uint32_t from : withRows(scene, around.predecessors, true))
        scene.arrows.push_back({from, block});
    for (const std::uint32_t to : withRows(scene, around.successors, false))
        scene.arrows.push_back({block, to});
    if (!scene.data->runsOn()) return;
    for (const WeightArrow& arrow : scene.data->weightArrowsOf(block))
        if (scene.rowOf(arrow.from) && scene.rowOf(arrow.to)) scene.weightArrows.push_back(arrow);
}

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
    const int lane = laneOfNote(scene.data->shown(), note);
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
    const auto path = scene.data->criticalPath();
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

QColor comingVeil() {
    QColor veil = Theme::current().surface;
    veil.setAlpha(veilAlpha);
    return veil;
}

void paintStep(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Theme& theme = Theme::current();
    const QColor veil = comingVeil();
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

namespace {

constexpr double leastMarkSpacing = 6;  // pixels between updates of a lane that are told apart
constexpr std::size_t mostFlags = 600;  // more updates in view are plain lines
constexpr double flagWidth = 7, flagHeight = 5;
constexpr double leastTagWidth = 46;  // of the block beside an update, so that the tag hides no number
constexpr int leastTagHeight = 24;    // of the lane
constexpr int tagPixels = 10;
constexpr double bellwetherSide = 7;
constexpr double leastBellwetherWidth = 11;
constexpr std::size_t mostArrows = 150;  // more cannot be told apart

using Blocks = std::vector<std::uint32_t>;

/// Those of `blocks`, ascending in a lane, that start in view.
std::pair<Blocks::const_iterator, Blocks::const_iterator> inView(const Timeline& timeline,
                                                                 const Blocks& blocks, const TimeAxis& axis) {
    const auto before = [&](std::uint32_t block, double timeS) { return timeline.startS[block] < timeS; };
    auto first = std::lower_bound(blocks.begin(), blocks.end(), axis.t0, before);
    if (first != blocks.begin()) --first;  // it may reach into view
    return {first, std::lower_bound(first, blocks.end(), axis.t1, before)};
}

void paintTag(QPainter& painter, QPointF bottomRight, const QString& text) {
    const Theme& theme = Theme::current();
    QRectF tag(painter.fontMetrics().boundingRect(text));
    tag.setWidth(painter.fontMetrics().horizontalAdvance(text));
    tag.adjust(-3, 0, 3, 0);
    tag.moveBottomRight(bottomRight);
    painter.fillRect(tag, theme.text);
    painter.setPen(theme.surface);
    painter.drawText(tag, Qt::AlignCenter, text);
}

struct ArrowEnds {
    QPointF start, tip;
};

/// Arrows of predictions leave at the start of their pass, where the prediction is made; others at the end of
/// what they come from.
ArrowEnds endsOf(const GanttScene& scene, const WeightArrow& arrow, const QRect& area, const TimeAxis& axis) {
    const Timeline& timeline = scene.timeline();
    const bool predicts = arrow.kind == WeightArrow::Kind::prediction;
    const QRectF from = scene.blockRect(arrow.from, area, axis), to = scene.blockRect(arrow.to, area, axis);
    const auto bounded = [&](double timeS) {
        return std::clamp(axis.toX(timeS), area.left() - farOutside, area.right() + farOutside);
    };
    const double x0 = bounded(predicts ? timeline.startS[arrow.from] : timeline.endS[arrow.from]);
    const double x1 = bounded(timeline.startS[arrow.to]);
    if (scene.rowOf(arrow.from) == scene.rowOf(arrow.to)) {
        // Near the upper edge of the lane, which leaves its numbers free; neighbours at different heights.
        const double step = std::min(4.0, from.height() / 10);
        const double y = from.top() + step * (1 + timeline.iteration[arrow.from] % 3);
        return {{x0, y}, {x1, y}};
    }
    const bool up = to.top() < from.top();
    return {{x0, up ? from.top() + 2 : from.bottom() - 2}, {x1, up ? to.bottom() : to.top()}};
}

void paintWeightArrow(QPainter& painter, const ArrowEnds& ends, WeightArrow::Kind kind) {
    const QPointF way = ends.tip - ends.start;
    const double length = std::hypot(way.x(), way.y());
    if (length < 1) return;
    const QPointF along = way / length, across(-along.y() * 3.5, along.x() * 3.5);
    const QPointF neck = ends.tip - 8 * along;
    const QColor colour = weightArrowColour();
    painter.setPen(QPen(Theme::current().surface, 3.5));
    painter.drawLine(ends.start, neck);
    painter.setPen(QPen(colour, 1.6, kind == WeightArrow::Kind::kept ? Qt::DashLine : Qt::SolidLine));
    painter.drawLine(ends.start, neck);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF({ends.tip, neck + across, neck - across}));
    if (kind == WeightArrow::Kind::prediction) painter.drawEllipse(ends.start, 2.5, 2.5);
}

/// Predictions that span a part of what is in view; more than `mostArrows` + 1 are not looked for.
std::vector<WeightArrow> predictionsInView(const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Timeline& timeline = scene.timeline();
    const auto& all = scene.data->predictions;
    const auto before = [&](const PredictionArrow& arrow, double timeS) {
        return timeline.startS[arrow.from] < timeS;
    };
    // Made by the step and to come true after it.
    const double beginS = std::max(axis.t0, scene.stepS.value_or(axis.t0));
    const double endS = std::min(axis.t1, scene.stepS.value_or(axis.t1));
    std::vector<WeightArrow> found;
    for (auto it = std::lower_bound(all.begin(), all.end(), beginS - scene.data->longestPredictionS, before);
         it != all.end() && timeline.startS[it->from] <= endS && found.size() <= mostArrows; ++it) {
        if (timeline.startS[it->toUpdate] < beginS) continue;
        const LaneRow *from = scene.rowOf(it->from), *to = scene.rowOf(it->toUpdate);
        if (from && to && (scene.isInView(*from, area) || scene.isInView(*to, area)))
            found.push_back({WeightArrow::Kind::prediction, it->from, it->toUpdate});
    }
    return found;
}

void tellTooMany(QPainter& painter, const QRect& area) {
    const Theme& theme = Theme::current();
    const QString text =
        QStringLiteral("Too many predictions to show their arrows: zoom in or select a block");
    QRectF label(painter.fontMetrics().boundingRect(text));
    label.adjust(-8, -4, 8, 4);
    label.moveTopRight(QPointF(area.right() - 8, area.top() + 8));
    painter.setBrush(theme.raised);
    painter.setPen(theme.line);
    painter.drawRect(label);
    painter.setPen(theme.text);
    painter.drawText(label, Qt::AlignCenter, text);
}

}  // namespace

QColor weightArrowColour() {
    return Theme::current().dark ? QColor(0xFF, 0x6B, 0x8B) : QColor(0xC4, 0x15, 0x3F);
}

void drawUpdateMark(QPainter& painter, QPointF top, double height) {
    const Theme& theme = Theme::current();
    painter.fillRect(QRectF(top.x() - 1.5, top.y(), 3, height), theme.surface);
    painter.fillRect(QRectF(top.x() - 0.75, top.y(), 1.5, height), theme.text);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.text);
    painter.drawPolygon(QPolygonF(
        {top + QPointF(-flagWidth / 2, 0), top + QPointF(flagWidth / 2, 0), top + QPointF(0, flagHeight)}));
}

void drawBellwether(QPainter& painter, QPointF corner, double side, const QColor& colour) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF({corner, corner + QPointF(side, 0), corner + QPointF(0, side)}));
}

void paintUpdates(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Timeline& timeline = scene.timeline();
    std::vector<std::uint32_t> shown;
    for (const LaneRow& row : scene.rows) {
        if (!scene.isInView(row, area)) continue;
        const Blocks& updates = scene.data->marks[static_cast<std::size_t>(row.lane)].updates;
        const auto [first, last] = inView(timeline, updates, axis);
        if (area.width() >= leastMarkSpacing * static_cast<double>(last - first))
            shown.insert(shown.end(), first, last);
    }
    if (shown.size() > mostFlags) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        for (const std::uint32_t update : shown) {
            const QRectF mark = scene.blockRect(update, area, axis);
            painter.fillRect(QRectF(std::floor(mark.center().x()), mark.top(), 1, mark.height()),
                             Theme::current().text);
        }
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    QFont font = painter.font();
    font.setPixelSize(tagPixels);
    painter.setFont(font);
    for (const std::uint32_t update : shown) {
        const QRectF mark = scene.blockRect(update, area, axis);
        drawUpdateMark(painter, {mark.center().x(), mark.top()}, mark.height());
        const double room = update > 0 ? scene.blockRect(update - 1, area, axis).width() : 0;
        if (mark.height() >= leastTagHeight && room >= leastTagWidth)
            paintTag(painter, {mark.center().x() - 0.75, mark.bottom()},
                     QString::number(timeline.iteration[update]));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintBellwethers(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Timeline& timeline = scene.timeline();
    const auto classes = scene.classes().column(timeline);
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const LaneRow& row : scene.rows) {
        if (!scene.isInView(row, area)) continue;
        const Blocks& blocks = scene.data->marks[static_cast<std::size_t>(row.lane)].bellwethers;
        const auto [first, last] = inView(timeline, blocks, axis);
        if (area.width() < (last - first) * leastBellwetherWidth) continue;
        for (auto block = first; block != last; ++block) {
            const QRectF where = scene.blockRect(*block, area, axis);
            if (where.width() < leastBellwetherWidth) continue;
            const QColor fill = scene.classes().shownColour(classes[*block]);
            drawBellwether(painter, where.topLeft() + QPointF(1, 1),
                           std::min(bellwetherSide, where.height() / 2), readableOn(fill));
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintWeightArrows(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    std::vector<WeightArrow> all;
    const bool own = scene.selected != noBlock && !scene.weightArrows.empty();
    if (!own && scene.predictions) all = predictionsInView(scene, area, axis);
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (all.size() > mostArrows)
        tellTooMany(painter, area);
    else
        for (const WeightArrow& arrow : own ? scene.weightArrows : all)
            paintWeightArrow(painter, endsOf(scene, arrow, area, axis), arrow.kind);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

namespace {
constexpr double leastPlannedWidth = 4;  // pixels
constexpr double plannedOverhang = 2;    // above and below the row
constexpr std::size_t mostPlannedInLane = 1200;
}  // namespace

void paintPlanned(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(plannedPen());
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const LaneRow& row : scene.rows) {
        if (!scene.isInView(row, area)) continue;
        const std::vector<PlannedTime>& planned = scene.planned->inLane(row.lane);
        auto first = std::ranges::lower_bound(planned, axis.t0, {}, &PlannedTime::startS);
        if (first != planned.begin()) --first;
        const auto last = std::ranges::lower_bound(planned, axis.t1, {}, &PlannedTime::startS);
        if (static_cast<std::size_t>(last - first) > mostPlannedInLane) continue;
        for (auto it = first; it < last; ++it) {
            const double left = std::max(axis.toX(it->startS), area.left() - 10.0);
            const double right = std::min(axis.toX(it->endS), area.right() + 10.0);
            if (right - left < leastPlannedWidth) continue;
            painter.drawRect(QRectF(left, area.top() + row.top - scene.scroll - plannedOverhang, right - left,
                                    row.height + 2 * plannedOverhang));
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace stagecraft::views::timeline
