#include "views/resources/memory_painter.h"

#include "core/analysis/memory_lack.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "views/common/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::resources {

namespace {

constexpr double memoryHeadroom = 1.15;   // above the highest thing shown: its label
constexpr double limitInSightFrom = 0.2;  // of the limit in use: below that the limit is written, not drawn
constexpr int gridSpacing = 36;
constexpr double paleness = 0.6;
constexpr double hatchPaleness = 0.85;
constexpr int hatchPeriod = 6;  // in line widths
constexpr double peakRadius = 3.5;
/// Of so many columns in all lines the thread that paints has time in a frame, less what it takes to begin
/// each line and for its dot. More lines have wider columns.
constexpr std::size_t mostColumns = 250'000, columnsALineTakes = 125, leastColumns = 50'000;

/// A step of 1, 2, 4, … 512 of a binary unit, or a decimal one above that.
double byteStep(double least) {
    double step = 1;
    while (step < least) step *= 2;
    return step;
}

/// Of a plan of which no more is known; the list beside the chart has other marks.
QString outputsMark(const ChartData& data) {
    if (!data.run || saysMemory(data.run->costs->problem().profile)) return {};
    return QStringLiteral(" of ") + outputsAloneMark;
}

}  // namespace

QColor savedColour(SavedBand band) {
    return shownBlockColour(band == SavedBand::swap ? BlockKind::swapOut : BlockKind::recompute);
}

std::map<double, int> MemoryScene::limits() const {
    std::map<double, int> found;
    for (std::size_t i = 0; i < data->memory.size(); ++i) {
        if (!shows(i)) continue;
        const double own = askedLimitBytes > 0 ? askedLimitBytes : data->memory[i].curve().limitBytes;
        if (own > 0) found[own] += static_cast<int>(data->memory[i].devices.size());
    }
    return found;
}

double MemoryScene::limitBytes() const {
    if (askedLimitBytes > 0) return askedLimitBytes;
    const std::map<double, int> all = limits();
    return all.empty() ? 0 : all.begin()->first;
}

double MemoryScene::ceilingBytes() const {
    double peak = 0;
    for (std::size_t i = 0; i < data->memory.size(); ++i)
        if (shows(i)) peak = std::max(peak, data->memory[i].peakBytes());
    if (series >= 0)
        if (const auto* saved = data->memory[static_cast<std::size_t>(series)].saved())
            peak = std::max(peak, saved->kept.peakBytes());
    const double limit = limitBytes();
    if (peak >= limitInSightFrom * limit) peak = std::max(peak, limit);
    return std::max(1.0, peak * memoryHeadroom);
}

int MemoryScene::describedSeries() const {
    if (series >= 0) return series;
    if (emphasised >= 0) return emphasised;
    int highest = -1;
    for (std::size_t i = 0; i < data->memory.size(); ++i)
        if (shows(i) && (highest < 0 || data->memory[i].peakBytes() >
                                            data->memory[static_cast<std::size_t>(highest)].peakBytes()))
            highest = static_cast<int>(i);
    return highest;
}

QColor MemoryScene::colourOf(std::size_t index) const {
    const int stage = data->firstStageOf(data->memory[index].devices.front());
    return stageLineColour(stage, data->plan().stageCount());
}

void MemoryPainter::paint(QPainter& painter, const MemoryScene& scene, const QRect& area,
                          const TimeAxis& axis) {
    const double ceiling = scene.ceilingBytes(), step = byteStep(ceiling * gridSpacing / area.height());
    std::vector<Level> levels;
    for (double bytes = step; bytes < ceiling; bytes += step)
        levels.push_back({bytes, QString::fromStdString(formatBytes(bytes))});
    if (!begin(painter, area, axis, ceiling, levels)) return;
    const double columnS = axis.spanS() / image().width();
    if (scene.series >= 0)
        paintStack(scene, columnS, axis.t0);
    else
        paintLines(scene, columnS, axis.t0);
    paintImage(painter, area);
    if (scene.askedS) {
        painter.setPen(QPen(Theme::current().accent, 1, Qt::DashLine));
        const double x = std::floor(axis.toX(*scene.askedS)) + 0.5;
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom() + 1));
    }
    limitNote_ = peakNote_ = {};
    paintLimits(painter, scene, area, ceiling);
    // No dot is on a label.
    paintPeaks(painter, scene, area, axis, labelsRight(painter, area, levels));
    paintLabels(painter, area, levels, limitNote_);
}

