#pragma once

#include "app/actions/action_register.h"

namespace stagecraft::app {

/// The menu Help.
class HelpActions : public QObject {
    Q_OBJECT

public:
    HelpActions(ActionRegister& actions, QWidget* window);

private:
    void showAbout();

    QWidget* window_;
};

}  // namespace stagecraft::app
