#pragma once

#include "app/experiments/builder/base_chooser.h"
#include "app/experiments/cell_opener.h"
#include "app/experiments/draft_keeper.h"
#include "app/experiments/sweep_run.h"
#include "app/jobs/background_task.h"
#include "core/experiments/results.h"

#include <QTimer>
#include <QWidget>

#include <memory>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTreeWidget;
class QTreeWidgetItem;
class QVBoxLayout;

namespace stagecraft {

class ExperimentBuilder;
class ExperimentView;
class PlanView;

/// Experiments in a window beside the main one: the papers' with what became of their claims, and those that
/// a person opens. They run on threads; what is done is kept for the next time.
class ExperimentsWindow : public QWidget {
    Q_OBJECT
    Q_MOC_INCLUDE("views/plan/plan_view.h")

public:
    explicit ExperimentsWindow(QWidget* parent = nullptr);
    ~ExperimentsWindow() override;

    /// All claims of the papers, and what became of them.
    void showOverview();
    /// Of paperExperiments().
    void showPaper(const QString& id);
    /// An experiment's file, or results. A file that cannot be read is reported in the status.
    bool openFile(const QString& path);
    /// What a file held, which is listed from then on.
    void showOpened(const QString& path, ExperimentResults results);
    /// What a new experiment may begin with.
    void setOpenProject(OpenProject openProject) { openProject_ = std::move(openProject); }
    void newExperiment();
    /// What is shown, in the builder: an own one itself, one of the papers as a copy.
    void editShown();
    void run();
    void stop();
    bool isRunning() const { return run_.isRunning(); }
    ExperimentBuilder& builder();
    ExperimentView& view() { return *view_; }
    QTreeWidget& list() { return *list_; }
    QTreeWidget& overview() { return *overview_; }

signals:
    /// The plan of a cell is worked out, and is to be opened in the main window.
    void projectWanted(const stagecraft::Project& project);
    /// It is worked out and shown in a window of its own.
    void planShown(stagecraft::PlanView* view);
    void ended();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeSide();
    void showPage(QWidget* page);
    void fillList();
    void fillOverview();
    void showResults(const Experiment& experiment, std::vector<CellResult> cells, const QString& status);
    void choose(QTreeWidgetItem* item);
    void askForFile();
    void open(const QString& path);
    void showFailure(const QString& sentence);
    void runDraft(const Experiment& experiment);
    void connectDrafts();
    void keepDraft();
    void closeBuilder();
    /// Delete and rename.
    void prepareOwnList();
    void showOwnMenu(const QPoint& at);
    /// Of an own experiment; empty otherwise.
    static QString pathOf(const QTreeWidgetItem* item);
    QTreeWidgetItem* findOwn(const QString& path) const;
    QTreeWidgetItem* ownItem(const QString& path);
    /// Lists it first at the next start.
    QTreeWidgetItem* nameOwn(const QString& path, const QString& name);
    void takeOwn(const QString& path, ExperimentResults results);
    void dropOwn(const QString& path);
    void removeOwn(const QString& path);
    void putBackOwn();
    void showRemoved();
    void renameOwn(const QString& path, const QString& name);
    void connectRun();
    void exportShown();

    /// Taken off the list, with what its file held if that went too.
    struct Removed {
        QString path, name;
        std::optional<std::string> text;
    };

    QTreeWidget* list_ = nullptr;
    QVBoxLayout* bars_ = nullptr;
    QTreeWidget* overview_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QLabel* failure_ = nullptr;
    ExperimentView* view_ = nullptr;
    ExperimentBuilder* builder_ = nullptr;
    QTreeWidgetItem* ownGroup_ = nullptr;
    QPushButton* edit_ = nullptr;
    OpenProject openProject_;
    SweepRun run_;
    BackgroundTask reading_;
    BackgroundTask renaming_;
    DraftKeeper drafts_;
    std::vector<Removed> removed_;
    CellOpener opener_;
    QString shown_;   ///< what charts are remembered by: the paper experiment's id, or the path
    QTimer refresh_;  ///< charts follow a run at most so often
    std::vector<std::pair<QString, ExperimentResults>> own_;  ///< by path
};

}  // namespace stagecraft
