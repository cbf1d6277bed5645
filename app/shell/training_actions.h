#pragma once

#include "app/actions/action_register.h"

namespace stagecraft::app {

class Workbench;

/// What can be done with training, as actions: for menus, palette, help and keys.
class TrainingActions : public QObject {
    Q_OBJECT

public:
    TrainingActions(ActionRegister& actions, Workbench& workbench, QObject* parent);

private:
    void showState();

    ActionRegister& actions_;
    Workbench& workbench_;
    QAction* pause_;
};

}  // namespace stagecraft::app
