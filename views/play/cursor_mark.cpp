#include "views/play/cursor_mark.h"

#include "views/common/theme.h"
#include "views/timeline/gantt_plottable.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views {

QRectF cursorBadge(const QFont& font, const QRectF& area, double x, const QString& text) {
    QFont bold = font;
    bold.setBold(true);
    const QFontMetricsF metrics(bold);
    // On the axis, where it covers no block.
    QRectF pill(0, 0, metrics.horizontalAdvance(text) + 12, metrics.height() + 4);
    pill.moveBottom(area.top());
    const double least = area.left(), most = std::max(least, area.right() - pill.width());
    pill.moveLeft(std::clamp(std::round(x) - pill.width() / 2, least, most));
    return pill;
}

void paintCursor(QPainter& painter, const QRectF& area, double x, const QString& text, double width) {
    if (x < area.left() - 1 || x > area.right() + 1) return;
    const Theme& theme = Theme::current();
    const double line = std::round(x);
    painter.fillRect(QRectF(line - std::floor(width / 2), area.top(), width, area.height()), theme.accent);
    if (text.isEmpty()) return;
    const QRectF pill = cursorBadge(painter.font(), area, x, text);
    QFont bold = painter.font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    painter.drawRoundedRect(pill, 4, 4);
    painter.setPen(readableOn(theme.accent));
    painter.drawText(pill, Qt::AlignCenter, text);
}

namespace {

/// No number of the axis is half hidden by the badge.
void hideTicksUnder(QPainter& painter, const QRectF& badge, const TimeAxis& axis) {
    const QFontMetricsF metrics(painter.font());
    for (const TimeTick& tick : timeTicks(axis, timeTickSpacing)) {
        const double width = metrics.horizontalAdvance(QString::fromStdString(tick.label)) + 2;
        const QRectF label(axis.toX(tick.timeS) - width / 2, 0, width, badge.bottom() - axisTickLength);
        if (label.left() < badge.right() && label.right() > badge.left())
            painter.fillRect(label, Theme::current().surface);
    }
}

}  // namespace

CursorMark::CursorMark(TimePlot* plot) : QWidget(plot), plot_(plot) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setGeometry(plot->rect());
    plot->installEventFilter(this);
}

void CursorMark::setTime(double timeS, const QString& text) {
    timeS_ = timeS;
    text_ = text;
    update();
}

bool CursorMark::eventFilter(QObject* watched, QEvent* event) {
    if (watched == plot_ && event->type() == QEvent::Resize) setGeometry(plot_->rect());
    return QWidget::eventFilter(watched, event);
}

void CursorMark::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(font());
    // The band above the lanes names phases and notes: the time is written above it.
    const QRectF area = QRectF(plot_->area()).adjusted(0, -plot_->bandHeight(), 0, 0);
    const TimeAxis axis = plot_->axis();
    const double x = axis.toX(timeS_);
    if (!text_.isEmpty() && area.contains(x, area.center().y()))
        hideTicksUnder(painter, cursorBadge(font(), area, x, text_), axis);
    paintCursor(painter, area, x, text_);
}

}  // namespace stagecraft::views
