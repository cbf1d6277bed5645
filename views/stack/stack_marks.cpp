#include "views/stack/stack_marks.h"

#include "views/common/theme.h"
#include "views/timeline/time_plot.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::stack {

namespace {
constexpr double leastLit = 3;  // pixels across: what is shorter is outlined as if it were as long
constexpr double pillPadding = 6;
constexpr double pillGap = 4;  // from its line, and from the lower edge
}  // namespace

StackMarks::StackMarks(TimePlot* plot) : QWidget(plot), plot_(plot) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setGeometry(plot->rect());
    plot->installEventFilter(this);
    connect(plot, &TimePlot::drawn, this, qOverload<>(&QWidget::update));
}

void StackMarks::setEnds(std::vector<EndMark> ends) {
    ends_ = std::move(ends);
    std::stable_sort(ends_.begin(), ends_.end(),
                     [](const EndMark& a, const EndMark& b) { return a.own < b.own; });
    update();
}

void StackMarks::setLit(std::vector<QRectF> blocks) {
    if (lit_ == blocks) return;
    lit_ = std::move(blocks);
    update();
}

bool StackMarks::eventFilter(QObject* watched, QEvent* event) {
    if (watched == plot_ && event->type() == QEvent::Resize) setGeometry(plot_->rect());
    return QWidget::eventFilter(watched, event);
}

void StackMarks::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setClipRect(plot_->area());
    for (const EndMark& end : ends_) paintEnd(painter, end);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Theme::current().text, 2));
    for (const QRectF& block : lit_) {
        const double spare = std::max(0.0, leastLit - block.width()) / 2;
        painter.drawRect(block.adjusted(-spare, 1, spare, -1));
    }
}

void StackMarks::paintEnd(QPainter& painter, const EndMark& end) const {
    const Theme& theme = Theme::current();
    const QRectF area(plot_->area());
    const double x = std::round(plot_->axis().toX(end.timeS));
    if (x < area.left() - 1 || x > area.right() + 1) return;
    painter.setPen(end.own ? QPen(theme.accent, 2) : QPen(theme.mutedText, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    if (!end.own) return;
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    const QFontMetricsF metrics(bold);
    QRectF pill(0, 0, metrics.horizontalAdvance(end.label) + 2 * pillPadding, metrics.height() + 4);
    pill.moveBottom(area.bottom() - pillGap);
    const bool fitsBehind = x + pillGap + pill.width() <= area.right();
    pill.moveLeft(fitsBehind ? x + pillGap : x - pillGap - pill.width());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    painter.drawRoundedRect(pill, 4, 4);
    painter.setPen(readableOn(theme.accent));
    painter.drawText(pill, Qt::AlignCenter, end.label);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace stagecraft::views::stack
