#include "app/document/file_name.h"
#include "app/document/new_project.h"
#include "app/document/samples.h"
#include "app/experiments/experiments_actions.h"
#include "app/experiments/experiments_window.h"
#include "app/panels/cluster_import.h"
#include "app/panels/cluster_side.h"
#include "app/panels/planner_panel.h"
#include "app/pareto/pareto_page.h"
#include "app/plan/plan_page.h"
#include "app/shell/main_window.h"
#include "app/shell/message_time.h"
#include "app/shell/profile_intake.h"
#include "app/shell/workbench.h"
#include "app/start/madpipe_grid.h"
#include "app/start/start_page.h"
#include "app/training/training_page.h"
#include "views/pattern/pattern_view.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QEventLoop>
#include <QFileDialog>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QGuiApplication>
#include <QMessageBox>
#include <QMimeData>
#include <QStatusBar>
#include <QtConcurrentRun>

namespace stagecraft {
namespace {

const QString projectSuffix = QStringLiteral(".stagecraft.json");
const QString profileSuffix = QStringLiteral(".profile.json");

}  // namespace

void MainWindow::newProject() {
    if (!mayLeave()) return;
    saveSession();
    openProject(Project{"", newProblem(), {}, {}, {}}, {});
}

void MainWindow::openSample(const QString& id) {
    const Sample* sample = findSample(id);
    if (!sample || !mayLeave()) return;
    saveSession();
    openProject(*sample->project, {});
}

void MainWindow::openMadPipeCell(int cell) {
    if (!mayLeave()) return;
    saveSession();
    openProject(madPipeProject(madPipeCells()[static_cast<std::size_t>(cell)]), {});
    planner_->choose(QStringLiteral("madpipe"));
    planner_->run();
    planningSample_ = true;
}

void MainWindow::chooseFile(const QString& title, const QString& filter) {
    const QString folder =
        workspace_.path().isEmpty() ? QDir::homePath() : QFileInfo(workspace_.path()).path();
    openFiles(QFileDialog::getOpenFileNames(this, title, folder, filter));
}

void MainWindow::openFile(const QString& path) { openFiles({path}); }

void MainWindow::openFiles(const QStringList& paths) {
    QStringList absolute;
    for (const QString& path : paths) absolute << QFileInfo(path).absoluteFilePath();
    if (!absolute.isEmpty()) opener_.open(absolute);
}

void MainWindow::onOpened(const QString& path, const OpenedDocument& document) {
    if (const auto* failure = std::get_if<OpenFailure>(&document)) {
        refuse(*failure);
    } else if (const auto* project = std::get_if<Project>(&document)) {
        if (leaving_ || mayLeave()) {
            saveSession();
            openProject(*project, path);
        }
    } else if (const auto* plan = std::get_if<PlanFile>(&document)) {
        takePlan(*plan);
    } else if (const auto* profile = std::get_if<ImportedProfile>(&document)) {
        takeProfile(*profile, path);
    } else if (const auto* topology = std::get_if<OpenedTopology>(&document)) {
        takeTopology(*topology);
    } else if (const auto* table = std::get_if<OpenedTable>(&document)) {
        intake_->matchColumns(*table, path);
    } else if (const auto* model = std::get_if<OpenedOnnx>(&document)) {
        intake_->askAbout(*model, path);
    } else if (const auto* experiment = std::get_if<OpenedExperiment>(&document)) {
        start_->showError({});
        experiments_->open().showOpened(path, *experiment->results);
    } else {
        takeCluster(std::get<Cluster>(document));
    }
    leaving_ = false;
    emit openingDone(path);
}

void MainWindow::refuse(const OpenFailure& failure) {
    problems_.addInput(problemOf(failure));
    start_->showError(failure.message);
    statusBar()->showMessage(failure.message, messageMs);
    problemsDock_->show();
}

void MainWindow::openProject(Project project, const QString& path) {
    clearBars();
    start_->showError({});
    problems_.clearInputs();
    problemsDock_->hide();
    remarked_ = false;
    workspace_.openProject(std::move(project), path);
    watchFiles();
    if (path.isEmpty()) return;
    Preferences::addRecentFile(path);
    const SessionState session = SessionState::load(path);
    workbench_->setPlanStates(session.plans);
    workbench_->training()->setState(session.training);
    workbench_->setCompareState(session.compare);
    if (!session.tab.isEmpty()) workbench_->showKey(session.tab);
    restoreState(session.windowState);
    offerRecovery(Recovery::find(path));
}

void MainWindow::openMade(const Project& project) {
    raise();
    activateWindow();
    if (!mayLeave()) return;
    saveSession();
    openProject(project, {});
    if (!workspace_.plans().empty()) workbench_->showPlan(workspace_.plans().front().id);
}

void MainWindow::takePlan(const PlanFile& file) {
    if (workspace_.isOpen() && workspace_.problem() == file.problem) {
        workbench_->showPlan(workspace_.addPlan(file.plan, file.origin));
        return;
    }
    // A plan belongs to its problem: with another one it is a project of its own.
    if (!mayLeave()) return;
    saveSession();
    openProject(Project{"", file.problem, {}, {}, {file.plan}, {}, {file.origin}}, {});
}

void MainWindow::takeProfile(const ImportedProfile& imported, const QString& path) {
    problems_.clearInputs();
    intake_->take(imported, path);
}

void MainWindow::saveProfile() {
    const QString folder =
        workspace_.path().isEmpty() ? QDir::homePath() : QFileInfo(workspace_.path()).path();
    const QString name = fileNameOf(QString::fromStdString(workspace_.problem().profile.name));
    QString path = QFileDialog::getSaveFileName(
        this, tr("Save profile"), folder + '/' + (name.isEmpty() ? tr("layers") : name) + profileSuffix,
        tr("Layer profiles (*%1)").arg(profileSuffix));
    if (path.isEmpty()) return;
    if (!path.endsWith(QLatin1String(".json"))) path += profileSuffix;
    writeAway(path, [path, profile = workspace_.sharedProblem()] {
        writeFileAtomically(path.toStdString(), writeProfile(profile->profile));
    });
}

void MainWindow::takeCluster(const Cluster& cluster) {
    if (workspace_.isOpen()) {
        workspace_.setCluster(cluster);
    } else {
        Problem problem = newProblem();
        problem.cluster = cluster;
        openProject(Project{cluster.name, std::move(problem), {}, {}, {}}, {});
    }
    workbench_->showCluster();
}

void MainWindow::takeTopology(const OpenedTopology& opened) {
    if (!workspace_.isOpen()) openProject(Project{"", newProblem(), {}, {}, {}}, {});
    import_->begin(opened);
    workbench_->showCluster();
    showClusterSide();
    clusterSide_->showImport();
    // Once the side has its place, and the canvas what is left.
    QMetaObject::invokeMethod(workbench_->topology(), &TopologyView::fit, Qt::QueuedConnection);
}

void MainWindow::importClipboard() {
    const QString text = QGuiApplication::clipboard()->text();
    if (text.trimmed().isEmpty()) return refuse({tr("Clipboard"), {}, tr("The clipboard holds no text")});
    opener_.openText(text, tr("clipboard"));
}

void MainWindow::startSaving(const QString& path) {
    waitForSaving();
    saving_ = true;
    disk_.watch({});
    statusBar()->showMessage(tr("Saving %1…").arg(QDir::toNativeSeparators(path)));
    auto save =
        std::make_shared<const PendingSave>(workspace_.prepareSave(QFileInfo(path).absoluteFilePath()));
    auto* watcher = new QFutureWatcher<QString>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, save] {
        watcher->deleteLater();
        finishSaving(*save, watcher->result());
    });
    watcher->setFuture(QtConcurrent::run([save]() -> QString {
        try {
            save->write();
            return {};
        } catch (const std::exception& error) {
            return QString::fromUtf8(error.what());
        }
    }));
}

