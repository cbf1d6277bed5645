#include "views/compare/time_bar_delegate.h"

#include "views/common/theme.h"
#include "views/compare/compare_model.h"

namespace stagecraft {
namespace {
constexpr int barHeight = 4;
constexpr int barMargin = 8;
constexpr int leastWidth = 150;
}  // namespace

void TimeBarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(CompareModel::barRole);
    if (!share.isValid()) return;
    const QRect track(option.rect.left() + barMargin, option.rect.bottom() - barHeight - 2,
                      option.rect.width() - 2 * barMargin, barHeight);
    const bool best = index.data(CompareModel::bestRole).toBool();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(Theme::current().line);
    painter->drawRoundedRect(track, 2, 2);
    painter->setBrush(best ? Theme::current().accent : Theme::current().mutedText);
    QRectF bar(track);
    bar.setWidth(std::max(2.0, track.width() * share.toDouble()));
    painter->drawRoundedRect(bar, 2, 2);
    painter->restore();
}

QSize TimeBarDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return QStyledItemDelegate::sizeHint(option, index).expandedTo(QSize(leastWidth, 0));
}

}  // namespace stagecraft
