#pragma once

#include "app/actions/action_register.h"

namespace stagecraft::app {

class PlayWindow;
class Workbench;
class Workspace;

/// Plans one above the other, and the window in which plans are played.
class PlayActions : public QObject {
    Q_OBJECT

public:
    PlayActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent);

private:
    PlayWindow& window();
    PlayWindow& lookAtPlan();
    void playTogether();
    bool canPlay() const;
    bool canStack() const;

    ActionRegister& actions_;
    Workspace& workspace_;
    Workbench& workbench_;
    QWidget* parent_;
    PlayWindow* window_ = nullptr;  ///< made when it is first asked for
};

}  // namespace stagecraft::app
