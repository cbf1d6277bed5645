#include "views/gantt/memory_painter.h"

#include "core/model/units.h"
#include "views/common/theme.h"

#include <QColor>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr double tickSpacing = 110;       // as the axis below
constexpr double headroom = 1.12;         // above the highest thing shown
constexpr double limitInSightFrom = 0.2;  // of the limit in use: below that the limit is told, not drawn
constexpr int labelPixels = 11;
constexpr int gridSpacing = 36;
constexpr float faintness = 0.75f;
constexpr float paleness = 0.6f;

/// A step of 1, 2, 4, … 512 of a binary unit, or a decimal one above that.
double byteStep(double least) {
    double step = 1;
    while (step < least) step *= 2;
    return step;
}

QRgb faded(QRgb colour, QRgb towards, float part) {
    const auto channel = [part](int a, int b) { return static_cast<int>(float(a) + part * float(b - a)); };
    return qRgb(channel(qRed(colour), qRed(towards)), channel(qGreen(colour), qGreen(towards)),
                channel(qBlue(colour), qBlue(towards)));
}

void paintGrid(QPainter& painter, const QRect& area, const TimeAxis& axis, double ceiling) {
    const Theme& theme = Theme::current();
    QColor line = theme.line;
    line.setAlphaF(0.6f);
    for (const TimeTick& tick : timeTicks(axis, tickSpacing))
        painter.fillRect(QRectF(std::floor(axis.toX(tick.timeS)), area.top(), 1, area.height()), line);
    const double step = byteStep(ceiling * gridSpacing / area.height());
    for (double bytes = step; bytes < ceiling; bytes += step) {
        const double y = area.bottom() + 1 - bytes / ceiling * area.height();
        painter.fillRect(QRectF(area.left(), std::floor(y), area.width(), 1), line);
    }
}

void paintScale(QPainter& painter, const QRect& area, double ceiling) {
    const Theme& theme = Theme::current();
    const double step = byteStep(ceiling * gridSpacing / area.height());
    for (double bytes = step; bytes < ceiling; bytes += step) {
        const double y = std::floor(area.bottom() + 1 - bytes / ceiling * area.height());
        const QString text = QString::fromStdString(formatBytes(bytes));
        const QRectF where(area.left() + 4, y - 15, painter.fontMetrics().horizontalAdvance(text) + 8, 14);
        if (where.top() < area.top()) continue;
        painter.fillRect(where, theme.surface);  // curves pass behind
        painter.setPen(theme.mutedText);
        painter.drawText(where, Qt::AlignCenter, text);
    }
}

void paintLimit(QPainter& painter, const QRect& area, double limit, double ceiling) {
    if (limit <= 0) return;
    const Theme& theme = Theme::current();
    const bool inSight = limit <= ceiling;
    const double y = inSight ? area.bottom() + 1 - limit / ceiling * area.height() : area.top() + 1;
    QString text = "limit " + QString::fromStdString(formatBytes(limit));
    if (inSight) {
        QPen pen(theme.error, 1.5, Qt::CustomDashLine);
        pen.setDashPattern({6, 4});
        painter.setPen(pen);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right() + 1, y));
    } else {
        text += " ↑";
    }
    const double width = painter.fontMetrics().horizontalAdvance(text) + 8;
    QRectF where(area.right() - width - 4, y + 2, width, 14);
    if (where.bottom() > area.bottom()) where.moveBottom(y - 2);
    painter.fillRect(where, theme.surface);
    painter.setPen(inSight ? theme.error : theme.mutedText);
    painter.drawText(where, Qt::AlignCenter, text);
}

}  // namespace

double MemoryScene::limitBytes() const {
    if (askedLimitBytes > 0) return askedLimitBytes;
    double limit = 0;
    for (std::size_t i = 0; i < data->memory.size(); ++i) {
        if (series >= 0 && static_cast<int>(i) != series) continue;
        const double own = data->memory[i].curve().limitBytes;
        if (own > 0 && (limit == 0 || own < limit)) limit = own;
    }
    return limit;
}

double MemoryScene::ceilingBytes() const {
    double peak = 0;
    for (std::size_t i = 0; i < data->memory.size(); ++i)
        if (series < 0 || static_cast<int>(i) == series) peak = std::max(peak, data->memory[i].peakBytes());
    const double limit = limitBytes();
    if (peak >= limitInSightFrom * limit) peak = std::max(peak, limit);
    return std::max(1.0, peak * headroom);
}

QColor MemoryScene::colourOf(std::size_t index) const {
    const int stage = data->firstStageOf(data->memory[index].devices.front());
    return stage < 0 ? Theme::current().mutedText : stageColour(stage, data->plan().stageCount());
}