void MainWindow::finishSaving(const PendingSave& save, const QString& error) {
    saving_ = false;
    if (error.isEmpty()) {
        workspace_.saved(save);
        Preferences::addRecentFile(save.path);
        saveSession();
        statusBar()->showMessage(tr("Saved %1").arg(QDir::toNativeSeparators(save.path)), messageMs);
    } else {
        refuse({save.path, {}, error});
    }
    watchFiles();
    emit savingDone(error.isEmpty());
}

bool MainWindow::waitForSaving() {
    if (!saving_) return true;
    bool written = false;
    QEventLoop loop;
    connect(this, &MainWindow::savingDone, &loop, [&](bool well) {
        written = well;
        loop.quit();
    });
    loop.exec(QEventLoop::ExcludeUserInputEvents);
    return written;
}

bool MainWindow::saveTo(const QString& path) {
    startSaving(path);
    return waitForSaving();
}

void MainWindow::save() {
    const bool own = !workspace_.path().isEmpty() && !isShippedSample(workspace_.path());
    const QString path = own ? workspace_.path() : askWhereToSave();
    if (!path.isEmpty()) startSaving(path);
}

QString MainWindow::askWhereToSave() {
    const QString old = workspace_.path();
    const QString folder = old.isEmpty() || isShippedSample(old) ? QDir::homePath() : QFileInfo(old).path();
    QString path = QFileDialog::getSaveFileName(this, tr("Save project"),
                                                folder + '/' + fileNameOf(workspace_.title()) + projectSuffix,
                                                tr("Projects (*%1)").arg(projectSuffix));
    if (!path.isEmpty() && !path.endsWith(QLatin1String(".json"))) path += projectSuffix;
    if (!isShippedSample(path)) return path;
    refuse(
        {path, {}, tr("This sample came with Stagecraft and stays as it is; choose another name or folder")});
    return {};
}

