#pragma once

#include "views/rooms.h"

#include <QStyledItemDelegate>

namespace stagecraft::views::profile {

/// Edits cells of a LayerTable as text with units. What cannot be read stays in the field, with the reason
/// beside it, until it is mended or left with Esc.
class LayerDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
};

}  // namespace stagecraft::views::profile
