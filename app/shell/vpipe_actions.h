#pragma once

#include "app/actions/action_register.h"

namespace stagecraft::app {

class VpipeWindow;
class Workbench;
class Workspace;

/// Opens the window with vPipe in detail.
class VpipeActions : public QObject {
    Q_OBJECT

public:
    VpipeActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent);

private:
    void open();

    Workspace& workspace_;
    Workbench& workbench_;
    QWidget* parent_;
    bool plannable_ = false;         ///< the problem as it is now; asked once a change, for it takes a while
    VpipeWindow* window_ = nullptr;  ///< made when it is first asked for
};

}  // namespace stagecraft::app
