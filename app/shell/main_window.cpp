#include "app/shell/main_window.h"

#include "app/document/samples.h"
#include "app/experiments/experiments_actions.h"
#include "app/experiments/experiments_window.h"
#include "app/panels/planner_panel.h"
#include "app/panels/project_tree.h"
#include "app/pareto/frontier_page.h"
#include "app/pareto/pareto_page.h"
#include "app/shell/cluster_actions.h"
#include "app/shell/cluster_controller.h"
#include "app/shell/document_follower.h"
#include "app/shell/document_intake.h"
#include "app/shell/export_controller.h"
#include "app/shell/file_actions.h"
#include "app/shell/help_actions.h"
#include "app/shell/lesson_actions.h"
#include "app/shell/planner_actions.h"
#include "app/shell/preference_actions.h"
#include "app/shell/profile_actions.h"
#include "app/shell/profile_intake.h"
#include "app/shell/reading_progress.h"
#include "app/shell/session.h"
#include "app/shell/status_line.h"
#include "app/shell/view_actions.h"
#include "app/shell/window_actions.h"
#include "app/shell/window_panels.h"
#include "app/shell/window_parts.h"
#include "app/shell/workbench.h"
#include "app/start/madpipe_grid.h"
#include "app/start/new_plan_dialog.h"
#include "app/start/start_page.h"
#include "app/training/training_page.h"
#include "views/common/widgets.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QMenuBar>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyle>
#include <QTimer>
#include <QWidget>

#include <memory>

class QWidget;

namespace stagecraft::app::shell {
namespace {

constexpr int sliceMs = 4;

/// Styles the parts of a widget that is not shown yet, a few at a time while nothing else is to be done, so
/// that they need no longer be when it is shown first.
void styleAhead(QWidget& hidden) {
    // From the innermost out, since styling a widget styles all that it contains.
    auto left = std::make_shared<QList<QPointer<QWidget>>>();
    for (QWidget* part : hidden.findChildren<QWidget*>()) left->append(part);
    auto* timer = new QTimer(&hidden);
    QObject::connect(timer, &QTimer::timeout, &hidden, [timer, left] {
        QElapsedTimer slice;
        slice.start();
        while (!left->isEmpty() && slice.elapsed() < sliceMs)
            if (const QPointer<QWidget> part = left->takeLast()) part->ensurePolished();
        if (left->isEmpty()) timer->deleteLater();
    });
    timer->start(0);
}

constexpr QSize usualSize(1280, 800);

}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent) {
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    markKeyboardFocus(*qApp);
    pressButtonsByReturn(*qApp);
    makeCentre();
    profiles_ = new ProfileIntake(workspace(), *workbench_, *this);
    panels_ = new WindowPanels(*this, *this);
    status_ = new StatusLine(*statusBar(), *this, *workbench_, this);
    files_ = new FileController(*this, *workbench_, *bars_, *this);
    exports_ = new ExportController(workspace(), *workbench_, *this);
    makeActions();
    makeIntake();
    makeMenuBar();
    connect(&workspace(), &Workspace::projectReplaced, this, &MainWindow::showDocument);
    connect(&workspace(), &Workspace::titleChanged, this, &MainWindow::showTitle);
    follower_ = new DocumentFollower(*this, *workbench_, *panels_, *this);
    connect(status_, &StatusLine::problemsClicked, this,
            [dock = &panels_->problems()] { dock->setVisible(!dock->isVisible()); });
    connectFiles();
    connectStartPage();
    connectRefresh();
    resize(usualSize);
    showDocument();
    styleAhead(*this);
    files_->offerUnsavedWork();
}

void MainWindow::takePlaceOnScreen() {
    if (restoreGeometry(Preferences::windowGeometry())) return;
    const int bar = style()->pixelMetric(QStyle::PM_TitleBarHeight),
              edge = style()->pixelMetric(QStyle::PM_MdiSubWindowFrameWidth);
    const QRect room = screen()->availableGeometry().marginsRemoved({edge, bar, edge, edge});
    if (room.width() >= usualSize.width() && room.height() >= usualSize.height()) return;
    setGeometry(QRect(room.topLeft(), usualSize.boundedTo(room.size())));  // once it is no longer maximised
    setWindowState(windowState() | Qt::WindowMaximized);
}

