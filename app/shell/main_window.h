#pragma once

#include "app/actions/action_register.h"
#include "app/document/disk_watch.h"
#include "app/document/document_opener.h"
#include "app/document/recovery.h"
#include "app/figures/figure_choice.h"
#include "app/shell/session.h"
#include "app/shell/window_document.h"

#include <QMainWindow>

class QLabel;
class QPushButton;
class QStackedWidget;
class QVBoxLayout;

namespace stagecraft {

class ClusterImport;
class ClusterSide;
class ExperimentsActions;
class MessageBar;
class PlannerPanel;
class ProfileIntake;
class ProjectTree;
class SetupPanel;
class StartPage;
class Workbench;

/// The one window: a start page, or a project with its panels and tabs.
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
    void openSample(const QString& id);
    /// One of madPipeCells(), and plans it.
    void openMadPipeCell(int cell);
    /// Saves without asking where and returns once it is written, while the window goes on painting.
    /// @return false if it could not be written (then a row says why)
    bool saveTo(const QString& path);
    /// The same without waiting; what is edited meanwhile stays unsaved.
    void startSaving(const QString& path);
    bool isSaving() const { return saving_; }
    /// Exports the plan in view, or the comparison where that is shown, with these choices, away from the GUI
    /// thread.
    void exportTo(const QString& path, const ExportChoice& choice);

    Workspace& workspace() { return workspace_; }
    PlanningController& planning() { return planning_; }
    ProblemsModel& problems() { return problems_; }
    Workbench& workbench() { return *workbench_; }
    ClusterSide& clusterSide() { return *clusterSide_; }
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
    // main_window.cpp
    void makeCentre();
    void makeDocks();
    void makeStatusBar();
    void connectDocument();
    void showDocument();
    void showTitle();
    void showSummary();
    void showProblemCount();
    void showNotablePlan(int plan);
    void showUnplannable();
    void jumpTo(const JumpTarget& target);
    int chosenPlan() const;

    // main_window_cluster.cpp
    void makeClusterSide();
    void showClusterSide();
    void insertTemplate();

    // main_window_actions.cpp
    void makeFileActions();
    void makeEditAndViewActions();
    void makePlanActions();
    void makeHelpActions();
    void addRecentMenu();
    void updateActions();
    void setTheme(ThemeChoice choice);
    void showPlanMenu(int id, const QPoint& globalPosition);
    void showAbout();

    // main_window_files.cpp
    void newProject();
    void chooseFile(const QString& title, const QString& filter);
    void onOpened(const QString& path, const OpenedDocument& document);
    void openProject(Project project, const QString& path);
    /// A project that was made elsewhere, on its first plan; this window comes to the front.
    void openMade(const Project& project);
    void takePlan(const PlanFile& file);
    void takeProfile(const ImportedProfile& imported, const QString& path);
    void saveProfile();
    void takeCluster(const Cluster& cluster);
    void takeTopology(const OpenedTopology& opened);
    void importClipboard();
    void refuse(const OpenFailure& failure);
    void finishSaving(const PendingSave& save, const QString& error);
    bool waitForSaving();
    void save();
    QString askWhereToSave();
    bool mayLeave();
    void closeProject();
    void watchFiles();
    void saveSession();
    void exportInView();
    /// What can be drawn of what is in view, that itself first; empty: nothing can.
    std::vector<FigureSource> sourcesInView() const;
    /// What the charts of the plan in view show; nothing without them.
    std::optional<FigurePart> partInView() const;
    void writeAway(const QString& path, std::function<void()> write);
    void copyPicture();

    // main_window_bars.cpp
    MessageBar* addBar(const QString& icon, const QString& text,
                       const std::vector<std::pair<QString, std::function<void()>>>& choices);
    void clearBars();
    void offerRecovery(const QList<RecoverableWork>& found);
    void recover(const RecoverableWork& work);
    void onFileChangedOnDisk(const QString& file);

    Workspace& workspace_ = WindowDocument::workspace;
    PlanningController& planning_ = WindowDocument::planning;
    ProblemsModel& problems_ = WindowDocument::problems;
    Recovery recovery_;
    DiskWatch disk_;
    DocumentOpener opener_;
    ActionRegister actions_;
    bool remarked_ = false;  ///< the problems have been shown for a bound that this project's plans exceed
    bool saving_ = false;
    bool planningSample_ = false;  ///< the plan that comes first belongs to the sample
    bool leaving_ = false;         ///< a reload was asked for: what is unsaved may go

    QVBoxLayout* bars_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    StartPage* start_ = nullptr;
    Workbench* workbench_ = nullptr;
    ProjectTree* tree_ = nullptr;
    ExperimentsActions* experiments_ = nullptr;
    ProfileIntake* intake_ = nullptr;
    PlannerPanel* planner_ = nullptr;
    SetupPanel* setup_ = nullptr;
    QDockWidget* side_ = nullptr;
    QDockWidget* problemsDock_ = nullptr;
    ClusterImport* import_ = nullptr;
    ClusterSide* clusterSide_ = nullptr;
    QLabel* summary_ = nullptr;
    QLabel* hover_ = nullptr;
    QLabel* planningTime_ = nullptr;
    QPushButton* problemsButton_ = nullptr;
};

}  // namespace stagecraft
