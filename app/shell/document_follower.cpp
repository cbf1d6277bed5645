#include "app/shell/document_follower.h"

#include "app/compare/compare_page.h"
#include "app/document/run_summary.h"
#include "app/panels/planner_panel.h"
#include "app/panels/project_tree.h"
#include "app/panels/setup_panel.h"
#include "app/recording/recording_page.h"
#include "app/shell/window_panels.h"
#include "app/shell/window_parts.h"
#include "app/shell/workbench.h"
#include "views/profile/profile_view.h"
#include "views/topology/topology_view.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QStatusBar>

namespace stagecraft::app::shell {

DocumentFollower::DocumentFollower(WindowDocument& document, Workbench& workbench, WindowPanels& panels,
                                   QMainWindow& window)
    : QObject(&window), document_(document), workbench_(workbench), panels_(panels), window_(window) {
    followTree();
    followPlanning();
    connect(&panels_, &WindowPanels::jumpRequested, this, &DocumentFollower::jumpTo);
    connect(&document_.workspace, &Workspace::runsChanged, this, [this](const std::vector<int>& plans) {
        for (const int plan : plans) showNotablePlan(plan);
    });
}

void DocumentFollower::followTree() {
    ProjectTree* tree = &panels_.tree();
    Workspace* workspace = &document_.workspace;
    connect(tree, &ProjectTree::clusterChosen, &workbench_, &Workbench::showCluster);
    connect(tree, &ProjectTree::profileChosen, &workbench_, &Workbench::showProfile);
    connect(tree, &ProjectTree::setupChosen, &panels_.setup(), &SetupPanel::focusFirst);
    connect(tree, &ProjectTree::planChosen, this, [this](int id) { workbench_.showPlan(id); });
    connect(tree, &ProjectTree::recordingChosen, this, [this](int recording) {
        workbench_.recording()->show(recording);
        workbench_.showRecording();
    });
    connect(tree, &ProjectTree::renamed, workspace, &Workspace::renamePlan, Qt::QueuedConnection);
    connect(tree, &ProjectTree::removeRequested, workspace, &Workspace::removePlan, Qt::QueuedConnection);
    connect(tree, &ProjectTree::figureRenamed, workspace, &Workspace::renameFigure, Qt::QueuedConnection);
    connect(tree, &ProjectTree::figureRemoveRequested, workspace, &Workspace::removeFigure,
            Qt::QueuedConnection);
    connect(workspace, &Workspace::plansChanged, this, [this, tree] {
        if (const int id = workbench_.currentPlan()) tree->selectPlan(id);
    });
    connect(&workbench_, &Workbench::planShown, this, [tree](int id) {
        if (id) tree->selectPlan(id);
    });
}

void DocumentFollower::followPlanning() {
    PlanningController* planning = &document_.planning;
    PlannerPanel* planner = &panels_.planner();
    connect(&workbench_, &Workbench::planningRequested, planner, &PlannerPanel::run);
    connect(&workbench_, &Workbench::planAgainRequested, planning, &PlanningController::planAgain);
    connect(workbench_.compare(), &ComparePage::triedActivated, planning, &PlanningController::openTried);
    connect(planning, &PlanningController::triedOpened, &workbench_,
            [this](int id) { workbench_.showPlan(id); });
    connect(planning, &PlanningController::planned, this, [this, planner](int id) {
        // Nothing of a person's own is lost with it.
        if (std::exchange(planningSample_, false) && document_.workspace.undoStack()->count() == 1)
            document_.workspace.undoStack()->clear();
        // One planner: its plan is what one wants to see. Several: the comparison, once the last is there.
        if (planner->chosen().size() == 1) workbench_.showPlan(id);
    });
    connect(planning, &PlanningController::planningChanged, this, [this, planning, planner] {
        if (!planning->isPlanning() && !planning->isPlanningAgain() && planner->chosen().size() > 1 &&
            !document_.workspace.plans().empty())
            workbench_.showCompare();
    });
    connect(planning, &PlanningController::failed, this, [this](const QString& reason) {
        window_.statusBar()->showMessage(tr("Nothing to plan yet: %1").arg(reason), messageMs);
        showUnplannable();
    });
}

void DocumentFollower::forget() {
    panels_.problems().hide();
    remarked_ = false;
}

void DocumentFollower::planSample(const QString& planner) {
    panels_.planner().choose(planner);
    panels_.planner().run();
    planningSample_ = true;
}

void DocumentFollower::showNotablePlan(int plan) {
    const PlanItem* item = document_.workspace.plan(plan);
    if (remarked_ || !item || !item->run || !exceededGuarantee(*item->run)) return;
    remarked_ = true;
    panels_.problems().show();
}

/// What is missing has no row among the problems: its page says what to do.
void DocumentFollower::showUnplannable() {
    const Problem& problem = document_.workspace.problem();
    const bool faultless = document_.problems.faultCount() == 0;
    if (faultless && problem.profile.layers.empty())
        workbench_.showProfile();
    else if (faultless && problem.cluster.devices.empty())
        workbench_.showCluster();
    else
        panels_.problems().show();
}

void DocumentFollower::jumpTo(const JumpTarget& target) {
    switch (target.place) {
        case JumpTarget::Place::none:
            return;
        case JumpTarget::Place::cluster:
            workbench_.showCluster();
            if (!target.selection.isEmpty()) workbench_.topology()->showSelection(target.selection);
            return;
        case JumpTarget::Place::profile:
            workbench_.showProfile();
            if (target.layer >= 0) workbench_.profile()->selectLayer(target.layer);
            return;
        case JumpTarget::Place::setup:
            return panels_.setup().focusFirst();
        case JumpTarget::Place::plan:
            return workbench_.showPlan(target.plan, target.block);
    }
}

}  // namespace stagecraft::app::shell
