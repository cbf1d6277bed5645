#pragma once

#include "views/common/menu_button.h"

namespace stagecraft::views {

/// The mark "»" at the end of a toolbar that has no room for all of its buttons: its menu has those that are
/// left out, as they are: ticked, grey, with menus of their own.
class OverflowButton : public MenuButton {
    Q_OBJECT
public:
    explicit OverflowButton(QWidget* parent = nullptr);

    /// Shows itself where anything is left out.
    void setLeftOut(QList<QToolButton*> tools);
    const QList<QToolButton*>& leftOut() const { return leftOut_; }

private:
    void fill() override;

    QList<QToolButton*> leftOut_;
};

}  // namespace stagecraft::views