void MainWindow::makeCentre() {
    auto* centre = new QWidget(this);
    setCentralWidget(centre);
    pages_ = new QStackedWidget(centre);
    start_ = new StartPage(pages_);
    workbench_ = new Workbench(workspace(), pages_);
    pages_->addWidget(start_);
    pages_->addWidget(workbench_);
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    bars_ = new WindowBars;
    layout->addLayout(bars_);
    layout->addWidget(pages_, 1);
}

void MainWindow::makeActions() {
    fileActions_ = new FileActions(actions_, workspace(), *files_, *exports_, this);
    auto* view = new ViewActions(actions_, workspace(), *workbench_, *panels_, *exports_, this);
    connect(view, &ViewActions::themeChanged, status_, &StatusLine::showProblemCount);
    plannerActions_ = new PlannerActions(actions_, *this, *workbench_, *panels_, this);
    plannerActions_->addFiles(*profiles_, *exports_);
    plannerActions_->addPlanning();
    plannerActions_->addPlans();
    new ClusterActions(actions_, workspace(), *workbench_, this);
    new PreferenceActions(actions_, *plannerActions_, *panels_, *this);
    clusters_ = new ClusterController(actions_, workspace(), *workbench_, this);
    new ProfileActions(actions_, workspace(), *workbench_, this);
    addPlanActions(actions_, *workbench_, this);
    addEditActions(actions_, *workbench_, this);
    addTrainingActions(actions_, *workbench_, this);
    addPlayActions(actions_, workspace(), *workbench_, this);
    addDetailsAction(actions_, workspace(), *workbench_, this);
    addVpipeAction(actions_, workspace(), *workbench_, this);
    makeExperiments();
    lessons_ = new LessonActions(actions_, workspace(), *workbench_, *files_, *this);
    addPuzzleActions(actions_, workspace(), *workbench_, *files_, this);
    auto* help = new HelpActions(actions_, this);
    connect(help, &HelpActions::sampleChosen, this, [this](const QString& id) { openSample(id); });
    connect(lessons_, &LessonActions::topicChosen, help, &HelpActions::open);
    connect(lessons_, &LessonActions::failed, this, &MainWindow::showFailure);
    lessons_->watchActions();
}

void MainWindow::makeExperiments() {
    experiments_ = new ExperimentsActions(actions_, workspace(), this);
    connect(fileActions_, &FileActions::newExperimentWanted, experiments_,
            &ExperimentsActions::newExperiment);
    connect(&workbench(), &Workbench::scheduleExperimentWanted, experiments_,
            &ExperimentsActions::newScheduleExperiment);
    connect(start_, &StartPage::newExperimentRequested, experiments_, &ExperimentsActions::newExperiment);
    connect(start_, &StartPage::measuredRequested, experiments_, &ExperimentsActions::openMeasured);
    connect(start_, &StartPage::experimentChosen, this, [this](const QString& id) {
        ExperimentsWindow& window = experiments_->open();
        id.isEmpty() ? window.showOverview() : window.showPaper(id);
    });
    connect(experiments_, &ExperimentsActions::projectWanted, this, &MainWindow::openMade);
}

void MainWindow::makeMenuBar() {
    actions_.fillMenuBar(*menuBar());
    fileActions_->addRecentMenu(*menuBar());
    auto* search = new QPushButton(lineIcon(QStringLiteral("search")), tr("Commands"));
    search->setProperty("quiet", true);
    search->setToolTip(tr("Find a command"));
    setActionOfTip(*search, "help.palette");
    connect(search, &QPushButton::clicked, actions_.action(QStringLiteral("help.palette")),
            &QAction::trigger);
    menuBar()->setCornerWidget(search);
    actions_.addKeysToTips(*this);
}

