#pragma once

#include "app/shell/window_parts.h"

#include <QObject>

class QMainWindow;

namespace stagecraft::app::shell {

class WindowPanels;
class Workbench;

/// Brings into view what happens to the document: a plan that was made, a row of the project's tree, the
/// place of a problem, and what keeps planners from planning.
class DocumentFollower : public QObject {
    Q_OBJECT

public:
    DocumentFollower(WindowDocument& document, Workbench& workbench, WindowPanels& panels,
                     QMainWindow& window);

    /// Another project comes: what was said of the one before is over.
    void forget();
    /// Runs a planner whose plan comes with a sample: the step is none of a person's own.
    void planSample(const QString& planner);

private:
    void followTree();
    void followPlanning();
    void showNotablePlan(int plan);
    void showUnplannable();
    void jumpTo(const JumpTarget& target);

    WindowDocument& document_;
    Workbench& workbench_;
    WindowPanels& panels_;
    QMainWindow& window_;
    bool remarked_ = false;  ///< the problems have been shown for a bound that this project's plans exceed
    bool planningSample_ = false;  ///< the plan that comes first belongs to the sample
};

}  // namespace stagecraft::app::shell
