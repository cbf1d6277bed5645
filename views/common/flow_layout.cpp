#include "views/common/flow_layout.h"

#include <QWidget>

#include <algorithm>

namespace stagecraft::views::common {

FlowLayout::FlowLayout(int spacing, QWidget* parent) : QLayout(parent) { setSpacing(spacing); }

FlowLayout::~FlowLayout() { qDeleteAll(items_); }

QLayoutItem* FlowLayout::takeAt(int index) {
    return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    place(rect, true);
}

QSize FlowLayout::minimumSize() const {
    QSize widest;
    for (const QLayoutItem* item : items_)
        if (!item->isEmpty()) widest = widest.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return widest + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

int FlowLayout::place(const QRect& rect, bool apply) const {
    const QRect room = rect.marginsRemoved(contentsMargins());
    int x = room.left(), y = room.top(), from = 0, high = 0;
    const auto endRow = [&](int end) {
        for (int i = from; apply && i < end; ++i)
            if (const QRect item = items_[i]->geometry(); !items_[i]->isEmpty())
                items_[i]->setGeometry(item.translated(0, (high - item.height()) / 2));
        from = end;
    };
    for (int i = 0; i < count(); ++i) {
        if (items_[i]->isEmpty()) continue;
        const QSize size = items_[i]->sizeHint().boundedTo({room.width(), QLAYOUTSIZE_MAX});
        if (x > room.left() && x + size.width() > room.right() + 1) {
            endRow(i);
            y += high + spacing();
            x = room.left();
            high = 0;
        }
        if (apply) items_[i]->setGeometry({{x, y}, size});
        x += size.width() + spacing();
        high = std::max(high, size.height());
    }
    endRow(count());
    return y + high - rect.top() + contentsMargins().bottom();
}

}  // namespace stagecraft::views::common
