#include "views/common/wrapped_cells.h"

#include <QHeaderView>
#include <QTreeView>

#include <algorithm>

namespace stagecraft::views::common {
namespace {

constexpr int sideRoom = 16, lineRoom = 8;  // pixels beside and above and below a text, with a style's own
constexpr int highest = 10'000;

}  // namespace

WrappedCells::WrappedCells(QTreeView& view) : QStyledItemDelegate(&view), view_(view) {
    view.setItemDelegate(this);
    view.setUniformRowHeights(false);
    view.setWordWrap(true);
    connect(view.header(), &QHeaderView::sectionResized, this,
            [this] { emit sizeHintChanged(view_.rootIndex()); });
}

QSize WrappedCells::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    int width = view_.columnWidth(index.column()) - sideRoom;
    if (index.column() == view_.treePosition() || (view_.treePosition() < 0 && index.column() == 0))
        for (QModelIndex at = index; at.isValid(); at = at.parent()) width -= view_.indentation();
    QStyleOptionViewItem whole = option;
    initStyleOption(&whole, index);
    const int text =
        whole.fontMetrics.boundingRect(QRect(0, 0, std::max(width, 1), highest), Qt::TextWordWrap, whole.text)
            .height();
    // The width of one line, by which columns are fitted; the height of all.
    return {whole.fontMetrics.horizontalAdvance(whole.text) + sideRoom,
            std::max(whole.fontMetrics.height() + lineRoom, text + lineRoom)};
}

}  // namespace stagecraft::views::common
