#pragma once

#include "app/actions/action_register.h"

namespace stagecraft::app {

class DetailsWindow;
class Workbench;
class Workspace;

/// Opens the window with what a plan's planner looked through.
class DetailsActions : public QObject {
    Q_OBJECT

public:
    DetailsActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent);

private:
    void open();

    Workspace& workspace_;
    Workbench& workbench_;
    QWidget* parent_;
    DetailsWindow* window_ = nullptr;  ///< made when it is first asked for
};

}  // namespace stagecraft::app
