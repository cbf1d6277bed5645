#pragma once

#include "app/lessons/lesson_stage.h"
#include "app/shell/workbench.h"

#include <QTimer>

#include <optional>

namespace stagecraft::app::actions {
class ActionRegister;
}

namespace stagecraft::app::shell {

class FileController;

/// The main window as a lesson's stage.
class WindowStage : public LessonStage {
    Q_OBJECT

public:
    WindowStage(ActionRegister& actions, Workspace& workspace, Workbench& workbench, FileController& files,
                QObject* parent);

    /// Actions that are there by now count when they are done; to be called once.
    void watchActions();
    /// Looks at the window while a lesson is taken.
    void setWatching(bool on);

    bool open(const Project& project) override;
    void show(const WindowSetting& setting) override;
    bool holds(const Deed& deed) const override;
    QString selectedBlock() const override;
    std::vector<Unshown> unshown(const WindowSetting& setting) const override;
    bool isSettled() const override;
    bool hasAction(const std::string& id) const override;
    std::shared_ptr<const PlanRun> runInView() const override;
    void addPlan(const Plan& plan) override;

private:
    const PlanItem* planTitled(const std::string& title) const;
    /// 0: none.
    int idOf(const std::string& title) const;
    /// What waits until the plan that it is about has its charts.
    void settle();
    void setCharts(PlanView& view, const WindowSetting& setting) const;
    bool isTitled(int plan, const std::string& title) const;
    bool areCharts(const std::vector<std::string>& titles) const;
    std::string frontInWords() const;
    bool isTab(const std::string& tab) const;
    bool isSelected(const std::string& query) const;
    void look();

    ActionRegister& actions_;
    Workspace& workspace_;
    Workbench& workbench_;
    FileController& files_;
    QTimer looking_;
    std::optional<WindowSetting> waiting_;
    bool ours_ = false;  ///< the lesson opened the project that is open
};

}  // namespace stagecraft::app::shell