void MemoryPainter::paintLimits(QPainter& painter, const MemoryScene& scene, const QRect& area,
                                double ceiling) {
    const std::map<double, int> limits = scene.limits();
    for (const auto& [limit, devices] : limits) {
        if (limit > ceiling && limit != limits.begin()->first) break;
        QString text = "limit " + QString::fromStdString(formatBytes(limit));
        if (limits.size() > 1) text += QString(" of %1 GPU%2").arg(devices).arg(devices == 1 ? "" : "s");
        const QRectF note =
            paintLimit(painter, area, limit, Theme::current().error, limit <= ceiling ? text : text + " ↑");
        limitNote_ = limitNote_.united(note);
    }
}

/// A dot on the peak of each series, and its value and instant beside the highest of those that count.
/// Clear of the axis' labels, which end at `left`.
void MemoryPainter::paintPeaks(QPainter& painter, const MemoryScene& scene, const QRect& area,
                               const TimeAxis& axis, double left) {
    const Theme& theme = Theme::current();
    const int told = scene.describedSeries();
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (int i = 0; i < static_cast<int>(scene.data->memory.size()); ++i) {
        if (!scene.shows(static_cast<std::size_t>(i))) continue;
        const MemorySeries& series = scene.data->memory[static_cast<std::size_t>(i)];
        const QPointF at = peakPoint(series, area, axis);
        if (at.x() < area.left() || at.x() > area.right() + 1) continue;
        painter.setPen(QPen(theme.surface, 1));
        painter.setBrush(scene.series >= 0 ? theme.text : scene.colourOf(static_cast<std::size_t>(i)));
        painter.drawEllipse(at, peakRadius, peakRadius);
        if (i != told) continue;
        paintPeakNote(painter, series, at, outputsMark(*scene.data),
                      QRectF(QPointF(left, area.top()), QPointF(area.right(), area.bottom())));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// Where there is no room for the instant the value alone; the list beside the chart has both.
void MemoryPainter::paintPeakNote(QPainter& painter, const MemorySeries& series, const QPointF& at,
                                  const QString& mark, const QRectF& room) {
    const QString value =
        QStringLiteral("peak ") + QString::fromStdString(formatBytes(series.peakBytes())) + mark;
    for (const QString& text :
         {value + QStringLiteral(" at ") + QString::fromStdString(formatSeconds(series.peakTimeS())),
          value}) {
        peakNote_ = placeBeside(at, QSizeF(noteWidth(painter, text), noteHeight), room, limitNote_);
        if (peakNote_.isEmpty()) continue;
        return paintNote(painter, peakNote_, text, Theme::current().text);
    }
}

QPointF MemoryPainter::peakPoint(const MemorySeries& series, const QRect& area, const TimeAxis& axis) const {
    return {axis.toX(series.peakTimeS()) + 0.5, yOf(series.peakBytes(), area)};
}

void MemoryPainter::paintLines(const MemoryScene& scene, double columnS, double t0S) {
    const std::size_t lines = scene.data->memory.size();
    const std::size_t columns = lines * static_cast<std::size_t>(image().width());
    const std::size_t most =
        std::max(mostColumns - std::min(mostColumns, lines * columnsALineTakes), leastColumns);
    const int wide = static_cast<int>((columns + most - 1) / most);
    for (std::size_t i = 0; i < lines; ++i)
        if (static_cast<int>(i) != scene.emphasised && scene.shows(i))
            paintSeries(scene.data->memory[i], lineColour(scene, i), wide, columnS, t0S);
    if (scene.emphasised >= 0) {
        const auto top = static_cast<std::size_t>(scene.emphasised);
        paintSeries(scene.data->memory[top], lineColour(scene, top), 1, columnS, t0S);
    }
}

QRgb MemoryPainter::lineColour(const MemoryScene& scene, std::size_t series) {
    const QRgb colour = scene.colourOf(series).rgb();
    const bool faint = scene.emphasised >= 0 && static_cast<int>(series) != scene.emphasised;
    return faint ? towards(colour, Theme::current().surface.rgb(), lineFaintness) : colour;
}

/// The highest total in each column, `wide` pixels of it, as a line; where it is lower for a part of the
/// column, a paler band below, which never covers a line.
void MemoryPainter::paintSeries(const MemorySeries& series, QRgb colour, int wide, double columnS,
                                double t0S) {
    const QRgb pale = towards(colour, Theme::current().surface.rgb(), paleness);
    series.extremes(t0S, columnS * wide, (image().width() + wide - 1) / wide, columns_);
    const int height = image().height(), width = image().width();
    double lastHigh = -1, lastLow = -1;
    int highRow = 0, lowRow = 0, before = -1;
    for (int c = 0; c < static_cast<int>(columns_.size()); ++c) {
        const MemorySeries::Extremes& column = columns_[static_cast<std::size_t>(c)];
        if (column.highBytes != lastHigh || column.lowBytes != lastLow) {
            highRow = rowOf(lastHigh = column.highBytes);
            lowRow = rowOf(lastLow = column.lowBytes);
        }
        const int from = before < 0 ? highRow : std::min(highRow, before);
        const int to = std::min((before < 0 ? highRow : std::max(highRow, before)) + thickness(), height);
        QRgb* left = columnAt(at(c * wide));
        const int across = std::min(wide, width - c * wide);
        for (int y = from; y < to; ++y) {
            QRgb* row = left + static_cast<std::size_t>(y) * stride();
            row[0] = colour;  // from where the line was before
            if (y >= highRow && y < highRow + thickness()) std::fill(row + 1, row + across, colour);
        }
        for (int y = std::min(to, highRow + thickness()); y < std::min(lowRow + 1, height); ++y) {
            QRgb* row = left + static_cast<std::size_t>(y) * stride();
            for (int x = 0; x < across; ++x)
                if (qAlpha(row[x]) == 0) row[x] = pale;
        }
        before = highRow;
    }
}

/// The kinds at the instant of each column at which most is held.
void MemoryPainter::paintStack(const MemoryScene& scene, double columnS, double t0S) {
    const MemorySeries& series = scene.data->memory[static_cast<std::size_t>(scene.series)];
    series.extremes(t0S, columnS, image().width(), columns_);
    if (series.saved()) paintSaved(series, columnS, t0S);
    for (std::size_t x = 0; x < columns_.size(); ++x) {
        if (columns_[x].highBytes <= 0) continue;
        const std::uint32_t step = series.highestStep(columns_[x]);
        double below = 0;
        int bottom = image().height();
        for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
            below += series.curve().bytes()[kind][step];
            const int top = rowOf(below);
            paintColumn(x, top, bottom, memoryColour(static_cast<MemoryKind>(kind)).rgb());
            bottom = std::min(bottom, top);
        }
    }
}

/// From what is held up to what would be: what swap keeps out of memory, and above it what recompute does, at
/// the instant of each column at which most would be held.
void MemoryPainter::paintSaved(const MemorySeries& series, double columnS, double t0S) {
    const MemorySeries::Saved& saved = *series.saved();
    const QRgb swap = savedColour(SavedBand::swap).rgb(), recompute = savedColour(SavedBand::recompute).rgb();
    saved.kept.extremes(t0S, columnS, image().width(), keptColumns_);
    for (std::size_t x = 0; x < keptColumns_.size(); ++x) {
        if (keptColumns_[x].highBytes <= 0) continue;
        const std::uint32_t step = saved.kept.highestStep(keptColumns_[x]);
        const double kept = keptColumns_[x].highBytes;
        const double left = std::max(0.0, saved.memory->byRecompute[step]);
        const int top = rowOf(kept), between = rowOf(kept - left), bottom = rowOf(columns_[x].highBytes);
        paintHatched(x, between, bottom, swap, 1);
        paintHatched(x, top, std::min(between, bottom), recompute, -1);
    }
}

/// A pale band with slanting lines and an edge on top; `lean` 1 or -1 is where the lines lean.
void MemoryPainter::paintHatched(std::size_t x, int from, int to, QRgb colour, int lean) {
    if (from >= to) return;
    const QRgb pale = towards(colour, Theme::current().surface.rgb(), hatchPaleness);
    paintColumn(x, from, to, pale);
    const int period = hatchPeriod * thickness();
    for (int y = from; y < to; ++y)
        if (const int slant = static_cast<int>(x) + lean * y;
            ((slant % period) + period) % period < thickness())
            paintColumn(x, y, y + 1, colour);
    paintColumn(x, from, std::min(to, from + thickness()), colour);
}

}  // namespace stagecraft::views::resources
