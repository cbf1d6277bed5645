#pragma once

#include "views/rooms.h"

#include <QLayout>
#include <QList>

namespace stagecraft::views::common {

/// Items in rows, as many beside each other as there is room for; hidden ones take none.
class FlowLayout : public QLayout {
public:
    explicit FlowLayout(int spacing, QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { items_.append(item); }
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override { return items_.value(index); }
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return place(QRect(0, 0, width, 0), false); }
    void setGeometry(const QRect& rect) override;
    QSize sizeHint() const override { return minimumSize(); }
    QSize minimumSize() const override;

private:
    /// @return the height taken
    int place(const QRect& rect, bool apply) const;

    QList<QLayoutItem*> items_;
};

}  // namespace stagecraft::views::common
