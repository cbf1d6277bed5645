#include "app/shell/file_controller.h"

#include "app/document/file_names.h"
#include "app/document/samples.h"
#include "app/document/workspace.h"
#include "app/recording/recording_page.h"
#include "app/shell/session.h"
#include "app/shell/window_parts.h"
#include "app/shell/workbench.h"
#include "app/training/training_page.h"
#include "views/common/job.h"

#include <QDir>
#include <QEventLoop>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QStatusBar>

namespace stagecraft::app::shell {
namespace {

const QString projectSuffix = QStringLiteral(".stagecraft.json");

}  // namespace

FileController::FileController(WindowDocument& document, Workbench& workbench, WindowBars& bars,
                               QMainWindow& window)
    : QObject(&window),
      workspace_(document.workspace),
      planning_(document.planning),
      problems_(document.problems),
      workbench_(workbench),
      bars_(bars),
      window_(window),
      recovery_(document.workspace) {
    connect(&recovery_, &Recovery::failed, this, [this](const QString& reason) {
        problems_.addInput({Severity::warning, tr("Recovery"), reason, {}});
    });
    connect(&disk_, &DiskWatch::changed, this,
            [this](const QString& file) { bars_.askAboutDisk(file, workspace_.isDirty()); });
    connect(&bars_, &WindowBars::recoveryWanted, this, &FileController::recover);
    connect(&disk_, &DiskWatch::restored, &bars_, &WindowBars::clearDisk);
    connect(&workspace_, &Workspace::titleChanged, this, [this] { bars_.setDirty(workspace_.isDirty()); });
    connect(&bars_, &WindowBars::keepWanted, this, [this](const QString& file) {
        disk_.accept(file);
        workspace_.markUnsaved();
    });
    connect(&bars_, &WindowBars::saveOverWanted, this, &FileController::startSaving);
    connect(&bars_, &WindowBars::saveAsWanted, this, &FileController::saveAs);
    connect(&bars_, &WindowBars::reloadWanted, this, [this] {
        reloading_ = true;
        recovery_.forget();
        emit reloadWanted(workspace_.path());
    });
}

void FileController::newProject() {
    openInstead(Project{"", Preferences::startingProblem(), {}, {}, {}}, {});
}

bool FileController::openInstead(Project project, const QString& path) {
    if (!(reloading_ && !path.isEmpty()) && !mayLeave()) return false;
    saveSession();
    open(std::move(project), path);
    return true;
}

void FileController::open(Project project, const QString& path) {
    bars_.clear();
    emit opening();
    problems_.clearInputs();
    workspace_.openProject(std::move(project), path);
    watchFiles();
    if (path.isEmpty()) return;
    Preferences::addRecentFile(path);
    const SessionState session = SessionState::load(path);
    workbench_.setPlanStates(session.plans);
    workbench_.training()->setState(session.training);
    workbench_.setCompareState(session.compare);
    workbench_.recording()->setViewStates(session.recordings);
    if (!session.recordings.empty()) workbench_.recording()->show(session.recording);
    if (!session.tab.isEmpty()) workbench_.showKey(session.tab);
    window_.restoreState(session.windowState);
    bars_.offerRecovery(Recovery::find(path));
}

void FileController::close() {
    if (!workspace_.isOpen() || !mayLeave()) return;
    planning_.cancel();
    saveSession();
    bars_.clear();
    problems_.clearInputs();
    workspace_.close();
    watchFiles();
    offerUnsavedWork();
}

void FileController::offerUnsavedWork() {
    if (bars_.isPostponed()) return;
    QList<RecoverableWork> found = Recovery::find({});
    for (const QString& file : Preferences::recentFiles()) found += Recovery::find(file);
    bars_.offerRecovery(found);
}

void FileController::save() {
    const QString path = whereToSave();
    if (!path.isEmpty() && maySaveTo(path)) startSaving(path);
}

/// Nothing that another program wrote is replaced unless a person says so.
bool FileController::maySaveTo(const QString& path) {
    if (path != workspace_.path() || !disk_.isForeign(path)) return true;
    bars_.askBeforeSaving(path);
    return false;
}

void FileController::saveAs() {
    if (const QString path = askWhereToSave(); !path.isEmpty()) startSaving(path);
}

void FileController::startSaving(const QString& path) {
    waitForSaving();
    saving_ = true;
    disk_.watch({});
    window_.statusBar()->showMessage(tr("Saving %1…").arg(QDir::toNativeSeparators(path)));
    auto save =
        std::make_shared<const PendingSave>(workspace_.prepareSave(QFileInfo(path).absoluteFilePath()));
    Job* job = Job::once(this);
    connect(job, &Job::ended, this,
            [this, save](bool, const QString& failure) { finishSaving(*save, failure); });
    job->start([save] { save->write(); });
}

void FileController::finishSaving(const PendingSave& save, const QString& error) {
    saving_ = false;
    if (error.isEmpty()) {
        bars_.clearDisk(save.path);
        workspace_.saved(save);
        Preferences::addRecentFile(save.path);
        saveSession();
        window_.statusBar()->showMessage(tr("Saved %1").arg(QDir::toNativeSeparators(save.path)), messageMs);
    } else {
        emit failed({save.path, {}, error});
    }
    watchFiles();
    emit savingDone(error.isEmpty());
}

bool FileController::waitForSaving() {
    if (!saving_) return true;
    bool written = false;
    QEventLoop loop;
    connect(this, &FileController::savingDone, &loop, [&](bool well) {
        written = well;
        loop.quit();
    });
    loop.exec(QEventLoop::ExcludeUserInputEvents);
    return written;
}

bool FileController::saveTo(const QString& path) {
    startSaving(path);
    return waitForSaving();
}

QString FileController::whereToSave() {
    const bool own = !workspace_.path().isEmpty() && !isShippedSample(workspace_.path());
    return own ? workspace_.path() : askWhereToSave();
}

QString FileController::askWhereToSave() {
    const QString folder = proposedFolder(workspace_.path());
    QString path = QFileDialog::getSaveFileName(&window_, tr("Save project"),
                                                folder + '/' + fileNameOf(workspace_.title()) + projectSuffix,
                                                tr("Projects (*%1)").arg(projectSuffix));
    if (!path.isEmpty() && !path.endsWith(QLatin1String(".json"))) path += projectSuffix;
    if (!isShippedSample(path)) return path;
    emit failed(
        {path, {}, tr("This sample came with Stagecraft and stays as it is; choose another name or folder")});
    return {};
}

bool FileController::mayLeave() {
    waitForSaving();
    if (!workspace_.isDirty()) return true;
    QMessageBox box(QMessageBox::NoIcon, tr("Unsaved changes"),
                    tr("%1 has changes that are not saved.").arg(workspace_.title()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window_);
    box.setDefaultButton(QMessageBox::Save);
    const int answer = box.exec();
    if (answer == QMessageBox::Save) {
        const QString path = whereToSave();
        return !path.isEmpty() && maySaveTo(path) && saveTo(path);
    }
    if (answer == QMessageBox::Discard) recovery_.forget();
    return answer == QMessageBox::Discard;
}

void FileController::recover(const RecoverableWork& work) {
    if (!mayLeave()) return;
    const OpenedDocument document = readDocument(work.file);
    const auto* project = std::get_if<Project>(&document);
    if (!project) {
        if (const auto* failure = std::get_if<OpenFailure>(&document)) emit failed(*failure);
        return;
    }
    bars_.clear();
    workspace_.openRecovered(*project, work.projectPath);
    watchFiles();
    recovery_.adopt(work.file);
}

void FileController::watchFiles() {
    QStringList files;
    if (!workspace_.path().isEmpty()) {
        files << workspace_.path();
        const QDir folder = QFileInfo(workspace_.path()).dir();
        for (const std::optional<std::string>& part : {workspace_.profileFile(), workspace_.clusterFile()})
            if (part) files << QDir::cleanPath(folder.absoluteFilePath(QString::fromStdString(*part)));
    }
    disk_.watch(files);
}

void FileController::saveSession() {
    if (workspace_.path().isEmpty()) return;
    SessionState{workbench_.currentKey(),        window_.saveState(),
                 workbench_.planStates(),        workbench_.training()->state(),
                 workbench_.compareState(),      workbench_.recording()->viewStates(),
                 workbench_.recording()->shown()}
        .save(workspace_.path());
}

}  // namespace stagecraft::app::shell
