#pragma once

#include "app/shell/window_parts.h"

#include <QObject>

class QDockWidget;
class QMainWindow;

namespace stagecraft::app::panels {
class PlannerPanel;
class ProjectTree;
class SetupPanel;
}  // namespace stagecraft::app::panels

namespace stagecraft::app::shell {

/// The docks of the window: what the project holds, planning and the setup at the side, the problems below.
class WindowPanels : public QObject {
    Q_OBJECT

public:
    WindowPanels(WindowDocument& document, QMainWindow& window);

    ProjectTree& tree() { return *tree_; }
    PlannerPanel& planner() { return *planner_; }
    SetupPanel& setup() { return *setup_; }
    QDockWidget& side() { return *side_; }
    QDockWidget& problems() { return *problems_; }

signals:
    void jumpRequested(const JumpTarget& target);

private:
    void makeSide(WindowDocument& document, QMainWindow& window);
    void makeProblems(WindowDocument& document, QMainWindow& window);

    ProjectTree* tree_ = nullptr;
    PlannerPanel* planner_ = nullptr;
    SetupPanel* setup_ = nullptr;
    QDockWidget* side_ = nullptr;
    QDockWidget* problems_ = nullptr;
};

}  // namespace stagecraft::app::shell
