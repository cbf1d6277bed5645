#include "app/shell/status_line.h"

#include "app/document/run_summary.h"
#include "app/plan/plan_page.h"
#include "app/recording/recording_page.h"
#include "app/shell/workbench.h"
#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QPushButton>
#include <QStatusBar>

namespace stagecraft::app::shell {

StatusLine::StatusLine(QStatusBar& bar, WindowDocument& document, Workbench& workbench, QObject* parent)
    : QObject(parent),
      document_(document),
      workbench_(workbench),
      summary_(new ElidedLabel),
      hover_(new ElidedLabel),
      planningTime_(new QLabel),
      problems_(new QPushButton) {
    summary_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    summary_->setObjectName(QStringLiteral("summary"));
    summary_->setContentsMargins(8, 0, 8, 0);
    hover_->setProperty("role", "muted");
    planningTime_->setObjectName(QStringLiteral("planningTime"));
    planningTime_->setProperty("role", "muted");
    planningTime_->setContentsMargins(16, 0, 8, 0);  // apart from what is beside it
    problems_->setObjectName(QStringLiteral("problemsButton"));
    problems_->setProperty("quiet", true);
    bar.addWidget(summary_);
    bar.addWidget(hover_, 1);
    bar.addPermanentWidget(planningTime_);
    bar.addPermanentWidget(problems_);
    bar.setSizeGripEnabled(false);
    connect(problems_, &QPushButton::clicked, this, &StatusLine::problemsClicked);
    connect(&document.workspace, &Workspace::runsChanged, this, &StatusLine::showSummary);
    connect(&document.workspace, &Workspace::plansChanged, this, &StatusLine::showSummary);
    connect(&document.problems, &QAbstractItemModel::modelReset, this, &StatusLine::showProblemCount);
    connect(&workbench, &Workbench::statusText, this, &StatusLine::showHover);
    // What it said of an edit is not true of the document before or after that.
    connect(document.workspace.undoStack(), &QUndoStack::indexChanged, this, [this] {
        showHover({});
        showSummary();
    });
    connect(workbench.recording(), &RecordingPage::stateChanged, this, &StatusLine::showSummary);
    connect(&workbench, &Workbench::trialShown, this, &StatusLine::showSummary);
    connect(&workbench, &Workbench::planShown, this, [this] {
        showHover({});
        showSummary();
    });
}

void StatusLine::showDocument() {
    problems_->setVisible(document_.workspace.isOpen());
    planningTime_->clear();
    showHover({});
    showSummary();
    showProblemCount();
}

void StatusLine::showHover(const QString& text) { hover_->setWhole(text); }

void StatusLine::showSummary() {
    const PlanItem* item = workbench_.planInView();
    // Never shown or hidden here: that is the status bar's own business while it has a message.
    const double took = item && item->run ? item->run->result.planningTimeS : 0;
    planningTime_->setText(took > 0 ? tr("planning time %1").arg(qtText(formatSeconds(took))) : QString());
    if (!document_.workspace.isOpen()) {
        summary_->setWhole({});
    } else if (!item) {
        const auto reason = whyUnplannable(document_.workspace.problem());
        summary_->setWhole(reason ? tr("No plan yet: %1").arg(qtText(*reason))
                                  : tr("No plan yet: choose a planner and run it"));
    } else if (workbench_.currentPage() == workbench_.recording()) {
        // The plan's predicted iteration below what was recorded would be taken for that.
        summary_->setWhole(workbench_.recording()->summary());
    } else if (!item->run) {
        summary_->setWhole(tr("%1: being worked out").arg(item->title()));
    } else {
        // The figures of what is tried, where that is in view.
        const PlanPage* page = workbench_.planPage(workbench_.currentPlan());
        const bool tried = page && page->showsTrial() && page->shownRun()->ok();
        summary_->setWhole(
            (tried ? tr("%1, not applied: %2") : QStringLiteral("%1: %2"))
                .arg(item->title(), summaryOf(tried ? *page->shownRun() : *item->run, item->title())));
    }
}

void StatusLine::showProblemCount() {
    const int faults = document_.problems.faultCount();
    const int notes = document_.problems.rowCount() - faults;
    problems_->setText(faults  ? tr("Problems (%1)").arg(faults)
                       : notes ? tr("No problems, %1").arg(countedText(notes, "note"))
                               : tr("No problems"));
    problems_->setIcon(lineIcon(document_.problems.errorCount() ? QStringLiteral("error")
                                : faults                        ? QStringLiteral("warning")
                                : notes                         ? QStringLiteral("info")
                                                                : QStringLiteral("ok")));
}

}  // namespace stagecraft::app::shell
