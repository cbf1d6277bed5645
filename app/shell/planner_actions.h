#pragma once

#include "app/actions/action_register.h"
#include "app/shell/window_parts.h"

namespace stagecraft::app::jobs {
class CustomPlanners;
}

namespace stagecraft::app::shell {

class ExportController;
class ProfileIntake;
class WindowPanels;
class Workbench;

/// Where clusters, profiles and plans come from: files, planners, and the list of plans itself.
class PlannerActions : public QObject {
    Q_OBJECT

public:
    PlannerActions(ActionRegister& actions, WindowDocument& document, Workbench& workbench,
                   WindowPanels& panels, QWidget* window);
    void addFiles(ProfileIntake& profiles, ExportController& exports);
    void addPlanning();
    void addPlans();
    /// The folder of custom planners, kept and read; empty: none.
    void setFolder(const QString& folder);

signals:
    void openWanted(QString title, QString filter);
    void clipboardWanted();
    void measurementsWanted();

private:
    void addRunning();
    void addPlanningAgain();
    /// The folder of custom planners, which is read at once if there is one.
    void addCustom();
    void chooseFolder();
    void run(const QString& planner);
    bool isOpen() const { return document_.workspace.isOpen(); }
    const PlanItem* chosen() const;
    int chosenId() const;
    /// At a row of the project's tree.
    void showMenu(int plan, const QPoint& globalPosition);

    ActionRegister& actions_;
    WindowDocument& document_;
    Workbench& workbench_;
    WindowPanels& panels_;
    CustomPlanners* custom_ = nullptr;
    QString customFolder_;  ///< as it is kept: looking it up reads the settings' file
};

}  // namespace stagecraft::app::shell
