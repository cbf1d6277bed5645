#pragma once

#include "app/actions/action_register.h"

#include <QDialog>

namespace stagecraft::app::actions {

/// All keys: those of the register's actions, and those that a plan's chart takes while it has the focus.
class ShortcutHelp : public QDialog {
    Q_OBJECT

public:
    ShortcutHelp(const ActionRegister& actions, QWidget* parent);
};

}  // namespace stagecraft::app::actions
