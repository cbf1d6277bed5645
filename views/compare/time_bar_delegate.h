#pragma once

#include <QStyledItemDelegate>

namespace stagecraft {

/// A cell with a thin horizontal bar under its text, as long as CompareModel::barRole says.
class TimeBarDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace stagecraft
