#include "views/resources/series_painter.h"

#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::resources {

namespace {

constexpr double lineWidth = 1.5;
constexpr float gridOpacity = 0.6f;
constexpr int noteGap = 4;  // from the edge of the chart

}  // namespace

bool SeriesPainter::begin(QPainter& painter, const QRect& area, const TimeAxis& axis, double ceiling,
                          const std::vector<Level>& levels) {
    ceiling_ = ceiling;
    painter.setRenderHint(QPainter::Antialiasing, false);
    QColor line = Theme::current().line;
    line.setAlphaF(gridOpacity);
    for (const TimeTick& tick : timeTicks(axis, timeTickSpacing))
        painter.fillRect(QRectF(std::floor(axis.toX(tick.timeS)), area.top(), 1, area.height()), line);
    for (const Level& level : levels)
        painter.fillRect(QRectF(area.left(), std::floor(yOf(level.value, area)), area.width(), 1), line);
    const double scale = painter.deviceTransform().m11();
    thickness_ = std::max(1, qRound(lineWidth * scale));
    const QSize size(qRound(area.width() * scale), qRound(area.height() * scale));
    if (size.isEmpty()) return false;
    if (image_.size() != size) image_ = QImage(size, QImage::Format_ARGB32_Premultiplied);
    image_.fill(Qt::transparent);
    pixels_ = reinterpret_cast<QRgb*>(image_.bits());
    rows_ = image_.height();
    stride_ = static_cast<std::size_t>(image_.bytesPerLine()) / sizeof(QRgb);
    return true;
}

void SeriesPainter::paintImage(QPainter& painter, const QRect& area) const {
    painter.drawImage(QRectF(area), image_, QRectF(image_.rect()));
    painter.setFont(smallFont(painter.font()));
}

double SeriesPainter::noteWidth(const QPainter& painter, const QString& text) {
    return painter.fontMetrics().horizontalAdvance(text) + 2 * noteGap;
}

void SeriesPainter::paintNote(QPainter& painter, const QRectF& where, const QString& text,
                              const QColor& colour) {
    painter.fillRect(where, Theme::current().surface);
    painter.setPen(colour);
    painter.drawText(where, Qt::AlignCenter, text);
}

void SeriesPainter::paintLabels(QPainter& painter, const QRect& area, const std::vector<Level>& levels,
                                const QRectF& taken) const {
    for (const Level& level : levels) {
        const QRectF where(area.left() + noteGap, std::floor(yOf(level.value, area)) - noteHeight - 1,
                           noteWidth(painter, level.label), noteHeight);
        if (level.label.isEmpty() || where.top() < area.top() || where.intersects(taken)) continue;
        paintNote(painter, where, level.label, Theme::current().mutedText);
    }
}

double SeriesPainter::labelsRight(const QPainter& painter, const QRect& area,
                                  const std::vector<Level>& levels) {
    double right = area.left();
    for (const Level& level : levels)
        if (!level.label.isEmpty())
            right = std::max(right, area.left() + 2 * noteGap + noteWidth(painter, level.label));
    return right;
}

QRectF SeriesPainter::paintLimit(QPainter& painter, const QRect& area, double limit, const QColor& colour,
                                 const QString& label) const {
    const bool inSight = limit <= ceiling_;
    const double y = inSight ? yOf(limit, area) : area.top() + 1;
    if (inSight) {
        QPen pen(colour, lineWidth, Qt::CustomDashLine);
        pen.setDashPattern({6, 4});
        painter.setPen(pen);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right() + 1, y));
    }
    const double width = noteWidth(painter, label);
    // Above the line, where curves that keep to it do not come.
    QRectF where(std::max<double>(area.left(), area.right() - width - noteGap), y - noteHeight - 1, width,
                 noteHeight);
    if (where.top() < area.top()) where.moveTop(y + 2);
    paintNote(painter, where, label, inSight ? colour : Theme::current().mutedText);
    return where;
}

QRectF SeriesPainter::placeBeside(const QPointF& point, const QSizeF& size, const QRectF& area,
                                  const QRectF& taken) {
    if (size.width() > area.width() || size.height() > area.height()) return {};
    constexpr double gap = 6, rise = 17;
    const double lefts[] = {point.x() + gap, point.x() - gap - size.width(), area.right() - size.width(),
                            area.left()};
    const double tops[] = {point.y() - rise, point.y() + gap, taken.bottom() + 1,
                           taken.top() - 1 - size.height()};
    for (const double top : tops)
        for (const double left : lefts) {
            QRectF where(QPointF(left, top), size);
            where.moveTop(std::clamp(where.top(), area.top(), area.bottom() - size.height()));
            if (where.left() >= area.left() && where.right() <= area.right() && !where.intersects(taken))
                return where;
        }
    return {};
}

double SeriesPainter::yOf(double value, const QRect& area) const {
    return area.bottom() + 1 - value / ceiling_ * area.height();
}

QRgb SeriesPainter::towards(QRgb colour, QRgb other, double part) {
    const auto channel = [part](int a, int b) { return static_cast<int>(a + part * (b - a)); };
    return qRgb(channel(qRed(colour), qRed(other)), channel(qGreen(colour), qGreen(other)),
                channel(qBlue(colour), qBlue(other)));
}

}  // namespace stagecraft::views::resources
