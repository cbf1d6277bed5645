#include "views/play/memory_strip.h"

#include "core/analysis/memory_lack.h"
#include "core/base/units.h"
#include "views/common/theme.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::play {

namespace {
constexpr double seriesWidth = 0.13;  // of the type's height
constexpr double comingOpacity = 0.3;

/// So that curves below it do not hinder reading.
void paintOnGround(QPainter& painter, const QRectF& where, const QString& text, const QColor& colour) {
    QColor behind = Theme::current().surface;
    behind.setAlphaF(0.8f);
    painter.fillRect(where, behind);
    painter.setPen(colour);
    painter.drawText(where, Qt::AlignCenter, text);
}

}  // namespace

void MemoryStrip::paint(QPainter& painter, const QRect& area, const TimeAxis& axis, double fullBytes,
                        double timeS) {
    if (area.isEmpty() || fullBytes <= 0) return;
    const double line = std::max(1.0, std::round(seriesWidth * painter.font().pixelSize()));
    const Drawn wanted{
        area, axis.t0, axis.t1, fullBytes, painter.deviceTransform().m11(), line, Theme::current().dark};
    if (wanted != drawn_) drawLines(wanted, axis);
    const double now = std::clamp(axis.toX(timeS), double(area.left()), area.right() + 1.0);
    painter.save();
    for (const bool coming : {false, true}) {
        const double from = coming ? now : area.left(), to = coming ? area.right() + 1.0 : now;
        painter.setClipRect(QRectF(from, area.top(), to - from, area.height()));
        painter.setOpacity(coming ? comingOpacity : 1);
        painter.drawImage(area.topLeft(), lines_);
    }
    painter.restore();
    painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), Theme::current().line);
    paintPeak(painter, area, axis, fullBytes, paintLimit(painter, area, fullBytes));
}

/// Only when they change, which they do not while time runs in what is in view.
void MemoryStrip::drawLines(const Drawn& wanted, const TimeAxis& axis) {
    drawn_ = wanted;
    lines_ = QImage(wanted.area.size() * wanted.scale, QImage::Format_ARGB32_Premultiplied);
    lines_.setDevicePixelRatio(wanted.scale);
    lines_.fill(Qt::transparent);
    QPainter painter(&lines_);
    for (const MemorySeries& series : data_->memory) drawSeries(painter, series, axis);
}

void MemoryStrip::drawSeries(QPainter& painter, const MemorySeries& series, const TimeAxis& axis) {
    series.extremes(axis.t0, axis.secondsPerPixel(), drawn_.area.width(), columns_);
    const int stage = data_->firstStageOf(series.devices.front());
    const int height = drawn_.area.height();
    const auto yOf = [&](double bytes) { return height - 1 - bytes / drawn_.fullBytes * (height - 3); };
    QPolygonF line;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        const StepSeries::Extremes& it = columns_[column];
        line << QPointF(static_cast<double>(column), yOf(it.highBytes));
        if (it.lowBytes != it.highBytes) line << QPointF(static_cast<double>(column), yOf(it.lowBytes));
    }
    painter.setPen(QPen(stageLineColour(stage, data_->plan().stageCount()), drawn_.line));
    painter.drawPolyline(line);
}

QRectF MemoryStrip::paintLimit(QPainter& painter, const QRect& area, double fullBytes) const {
    double limit = 0;
    for (const MemorySeries& series : data_->memory)
        if (const double own = series.curve().limitBytes; own > 0 && (limit == 0 || own < limit)) limit = own;
    if (limit <= 0) return {};
    const Theme& theme = Theme::current();
    const bool inSight = limit <= fullBytes;
    const double y = inSight ? area.bottom() - limit / fullBytes * (area.height() - 3) : area.top();
    if (inSight) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(theme.error, drawn_.line, Qt::DashLine));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right() + 1, y));
    }
    const QFontMetricsF metrics(painter.font());
    const QString text = QStringLiteral("limit %1").arg(QString::fromStdString(formatBytes(limit))) +
                         (inSight ? QString() : QStringLiteral(" ↑"));
    QRectF where(0, 0, metrics.horizontalAdvance(text) + 8, metrics.height());
    if (where.height() > area.height()) return {};
    where.moveTopRight(QPointF(area.right(), std::min(y + 2, area.bottom() - where.height())));
    paintOnGround(painter, where, text, inSight ? theme.error : theme.mutedText);
    return where;
}

const MemorySeries* MemoryStrip::highest() const {
    const MemorySeries* found = nullptr;
    for (const MemorySeries& series : data_->memory)
        if (series.peakBytes() > (found ? found->peakBytes() : 0)) found = &series;
    return found;
}

QString MemoryStrip::peakText() const {
    const MemorySeries* series = highest();
    if (!series) return {};
    const QString text =
        QStringLiteral("peak %1").arg(QString::fromStdString(formatBytes(series->peakBytes())));
    const bool isWhole = !data_->run || saysMemory(data_->run->costs->problem().profile);
    return isWhole ? text : text + QStringLiteral(" of ") + outputsAloneMark;
}

void MemoryStrip::paintPeak(QPainter& painter, const QRect& area, const TimeAxis& axis, double fullBytes,
                            const QRectF& limit) const {
    const MemorySeries* series = highest();
    if (!series) return;
    const QFontMetricsF metrics(painter.font());
    const QString text = peakText();
    QRectF where(0, 0, metrics.horizontalAdvance(text) + 8, metrics.height());
    if (where.height() > area.height()) return;
    const double y = area.bottom() - series->peakBytes() / fullBytes * (area.height() - 3);
    const bool above = y - where.height() >= area.top();
    where.moveTopLeft(QPointF(axis.toX(series->peakTimeS()) + 4, above ? y - where.height() : y + 2));
    where.moveLeft(std::clamp(where.left(), double(area.left()),
                              std::max<double>(area.left(), area.right() - where.width())));
    where.moveTop(std::min(where.top(), area.bottom() - where.height()));
    if (where.intersects(limit)) where.moveRight(limit.left() - 2);
    if (where.left() < area.left()) return;
    paintOnGround(painter, where, text, Theme::current().text);
}

}  // namespace stagecraft::views::play
