#include "views/timeline/lane_labels.h"

#include "views/common/theme.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

namespace {
constexpr int swatchLeft = 8;
constexpr int swatchWidth = 4;
constexpr int textLeft = 20;
constexpr int textRight = 12;
constexpr int shareGap = 8;  // between a name and its busy share
constexpr int thinPixels = 11;
constexpr int leastWidth = 192;  // the kinds of memory below need as much
constexpr int mostWidth = 260;
}  // namespace

LaneLabels::LaneLabels(QWidget* parent) : QWidget(parent) { setMouseTracking(true); }

void LaneLabels::setRows(const std::vector<LaneRow>* rows, int stages, int viewTop, int viewHeight,
                         int scroll) {
    rows_ = rows;
    stages_ = stages;
    viewTop_ = viewTop;
    viewHeight_ = viewHeight;
    scroll_ = scroll;
    update();
}

void LaneLabels::setHoveredRow(int row) {
    if (hovered_ == row) return;
    hovered_ = row;
    update();
}

void LaneLabels::setShareHeading(const QString& text) {
    shareHeading_ = text;
    update();
}

void LaneLabels::setMarkedRow(int row) {
    if (marked_ == row) return;
    marked_ = row;
    update();
}

int LaneLabels::rowAt(int y) const {
    if (rows_)
        for (std::size_t i = 0; i < rows_->size(); ++i)
            if (y >= topOf((*rows_)[i]) && y < topOf((*rows_)[i]) + (*rows_)[i].height)
                return static_cast<int>(i);
    return -1;
}

QFont LaneLabels::fontOf(const LaneRow& row) const {
    QFont it = font();
    if (row.thin) it.setPixelSize(thinPixels);
    return it;
}

int LaneLabels::preferredWidth() const {
    ensurePolished();  // the style sheet sets the font
    double widest = 0;
    if (rows_)
        for (const LaneRow& row : *rows_)
            widest = std::max(widest, QFontMetricsF(fontOf(row)).horizontalAdvance(row.label));
    widest += shareWidth();
    // One pixel more: eliding compares fractions of a pixel with whole ones.
    return std::clamp(textLeft + static_cast<int>(std::ceil(widest)) + 1 + textRight, leastWidth, mostWidth);
}

int LaneLabels::shareWidth() const {
    const bool shown = rows_ && std::any_of(rows_->begin(), rows_->end(),
                                            [](const LaneRow& row) { return !row.share.isEmpty(); });
    if (!shown) return 0;
    QFont small = font();
    small.setPixelSize(thinPixels);
    return shareGap + QFontMetrics(small).horizontalAdvance(QStringLiteral("100 %"));
}

QRect LaneLabels::labelRect(std::size_t row) const {
    const LaneRow& it = (*rows_)[row];
    const bool paired =
        it.half && row + 1 < rows_->size() && (*rows_)[row + 1].half && (*rows_)[row + 1].label.isEmpty();
    const int height = paired ? (*rows_)[row + 1].bottom() - it.top : it.height;
    return {textLeft, topOf(it), width() - textLeft - textRight, height};
}

void LaneLabels::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.surface);
    if (!rows_) return;
    const int share = shareWidth();
    QFont small = font();
    small.setPixelSize(thinPixels);
    if (share > 0) {
        painter.setFont(small);
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(textLeft, 0, width() - textLeft - textRight, viewTop_ - 2),
                         Qt::AlignBottom | Qt::AlignRight, shareHeading_);
    }
    painter.setClipRect(0, viewTop_, width(), viewHeight_);
    for (std::size_t i = 0; i < rows_->size(); ++i) {
        const LaneRow& row = (*rows_)[i];
        const int top = topOf(row);
        if (top > height() || top + row.height < 0) continue;
        if (static_cast<int>(i) == hovered_) painter.fillRect(0, top, width(), row.height, theme.window);
        if (static_cast<int>(i) == marked_) {
            painter.setPen(QPen(theme.accent, 2));
            painter.drawRect(QRect(1, top, width() - 3, row.height - 1));
        }
        if (row.stage >= 0)
            painter.fillRect(swatchLeft, top, swatchWidth, row.height, stageColour(row.stage, stages_));
        if (row.label.isEmpty()) continue;
        QRect where = labelRect(i);
        if (!row.share.isEmpty()) {
            painter.setFont(small);
            painter.setPen(theme.mutedText);
            painter.drawText(where, Qt::AlignVCenter | Qt::AlignRight, row.share);
            where.setRight(where.right() - share);
        }
        painter.setFont(fontOf(row));
        painter.setPen(row.thin ? theme.mutedText : theme.text);
        painter.drawText(where, Qt::AlignVCenter | Qt::AlignLeft,
                         painter.fontMetrics().elidedText(row.label, Qt::ElideMiddle, where.width()));
    }
}

QString LaneLabels::toolTipOf(const LaneRow& row) {
    return row.shareTip.isEmpty() ? row.toolTip : row.toolTip + QLatin1Char('\n') + row.shareTip;
}

bool LaneLabels::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !rows_) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos().y());
    if (row < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), toolTipOf((*rows_)[static_cast<std::size_t>(row)]), this);
    return true;
}

void LaneLabels::mouseMoveEvent(QMouseEvent* event) { emit rowHovered(rowAt(event->pos().y())); }
void LaneLabels::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && rect().contains(event->pos()))
        emit rowClicked(rowAt(event->pos().y()));
}
void LaneLabels::contextMenuEvent(QContextMenuEvent* event) {
    emit menuRequested(rowAt(event->pos().y()), event->globalPos());
}
void LaneLabels::leaveEvent(QEvent*) { emit rowHovered(-1); }

void LaneLabels::wheelEvent(QWheelEvent* event) {
    emit scrollRequested(-event->angleDelta().y() / 2);
    event->accept();
}

}  // namespace stagecraft::views::timeline