void MainWindow::makeIntake() {
    intake_ = new DocumentIntake(*this, *workbench_, *files_, {*profiles_, *clusters_, *experiments_}, this);
    connect(intake_, &DocumentIntake::done, this, &MainWindow::openingDone);
    connect(intake_, &DocumentIntake::failed, this, &MainWindow::showFailure);
    connect(intake_, &DocumentIntake::taken, statusBar(), &QStatusBar::clearMessage);
    auto* reading = new ReadingProgress;
    statusBar()->addPermanentWidget(reading);
    connect(intake_, &DocumentIntake::progressed, reading, &ReadingProgress::show);
    connect(intake_, &DocumentIntake::done, reading, &ReadingProgress::end);
    connect(reading, &ReadingProgress::cancelWanted, intake_, &DocumentIntake::cancel);
    connect(fileActions_, &FileActions::folderWanted, intake_, &DocumentIntake::chooseFolder);
    connect(intake_, &DocumentIntake::experimentOpened, this, [this] { start_->showError({}); });
    connect(intake_, &DocumentIntake::configurationOpened, this,
            [this](const QString& path, const OpenedDocument& document) {
                start_->showError({});
                askForPlan().take(path, document);
            });
    connect(fileActions_, &FileActions::newPlanWanted, this, [this] { askForPlan(); });
    connect(fileActions_, &FileActions::openWanted, intake_, &DocumentIntake::choose);
    connect(fileActions_, &FileActions::fileWanted, this, &MainWindow::openFile);
    connect(plannerActions_, &PlannerActions::openWanted, intake_, &DocumentIntake::choose);
    connect(plannerActions_, &PlannerActions::clipboardWanted, intake_, &DocumentIntake::importClipboard);
    connect(plannerActions_, &PlannerActions::measurementsWanted, intake_,
            &DocumentIntake::chooseMeasurements);
}

void MainWindow::connectFiles() {
    connect(files_, &FileController::opening, this, [this] {
        start_->showError({});
        follower_->forget();
    });
    connect(files_, &FileController::savingDone, this, &MainWindow::savingDone);
    connect(files_, &FileController::failed, this, &MainWindow::showFailure);
    connect(exports_, &ExportController::exported, this, &MainWindow::exported);
    connect(exports_, &ExportController::failed, this, &MainWindow::showFailure);
    connect(&panels_->tree(), &ProjectTree::figureChosen, exports_, &ExportController::openKept,
            Qt::QueuedConnection);
    connect(profiles_, &ProfileIntake::projectWanted, this,
            [this](const Project& project) { files_->open(project, {}); });
    connect(clusters_, &ClusterController::projectWanted, files_, &FileController::newProject);
    connect(workbench_, &Workbench::actionRequested, this,
            [this](const QString& id) { actions_.action(id)->trigger(); });
    connect(workbench_, &Workbench::failed, this, &MainWindow::showFailure);
    connect(workbench_, &Workbench::exportRequested, exports_, &ExportController::exportInView);
}

void MainWindow::connectStartPage() {
    connect(start_, &StartPage::sampleChosen, this, &MainWindow::openSample);
    connect(start_, &StartPage::lessonsRequested, actions_.action(QStringLiteral("lesson.list")),
            &QAction::trigger);
    connect(start_, &StartPage::madPipeCellChosen, this, &MainWindow::openMadPipeCell);
    connect(start_, &StartPage::recentChosen, this, &MainWindow::openFile);
    connect(start_, &StartPage::newPlanRequested, actions_.action(QStringLiteral("file.newPlan")),
            &QAction::trigger);
    connect(start_, &StartPage::newRequested, actions_.action(QStringLiteral("file.new")), &QAction::trigger);
    connect(start_, &StartPage::openRequested, actions_.action(QStringLiteral("file.open")),
            &QAction::trigger);
    connect(start_, &StartPage::recordingRequested, actions_.action(QStringLiteral("file.openFolder")),
            &QAction::trigger);
}

void MainWindow::connectRefresh() {
    const auto on = [this](auto* sender, auto signal) {
        connect(sender, signal, &actions_, &ActionRegister::refresh);
    };
    on(&workspace(), &Workspace::projectReplaced);
    on(&workspace(), &Workspace::problemChanged);
    on(&workspace(), &Workspace::plansChanged);
    on(&workspace(), &Workspace::runsChanged);
    on(workspace().undoStack(), &QUndoStack::indexChanged);
    on(workspace().undoStack(), &QUndoStack::cleanChanged);
    on(&planning(), &PlanningController::planningChanged);
    on(&planning(), &PlanningController::busyChanged);
    on(workbench_, &QTabWidget::currentChanged);
    on(workbench_, &Workbench::planShown);
    on(workbench_, &Workbench::trialShown);
    on(workbench_, &Workbench::pageStateChanged);
    on(&exports_->allFigures(), &AllFigures::runningChanged);
}

