#include "views/compare/compare_delegate.h"

#include "views/common/theme.h"
#include "views/compare/compare_model.h"

#include <QApplication>
#include <QPainter>

namespace stagecraft::views {
namespace {

constexpr int paddingLeft = 4, paddingRight = 8;  // as the titles have it
constexpr int barHeight = 4;
constexpr int leastBarWidth = 72;

void paintBar(QPainter& painter, const QRect& cell, double share, bool best) {
    const Theme& theme = Theme::current();
    const QRectF track(cell.left(), cell.bottom() - barHeight - 1, cell.width(), barHeight);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(track, barHeight / 2.0, barHeight / 2.0);
    painter.setBrush(best ? theme.accent : theme.mutedText);
    painter.drawRoundedRect(
        QRectF(track.topLeft(), QSizeF(std::max<double>(barHeight, track.width() * share), barHeight)),
        barHeight / 2.0, barHeight / 2.0);
}

}  // namespace

void CompareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QStyle* style = cell.widget ? cell.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &cell, painter, cell.widget);

    const QRect inner = cell.rect.adjusted(paddingLeft, 0, -paddingRight, 0);
    const QVariant colour = index.data(Qt::ForegroundRole);
    painter->save();
    painter->setFont(cell.font);
    painter->setPen(colour.isValid() ? colour.value<QColor>() : Theme::current().text);
    painter->drawText(inner, int(cell.displayAlignment) | Qt::TextSingleLine,
                      cell.fontMetrics.elidedText(cell.text, Qt::ElideMiddle, inner.width()));
    const QVariant share = index.data(CompareModel::barRole);
    if (share.isValid())
        paintBar(*painter, inner, share.toDouble(), index.data(CompareModel::bestRole).toBool());
    painter->restore();
}

QSize CompareDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    int width = cell.fontMetrics.horizontalAdvance(cell.text) + 1;
    if (index.data(CompareModel::barRole).isValid()) width = std::max(width, leastBarWidth);
    return {width + paddingLeft + paddingRight, cell.fontMetrics.height() + 4 * barHeight};
}

}  // namespace stagecraft::views
