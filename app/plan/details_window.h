#pragma once

#include "app/document/workspace.h"
#include "views/common/job.h"

#include <QTimer>
#include <QWidget>

class QLabel;

namespace stagecraft::views::compare {
class DetailView;
}

namespace stagecraft::app::plan {

/// What the planner of a plan looked through, as tables, in a window beside the main one. Follows the plan
/// that is in view; the tables are made on a thread, when they are looked at.
class DetailsWindow : public QWidget {
    Q_OBJECT

public:
    explicit DetailsWindow(Workspace& workspace, QWidget* parent = nullptr);

    /// 0: no plan
    void lookAt(int planId);
    DetailView& view() { return *view_; }
    bool isBusy() const { return settled_.isActive() || job_.isRunning(); }

protected:
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    void bringUpToDate();
    void showTitle();
    void makeTable();
    void exportTable();

    Workspace& workspace_;
    Job job_;
    QTimer settled_;
    QLabel *title_, *age_;
    DetailView* view_;
    int lookedAt_ = 0;
    std::shared_ptr<const PlanRun> run_;  ///< what is shown is of this
};

}  // namespace stagecraft::app::plan
