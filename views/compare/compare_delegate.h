#pragma once

#include "core/base/rooms.h"

#include <QStyledItemDelegate>

namespace stagecraft::views {

/// A cell of the comparison: its text in line with its title, and under it, where CompareModel::barRole
/// gives a length, a thin horizontal bar.
class CompareDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace stagecraft::views
