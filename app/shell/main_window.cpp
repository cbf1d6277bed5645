#include "app/shell/main_window.h"

#include "app/document/run_summary.h"
#include "app/experiments/experiments_actions.h"
#include "app/experiments/experiments_window.h"
#include "app/panels/planner_panel.h"
#include "app/panels/problems_panel.h"
#include "app/panels/project_tree.h"
#include "app/panels/section.h"
#include "app/panels/setup_panel.h"
#include "app/shell/cluster_actions.h"
#include "app/shell/edit_actions.h"
#include "app/shell/message_time.h"
#include "app/shell/plan_actions.h"
#include "app/shell/play_actions.h"
#include "app/shell/profile_actions.h"
#include "app/shell/profile_intake.h"
#include "app/shell/style_ahead.h"
#include "app/shell/training_actions.h"
#include "app/shell/vpipe_actions.h"
#include "app/shell/workbench.h"
#include "app/start/start_page.h"
#include "app/training/training_page.h"
#include "core/base/units.h"
#include "views/common/elided_label.h"
#include "views/common/focus_mark.h"
#include "views/profile/profile_view.h"
#include "views/topology/topology_view.h"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyle>
#include <QVBoxLayout>

namespace stagecraft {
namespace {

constexpr QSize usualSize(1280, 800);

/// What the status bar says takes the room that there is.
void showWhole(QLabel* label, const QString& text) { static_cast<ElidedLabel*>(label)->setWhole(text); }

}  // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent), recovery_(workspace_) {
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    markKeyboardFocus(*qApp);
    makeCentre();
    intake_ = new ProfileIntake(workspace_, *workbench_, *this);
    connect(intake_, &ProfileIntake::projectWanted, this,
            [this](const Project& project) { openProject(project, {}); });
    makeDocks();
    makeStatusBar();
    makeFileActions();
    makeEditAndViewActions();
    makePlanActions();
    new ClusterActions(actions_, workspace_, *workbench_, this);
    makeClusterSide();
    new ProfileActions(actions_, workspace_, *workbench_, this);
    new PlanActions(actions_, *workbench_, this);
    new EditActions(actions_, *workbench_, this);
    new TrainingActions(actions_, *workbench_, this);
    new PlayActions(actions_, workspace_, *workbench_, this);
    new VpipeActions(actions_, workspace_, *workbench_, this);
    experiments_ = new ExperimentsActions(actions_, workspace_, this);
    connect(start_, &StartPage::newExperimentRequested, experiments_, &ExperimentsActions::newExperiment);
    connect(start_, &StartPage::experimentChosen, this, [this](const QString& id) {
        ExperimentsWindow& window = experiments_->open();
        id.isEmpty() ? window.showOverview() : window.showPaper(id);
    });
    connect(experiments_, &ExperimentsActions::projectWanted, this, &MainWindow::openMade);
    makeHelpActions();
    actions_.fillMenuBar(*menuBar());
    addRecentMenu();
    auto* search = new QPushButton(lineIcon(QStringLiteral("search")), tr("Commands"));
    search->setProperty("quiet", true);
    search->setToolTip(tr("Find a command (Ctrl+Shift+P)"));
    connect(search, &QPushButton::clicked, actions_.action(QStringLiteral("help.palette")),
            &QAction::trigger);
    menuBar()->setCornerWidget(search);
    connectDocument();
    resize(usualSize);
    showDocument();
    styleAhead(*this);

    QList<RecoverableWork> found = Recovery::find({});
    for (const QString& file : Preferences::recentFiles()) found += Recovery::find(file);
    offerRecovery(found);
}

void MainWindow::takePlaceOnScreen() {
    if (restoreGeometry(Preferences::windowGeometry())) return;
    const int bar = style()->pixelMetric(QStyle::PM_TitleBarHeight);
    const QRect room = screen()->availableGeometry();
    if (room.width() < usualSize.width() || room.height() < usualSize.height() + bar)
        setWindowState(windowState() | Qt::WindowMaximized);
}

