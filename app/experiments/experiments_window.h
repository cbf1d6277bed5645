#pragma once

#include "app/experiments/builder/base_chooser.h"
#include "app/experiments/cell_opener.h"
#include "app/experiments/draft_keeper.h"
#include "app/experiments/sweep_run.h"
#include "core/experiments/results.h"
#include "views/common/job.h"

#include <QTimer>
#include <QWidget>

#include <map>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace stagecraft::views::experiments {
class ExperimentView;
}
namespace stagecraft::views::plan {
class PlanView;
}

namespace stagecraft::app::experiments {

class ClaimsOverview;
class ExperimentBuilder;
class ExperimentsList;
class RemovedBar;

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
    /// The builder, with every schedule over several numbers of microbatches.
    void newScheduleExperiment(const Problem& problem);
    /// What is shown, in the builder: an own one itself, one of the papers as a copy.
    void editShown();
    void run();
    void stop();
    bool isRunning() const { return run_.isRunning(); }
    /// What was chosen is not shown yet.
    bool isReading() const { return shipped_.isRunning() || reading_.isRunning(); }
    ExperimentBuilder& builder();
    ExperimentView& view() { return *view_; }
    ExperimentsList& list() { return *list_; }
    ClaimsOverview& overview() { return *overview_; }

signals:
    /// The plan of a cell is worked out, and is to be opened in the main window.
    void projectWanted(const stagecraft::formats::Project& project);
    /// It is worked out and shown in a window of its own.
    void planShown(stagecraft::views::plan::PlanView* view);
    void ended();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeSide();
    QWidget* makeDocument();
    void connectList();
    void connectView();
    void connectRun();
    void connectDrafts();
    void showPage(QWidget* page);
    void showResults(const Experiment& experiment, std::vector<CellResult> cells, const QString& status);
    void showClaims();
    void showPaperResults(const QString& id);
    /// Of a custom experiment; its file is read if it was not yet.
    void showOwn(const QString& path);
    void askForFile();
    void open(const QString& path);
    void showFailure(const QString& sentence);
    void runDraft(const Experiment& experiment);
    void keepDraft();
    void takeSaved(const QString& path, const Experiment& experiment);
    void closeBuilder();
    void takeOwn(const QString& path, ExperimentResults results);
    void dropOwn(const QString& path);
    void removeOwn(const QString& path);
    void renameOwn(const QString& path, const QString& name);
    void exportShown();

    ExperimentsList* list_ = nullptr;
    RemovedBar* removed_ = nullptr;
    ClaimsOverview* overview_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QLabel* failure_ = nullptr;
    ExperimentView* view_ = nullptr;
    ExperimentBuilder* builder_ = nullptr;
    QPushButton* edit_ = nullptr;
    OpenProject openProject_;
    SweepRun run_;
    Job reading_;
    Job shipped_;  ///< reads what came with the program
    Job renaming_;
    DraftKeeper drafts_;
    CellOpener opener_;
    QString shown_;   ///< what charts are remembered by: the paper experiment's id, or the path
    QTimer refresh_;  ///< charts follow a run at most so often
    std::map<QString, ExperimentResults> own_;  ///< by path
};

}  // namespace stagecraft::app::experiments
