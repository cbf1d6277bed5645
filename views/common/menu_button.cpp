#include "views/common/menu_button.h"

#include <QMenu>

namespace stagecraft::views {

MenuButton::MenuButton(const QString& name, QChar sign, const QString& tip, QWidget* parent)
    : QToolButton(parent) {
    setObjectName(name);
    setText(QString(sign));
    setToolTip(tip);
    setAccessibleName(tip);
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    setPopupMode(QToolButton::InstantPopup);
    setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
    setMenu(new QMenu(this));
    connect(menu(), &QMenu::aboutToShow, this, [this] {
        menu()->clear();
        fill();
    });
    hide();
}

}  // namespace stagecraft::views