void MainWindow::makeCentre() {
    start_ = new StartPage;
    workbench_ = new Workbench(workspace_);
    pages_ = new QStackedWidget;
    pages_->addWidget(start_);
    pages_->addWidget(workbench_);
    auto* centre = new QWidget;
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    bars_ = new QVBoxLayout;
    bars_->setSpacing(1);
    layout->addLayout(bars_);
    layout->addWidget(pages_, 1);
    setCentralWidget(centre);
}

void MainWindow::makeDocks() {
    tree_ = new ProjectTree(workspace_);
    planner_ = new PlannerPanel(workspace_, planning_);
    setup_ = new SetupPanel(workspace_);
    auto* panels = new QWidget;
    auto* layout = new QVBoxLayout(panels);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(tree_, 1);
    layout->addWidget(new Section(tr("Plan"), planner_));
    layout->addWidget(new Section(tr("Setup"), setup_));
    tree_->setMinimumHeight(208);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(264);
    scroll->setWidget(panels);
    side_ = new QDockWidget(tr("Project"));
    side_->setObjectName(QStringLiteral("projectDock"));
    side_->setWidget(scroll);
    side_->setFeatures(QDockWidget::NoDockWidgetFeatures);
    addDockWidget(Qt::LeftDockWidgetArea, side_);

    auto* problems = new ProblemsPanel(problems_);
    connect(problems, &ProblemsPanel::jumpRequested, this, &MainWindow::jumpTo);
    connect(problems, &ProblemsPanel::fixRequested, this,
            [this](const ProblemFix& fix) { fix.apply(workspace_); });
    problemsDock_ = new QDockWidget(tr("Problems"));
    problemsDock_->setObjectName(QStringLiteral("problemsDock"));
    problemsDock_->setFeatures(QDockWidget::DockWidgetClosable);
    problemsDock_->setWidget(problems);
    addDockWidget(Qt::BottomDockWidgetArea, problemsDock_);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    resizeDocks({problemsDock_}, {136}, Qt::Vertical);
    problemsDock_->hide();
}