bool MainWindow::mayLeave() {
    waitForSaving();
    if (!workspace_.isDirty()) return true;
    QMessageBox box(QMessageBox::NoIcon, tr("Unsaved changes"),
                    tr("%1 has changes that are not saved.").arg(workspace_.title()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setDefaultButton(QMessageBox::Save);
    const int answer = box.exec();
    if (answer == QMessageBox::Save) {
        const bool own = !workspace_.path().isEmpty() && !isShippedSample(workspace_.path());
        const QString path = own ? workspace_.path() : askWhereToSave();
        return !path.isEmpty() && saveTo(path);
    }
    if (answer == QMessageBox::Discard) recovery_.forget();
    return answer == QMessageBox::Discard;
}

void MainWindow::closeProject() {
    if (!workspace_.isOpen() || !mayLeave()) return;
    planning_.cancel();
    saveSession();
    clearBars();
    problems_.clearInputs();
    workspace_.close();
    watchFiles();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!mayLeave()) return event->ignore();
    planning_.cancel();
    saveSession();
    Preferences::setWindowGeometry(saveGeometry());
    event->accept();
}

void MainWindow::watchFiles() {
    QStringList files;
    if (!workspace_.path().isEmpty()) {
        files << workspace_.path();
        const QDir folder = QFileInfo(workspace_.path()).dir();
        for (const std::optional<std::string>& part : {workspace_.profileFile(), workspace_.clusterFile()})
            if (part) files << QDir::cleanPath(folder.absoluteFilePath(QString::fromStdString(*part)));
    }
    disk_.watch(files);
}

void MainWindow::saveSession() {
    if (workspace_.path().isEmpty()) return;
    SessionState{workbench_->currentKey(), saveState(), workbench_->planStates(),
                 workbench_->training()->state(), workbench_->compareState()}
        .save(workspace_.path());
}

void MainWindow::copyPicture() {
    PlanView* plan = workbench_->planView(workbench_->currentPlan());
    PlanPage* page = workbench_->planPage(workbench_->currentPlan());
    constexpr double scale = 2;  // sharp when it is enlarged on a slide
    if (page && page->patternShown()) {
        QGuiApplication::clipboard()->setImage(page->pattern()->picture().picture(scale));
    } else if (plan) {
        QGuiApplication::clipboard()->setImage(plan->picture(scale));
    } else if (workbench_->currentKey() == QLatin1String("pareto")) {
        QGuiApplication::clipboard()->setPixmap(workbench_->pareto()->view().chart().grab());
    } else if (workbench_->currentKey() == QLatin1String("training")) {
        QGuiApplication::clipboard()->setPixmap(workbench_->training()->view().picture());
    } else {
        QWidget* shown = workbench_->currentWidget();
        // Of the cluster the drawing, without the palette and the panels beside it.
        if (workbench_->currentKey() == QLatin1String("cluster")) shown = workbench_->topology()->canvas();
        QGuiApplication::clipboard()->setPixmap(shown->grab());
    }
    statusBar()->showMessage(tr("Copied as a picture"), messageMs);
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

}  // namespace stagecraft
