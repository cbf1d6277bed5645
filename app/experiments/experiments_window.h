#pragma once

#include "app/background_task.h"
#include "core/experiments/results.h"

#include <QTimer>
#include <QWidget>

#include <memory>

class QLabel;
class QStackedWidget;
class QTreeWidget;
class QTreeWidgetItem;

namespace stagecraft {

class ExperimentView;
class PlanView;

/// Experiments in a window beside the main one: the papers' with what became of their claims, and those that
/// a person opens. They run on threads; what is done is kept for the next time.
class ExperimentsWindow : public QWidget {
    Q_OBJECT

public:
    explicit ExperimentsWindow(QWidget* parent = nullptr);
    ~ExperimentsWindow() override;

    /// All claims of the papers, and what became of them.
    void showOverview();
    /// Of paperExperiments().
    void showPaper(const QString& id);
    /// An experiment's file, or results. A file that cannot be read is told in the status.
    bool openFile(const QString& path);
    void run();
    void stop();
    bool isRunning() const { return task_.isRunning(); }
    ExperimentView& view() { return *view_; }
    QTreeWidget& list() { return *list_; }
    QTreeWidget& overview() { return *overview_; }

signals:
    /// The plan of a cell is worked out and shown in a window of its own.
    void planShown(stagecraft::PlanView* view);
    void ended();

private:
    QWidget* makeSide();
    void fillList();
    void fillOverview();
    void showResults(const Experiment& experiment, std::vector<CellResult> cells, const QString& status);
    void choose(QTreeWidgetItem* item);
    void askForFile();
    void connectTask();
    void exportShown();
    void lookAt(std::size_t cell);

    QTreeWidget* list_ = nullptr;
    QTreeWidget* overview_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QLabel* failure_ = nullptr;
    ExperimentView* view_ = nullptr;
    BackgroundTask task_;
    BackgroundTask looking_;
    QTimer refresh_;                                          ///< charts follow a run at most so often
    std::vector<std::pair<QString, ExperimentResults>> own_;  ///< by path
    std::size_t done_ = 0;
};

}  // namespace stagecraft