void MainWindow::makeStatusBar() {
    auto* summary = new ElidedLabel;
    summary->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    summary->setObjectName(QStringLiteral("summary"));
    summary_ = summary;
    hover_ = new ElidedLabel;
    hover_->setProperty("role", "muted");
    planningTime_ = new QLabel;
    planningTime_->setProperty("role", "muted");
    problemsButton_ = new QPushButton;
    problemsButton_->setObjectName(QStringLiteral("problemsButton"));
    problemsButton_->setProperty("quiet", true);
    connect(problemsButton_, &QPushButton::clicked, this,
            [this] { problemsDock_->setVisible(!problemsDock_->isVisible()); });
    summary_->setContentsMargins(8, 0, 8, 0);
    statusBar()->addWidget(summary_);
    statusBar()->addWidget(hover_, 1);
    statusBar()->addPermanentWidget(planningTime_);
    statusBar()->addPermanentWidget(problemsButton_);
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::connectDocument() {
    connect(&workspace_, &Workspace::projectReplaced, this, &MainWindow::showDocument);
    connect(&workspace_, &Workspace::titleChanged, this, &MainWindow::showTitle);
    connect(&workspace_, &Workspace::runChanged, this, &MainWindow::showSummary);
    connect(&workspace_, &Workspace::runChanged, this, &MainWindow::updateActions);
    connect(&workspace_, &Workspace::runChanged, this, &MainWindow::showNotablePlan);
    connect(&workspace_, &Workspace::plansChanged, this, &MainWindow::showSummary);
    connect(&workspace_, &Workspace::plansChanged, this, &MainWindow::updateActions);
    connect(&workspace_, &Workspace::plansChanged, this, [this] {
        if (const int id = workbench_->currentPlan()) tree_->selectPlan(id);
    });
    connect(&problems_, &QAbstractItemModel::modelReset, this, &MainWindow::showProblemCount);
    connect(&planning_, &PlanningController::planningChanged, this, &MainWindow::updateActions);
    connect(&planning_, &PlanningController::busyChanged, this,
            [this] { actions_.action(QStringLiteral("plan.cancel"))->setEnabled(planning_.isBusy()); });
    connect(&planning_, &PlanningController::planned, this, [this](int id) {
        // Nothing of a person's own is lost with it.
        if (std::exchange(planningSample_, false) && workspace_.undoStack()->count() == 1)
            workspace_.undoStack()->clear();
        // One planner: its plan is what one wants to see. Several: the comparison, once the last is there.
        if (planner_->chosen().size() == 1) workbench_->showPlan(id);
    });
    connect(&planning_, &PlanningController::planningChanged, this, [this] {
        if (!planning_.isPlanning() && !planning_.isPlanningAgain() && planner_->chosen().size() > 1 &&
            !workspace_.plans().empty())
            workbench_->showCompare();
    });
    connect(&planning_, &PlanningController::failed, this, [this](const QString& reason) {
        statusBar()->showMessage(reason, messageMs);
        showUnplannable();
    });
    connect(&recovery_, &Recovery::failed, this, [this](const QString& reason) {
        problems_.addInput({Severity::warning, tr("Recovery"), reason, {}});
    });
    connect(&disk_, &DiskWatch::changed, this, &MainWindow::onFileChangedOnDisk);
    connect(&opener_, &DocumentOpener::opened, this, &MainWindow::onOpened);

    connect(start_, &StartPage::sampleChosen, this, &MainWindow::openSample);
    connect(start_, &StartPage::madPipeCellChosen, this, &MainWindow::openMadPipeCell);
    connect(start_, &StartPage::recentChosen, this, &MainWindow::openFile);
    connect(start_, &StartPage::newRequested, actions_.action(QStringLiteral("file.new")), &QAction::trigger);
    connect(start_, &StartPage::openRequested, actions_.action(QStringLiteral("file.open")),
            &QAction::trigger);

    connect(tree_, &ProjectTree::clusterChosen, workbench_, &Workbench::showCluster);
    connect(tree_, &ProjectTree::profileChosen, workbench_, &Workbench::showProfile);
    connect(tree_, &ProjectTree::setupChosen, setup_, &SetupPanel::focusFirst);
    connect(tree_, &ProjectTree::planChosen, this, [this](int id) { workbench_->showPlan(id); });
    connect(tree_, &ProjectTree::renamed, &workspace_, &Workspace::renamePlan, Qt::QueuedConnection);
    connect(tree_, &ProjectTree::removeRequested, &workspace_, &Workspace::removePlan, Qt::QueuedConnection);
    connect(tree_, &ProjectTree::contextMenuWanted, this, &MainWindow::showPlanMenu);

    connect(workbench_, &Workbench::planShown, this, [this](int id) {
        if (id) tree_->selectPlan(id);
        showWhole(hover_, {});
        showSummary();
        updateActions();
    });
    connect(workbench_->training(), &TrainingPage::stateChanged, this, &MainWindow::updateActions);
    connect(workbench_, &Workbench::statusText, this,
            [this](const QString& text) { showWhole(hover_, text); });
    connect(workbench_, &Workbench::exportRequested, this, &MainWindow::exportInView);
    connect(workbench_, &Workbench::planningRequested, planner_, &PlannerPanel::run);
    connect(workbench_, &Workbench::planAgainRequested, &planning_, &PlanningController::planAgain);
    connect(workbench_, &Workbench::openClusterRequested, actions_.action(QStringLiteral("cluster.replace")),
            &QAction::trigger);
    connect(workbench_, &Workbench::openProfileRequested, actions_.action(QStringLiteral("profile.replace")),
            &QAction::trigger);
    connect(workbench_, &Workbench::generateProfileRequested,
            actions_.action(QStringLiteral("profile.generate")), &QAction::trigger);
}

void MainWindow::showDocument() {
    const bool open = workspace_.isOpen();
    pages_->setCurrentWidget(open ? static_cast<QWidget*>(workbench_) : start_);
    side_->setVisible(open);
    if (!open) {
        problemsDock_->hide();
        start_->setRecent(Preferences::recentFiles());
    }
    problemsButton_->setVisible(open);
    planningTime_->clear();
    showWhole(hover_, {});
    showTitle();
    showSummary();
    showProblemCount();
    updateActions();
}

void MainWindow::showTitle() {
    setWindowTitle(workspace_.isOpen() ? tr("%1[*] — Stagecraft").arg(workspace_.title()) : tr("Stagecraft"));
    setWindowModified(workspace_.isDirty());
    setWindowFilePath(workspace_.path());
}

void MainWindow::showSummary() {
    const PlanItem* item = workbench_->planInView();
    // Never shown or hidden here: that is the status bar's own business while it has a message.
    if (!workspace_.isOpen()) {
        showWhole(summary_, {});
    } else if (!item) {
        showWhole(summary_, tr("No plan yet: choose a planner and run it"));
        planningTime_->clear();
    } else if (!item->run) {
        showWhole(summary_, tr("%1: being worked out").arg(item->title()));
    } else {
        showWhole(summary_, QStringLiteral("%1: %2").arg(item->title(), summaryOf(*item->run)));
        const double took = item->run->planningTimeS;
        planningTime_->setText(took > 0 ? QString::fromStdString(formatSeconds(took)) : QString());
        planningTime_->setToolTip(tr("Time that planning took"));
    }
}

void MainWindow::showProblemCount() {
    const int faults = problems_.faultCount();
    const int notes = problems_.rowCount() - faults;
    problemsButton_->setText(faults  ? tr("Problems (%1)").arg(faults)
                             : notes ? tr("Notes (%1)").arg(notes)
                                     : tr("No problems"));
    problemsButton_->setIcon(lineIcon(problems_.errorCount() ? QStringLiteral("error")
                                      : faults               ? QStringLiteral("warning")
                                      : notes                ? QStringLiteral("info")
                                                             : QStringLiteral("ok")));
}

void MainWindow::showNotablePlan(int plan) {
    const PlanItem* item = workspace_.plan(plan);
    if (remarked_ || !item || !item->run || !exceededGuarantee(*item->run)) return;
    remarked_ = true;
    problemsDock_->show();
}

/// What is missing has no row among the problems: its page says what to do.
void MainWindow::showUnplannable() {
    const Problem& problem = workspace_.problem();
    if (problems_.faultCount() == 0 && problem.profile.layers.empty())
        workbench_->showProfile();
    else if (problems_.faultCount() == 0 && problem.cluster.devices.empty())
        workbench_->showCluster();
    else
        problemsDock_->show();
}

void MainWindow::jumpTo(const JumpTarget& target) {
    switch (target.place) {
        case JumpTarget::Place::none:
            return;
        case JumpTarget::Place::cluster:
            workbench_->showCluster();
            if (!target.selection.isEmpty()) workbench_->topology()->showSelection(target.selection);
            return;
        case JumpTarget::Place::profile:
            workbench_->showProfile();
            if (target.layer >= 0) workbench_->profile()->selectLayer(target.layer);
            return;
        case JumpTarget::Place::setup:
            return setup_->focusFirst();
        case JumpTarget::Place::plan:
            return workbench_->showPlan(target.plan, target.block);
    }
}

int MainWindow::chosenPlan() const {
    const PlanItem* item = workbench_->planInView();
    return item ? item->id : 0;
}

}  // namespace stagecraft