int MemoryPainter::rowOf(double bytes) const {
    const int height = image_.height();
    return std::clamp(height - static_cast<int>(std::lround(bytes / ceiling_ * height)), 0, height);
}

void MemoryPainter::paint(QPainter& painter, const MemoryScene& scene, const QRect& area,
                          const TimeAxis& axis) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    ceiling_ = scene.ceilingBytes();
    paintGrid(painter, area, axis, ceiling_);
    const double scale = painter.deviceTransform().m11();
    thickness_ = std::max(1, qRound(1.5 * scale));
    const QSize size(qRound(area.width() * scale), qRound(area.height() * scale));
    if (size.isEmpty()) return;
    if (image_.size() != size) image_ = QImage(size, QImage::Format_ARGB32_Premultiplied);
    image_.fill(Qt::transparent);
    const double columnS = axis.spanS() / size.width();
    if (scene.series >= 0)
        paintStack(scene, columnS, axis.t0);
    else
        paintLines(scene, columnS, axis.t0);
    painter.drawImage(QRectF(area), image_, QRectF(image_.rect()));
    QFont font = painter.font();
    font.setPixelSize(labelPixels);
    painter.setFont(font);
    paintLimit(painter, area, scene.limitBytes(), ceiling_);
    paintScale(painter, area, ceiling_);
}

void MemoryPainter::paintLines(const MemoryScene& scene, double columnS, double t0S) {
    for (std::size_t i = 0; i < scene.data->memory.size(); ++i)
        if (static_cast<int>(i) != scene.emphasised)
            paintSeries(scene.data->memory[i], scene.colourOf(i).rgb(), scene.emphasised >= 0, columnS, t0S);
    if (scene.emphasised >= 0) {
        const auto top = static_cast<std::size_t>(scene.emphasised);
        paintSeries(scene.data->memory[top], scene.colourOf(top).rgb(), false, columnS, t0S);
    }
}

/// The highest total in each column as a line; where it is lower for a part of the column, a paler band
/// below, which never covers a line.
void MemoryPainter::paintSeries(const MemorySeries& series, QRgb colour, bool faint, double columnS,
                                double t0S) {
    const QRgb surface = Theme::current().surface.rgb();
    if (faint) colour = faded(colour, surface, faintness);
    const QRgb pale = faded(colour, surface, paleness);
    series.extremes(t0S, columnS, image_.width(), columns_);
    const auto stride = static_cast<std::size_t>(image_.bytesPerLine()) / sizeof(QRgb);
    auto* pixels = reinterpret_cast<QRgb*>(image_.bits());
    double lastHigh = -1, lastLow = -1;
    int highRow = 0, lowRow = 0, before = -1;
    for (std::size_t x = 0; x < columns_.size(); ++x) {
        const MemorySeries::Extremes& column = columns_[x];
        if (column.highBytes != lastHigh || column.lowBytes != lastLow) {
            highRow = rowOf(lastHigh = column.highBytes);
            lowRow = rowOf(lastLow = column.lowBytes);
        }
        const int from = before < 0 ? highRow : std::min(highRow, before);
        const int to =
            std::min((before < 0 ? highRow : std::max(highRow, before)) + thickness_, image_.height());
        for (int y = from; y < to; ++y) pixels[static_cast<std::size_t>(y) * stride + x] = colour;
        for (int y = to; y < std::min(lowRow + 1, image_.height()); ++y) {
            QRgb& pixel = pixels[static_cast<std::size_t>(y) * stride + x];
            if (qAlpha(pixel) == 0) pixel = pale;
        }
        before = highRow;
    }
}

/// The kinds at the instant of each column at which most is held.
void MemoryPainter::paintStack(const MemoryScene& scene, double columnS, double t0S) {
    const MemorySeries& series = scene.data->memory[static_cast<std::size_t>(scene.series)];
    series.extremes(t0S, columnS, image_.width(), columns_);
    const auto stride = static_cast<std::size_t>(image_.bytesPerLine()) / sizeof(QRgb);
    auto* pixels = reinterpret_cast<QRgb*>(image_.bits());
    for (std::size_t x = 0; x < columns_.size(); ++x) {
        if (columns_[x].highBytes <= 0) continue;
        const std::uint32_t step = series.highestStep(columns_[x]);
        double below = 0;
        int bottom = image_.height();
        for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
            below += series.curve().bytes[kind][step];
            const int top = rowOf(below);
            const QRgb colour = memoryColour(static_cast<MemoryKind>(kind)).rgb();
            for (int y = top; y < bottom; ++y) pixels[static_cast<std::size_t>(y) * stride + x] = colour;
            bottom = std::min(bottom, top);
        }
    }
}

}  // namespace stagecraft
