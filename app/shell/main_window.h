#pragma once

#include "app/actions/action_register.h"
#include "app/document/document_opener.h"
#include "app/figures/export_choice.h"
#include "app/shell/window_parts.h"

#include <QMainWindow>

class QStackedWidget;

namespace stagecraft::app::experiments {
class ExperimentsActions;
}
namespace stagecraft::app::panels {
class ClusterSide;
}
namespace stagecraft::app::start {
class NewPlanDialog;
class StartPage;
}

namespace stagecraft::app::shell {

class ClusterController;
class DocumentFollower;
class DocumentIntake;
class ExportController;
class FileActions;
class FileController;
class LessonActions;
class PlannerActions;
class ProfileIntake;
class StatusLine;
class WindowBars;
class WindowPanels;
class Workbench;

/// The one window: a start page, or a project with its panels and tabs. It puts its parts together; what each
/// of them does is its own.
class MainWindow : public QMainWindow, private virtual WindowDocument {
    Q_OBJECT

public:
    explicit MainWindow(QWidget* parent = nullptr);

    /// As the window was left last time; the first time 1280×800, or all of a screen that has less.
    void takePlaceOnScreen();
    /// Opens any supported file; what is wrong with it becomes a row among the problems.
    void openFile(const QString& path);
    /// Several at once; topologies among themselves become the servers of one cluster.
    void openFiles(const QStringList& paths);
    /// @param plan which of its plans to show, by index; -1: what the window shows of any project first
    void openSample(const QString& id, int plan = -1);
    /// One of madPipeCells(), and plans it.
    void openMadPipeCell(int cell);
    /// Saves without asking where and returns once it is written, while the window keeps painting.
    /// @return false if it could not be written (then a row says why)
    bool saveTo(const QString& path);
    /// The same without waiting; what is edited meanwhile stays unsaved.
    void startSaving(const QString& path);
    bool isSaving() const;
    /// Exports the plan in view, or the comparison where that is shown, with these choices, away from the GUI
    /// thread.
    void exportTo(const QString& path, const ExportChoice& choice);

    Workspace& workspace() { return WindowDocument::workspace; }
    PlanningController& planning() { return WindowDocument::planning; }
    ProblemsModel& problems() { return WindowDocument::problems; }
    Workbench& workbench() { return *workbench_; }
    ClusterSide& clusterSide();
    LessonActions& lessons() { return *lessons_; }
    const ActionRegister& actionRegister() const { return actions_; }

signals:
    /// A file that was opened, well or not, has been dealt with.
    void openingDone(QString path);
    void exported(QString path);
    void savingDone(bool written);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makeCentre();
    /// Menus list actions in the order in which they are made.
    void makeActions();
    void makeMenuBar();
    void makeExperiments();
    void makeIntake();
    void connectFiles();
    void connectStartPage();
    /// The one place that says when actions are asked anew whether they can be done.
    void connectRefresh();
    void showDocument();
    void showTitle();
    void showFailure(const OpenFailure& failure);
    /// From nothing: asks for a model, machines and what is wanted of planning.
    NewPlanDialog& askForPlan();
    /// A project that was made elsewhere, on its first plan; this window comes to the front.
    void openMade(const Project& project);

    ActionRegister actions_;
    StartPage* start_ = nullptr;
    Workbench* workbench_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    WindowBars* bars_ = nullptr;
    WindowPanels* panels_ = nullptr;
    StatusLine* status_ = nullptr;
    FileController* files_ = nullptr;
    ExportController* exports_ = nullptr;
    DocumentFollower* follower_ = nullptr;
    ProfileIntake* profiles_ = nullptr;
    ClusterController* clusters_ = nullptr;
    ExperimentsActions* experiments_ = nullptr;
    DocumentIntake* intake_ = nullptr;
    FileActions* fileActions_ = nullptr;
    PlannerActions* plannerActions_ = nullptr;
    LessonActions* lessons_ = nullptr;
};

}  // namespace stagecraft::app::shell