void MainWindow::openFile(const QString& path) { openFiles({path}); }

void MainWindow::openFiles(const QStringList& paths) {
    QStringList documents;
    for (const QString& path : paths) {
        if (path.endsWith(QLatin1String(".lesson.md")))
            lessons_->openFile(path);
        else
            documents << path;
    }
    if (!documents.isEmpty()) intake_->openFiles(documents);
}

void MainWindow::openSample(const QString& id, int plan) {
    const Sample* sample = findSample(id);
    if (sample && files_->openInstead(*sample->project, {}) && plan >= 0)
        workbench_->showPlan(workspace().plans()[static_cast<std::size_t>(plan)].id);
}

void MainWindow::openMadPipeCell(int cell) {
    if (files_->openInstead(madPipeProject(madPipeCells()[static_cast<std::size_t>(cell)]), {}))
        follower_->planSample(QStringLiteral("madpipe"));
}

void MainWindow::openMade(const Project& project) {
    raise();
    activateWindow();
    if (files_->openInstead(project, {}) && !workspace().plans().empty())
        workbench_->showPlan(workspace().plans().front().id);
}

NewPlanDialog& MainWindow::askForPlan() {
    auto* dialog = new NewPlanDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &NewPlanDialog::planWanted, this,
            [this, dialog](const Project& project, const PlanningGoal& goal) {
                if (!files_->openInstead(project, {})) return;
                dialog->accept();
                if (!workspace().plans().empty()) workbench_->showPlan(workspace().plans().front().id);
                const std::vector<const Planner*> chosen = plannersFor(goal, project.problem.setup);
                if (chosen.empty()) return;
                const bool isOne = chosen.size() == 1;
                panels_->planner().choose(isOne ? QString::fromStdString(chosen.front()->description().id)
                                                : QString());
                panels_->planner().run();
            });
    connect(dialog, &NewPlanDialog::layoutFound, this, [this, dialog](const LayoutSearch& search) {
        if (!files_->openInstead(search.project(), {})) return;
        dialog->accept();
        // The frontier sets times against each other.
        if (search.answer.best && search.answer.objective == AutoObjective::time)
            workbench_->frontier()->setSearch(search.question, search.answer);
        workbench_->showPlan(workspace().plans().front().id);
    });
    dialog->open();
    return *dialog;
}

bool MainWindow::saveTo(const QString& path) { return files_->saveTo(path); }

void MainWindow::startSaving(const QString& path) { files_->startSaving(path); }

bool MainWindow::isSaving() const { return files_->isSaving(); }

void MainWindow::exportTo(const QString& path, const ExportChoice& choice) {
    exports_->exportTo(path, choice);
}

ClusterSide& MainWindow::clusterSide() { return clusters_->side(); }

void MainWindow::showFailure(const OpenFailure& failure) {
    problems().addInput(problemOf(failure));
    start_->showError(failure.message);
    statusBar()->showMessage(failure.message, messageMs);
    panels_->problems().show();
}

void MainWindow::showDocument() {
    const bool open = workspace().isOpen();
    pages_->setCurrentWidget(open ? static_cast<QWidget*>(workbench_) : start_);
    panels_->side().setVisible(open);
    if (!open) {
        panels_->problems().hide();
        start_->setRecent(Preferences::recentFiles());
    }
    showTitle();
    status_->showDocument();
    actions_.refresh();
}

void MainWindow::showTitle() {
    setWindowTitle(workspace().isOpen() ? tr("%1[*] — Stagecraft").arg(workspace().title())
                                        : tr("Stagecraft"));
    setWindowModified(workspace().isDirty());
    setWindowFilePath(workspace().path());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!files_->mayLeave()) return event->ignore();
    planning().cancel();
    files_->saveSession();
    Preferences::setWindowGeometry(saveGeometry());
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) paths << url.toLocalFile();
    openFiles(paths);
}

}  // namespace stagecraft::app::shell
