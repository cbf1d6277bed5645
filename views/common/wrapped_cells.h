#pragma once

#include "views/rooms.h"

#include <QStyledItemDelegate>

class QTreeView;

namespace stagecraft::views::common {

/// Cells whose text takes as many lines as it needs in the width that its column has.
class WrappedCells : public QStyledItemDelegate {
public:
    /// Becomes the delegate of `view`, which owns it.
    explicit WrappedCells(QTreeView& view);

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    QTreeView& view_;
};

}  // namespace stagecraft::views::common
