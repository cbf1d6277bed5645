#pragma once

#include <QStyledItemDelegate>

namespace stagecraft {

/// A cell of the comparison: its text in line with the header's, and under it, where CompareModel::barRole
/// gives a length, a thin horizontal bar.
class CompareDelegate : public QStyledItemDelegate {
public:
    static constexpr int leftPadding = 8;
    static constexpr int rightPadding = 22;  ///< room for the header's sort arrow

    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace stagecraft
