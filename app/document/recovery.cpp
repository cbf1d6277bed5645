#include "app/document/recovery.h"

#include "app/document/samples.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QUuid>

namespace stagecraft::app::document {
namespace {

const QString suffix = QStringLiteral(".recovery");

QString untitledFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery");
}

QString lockOf(const QString& recoveryFile) { return recoveryFile + QStringLiteral(".lock"); }

/// Nothing is written into the program's own folder, so work on a sample is work without a file.
bool hasFile(const QString& projectPath) { return !projectPath.isEmpty() && !isShippedSample(projectPath); }

/// Whether a window that is still running writes it.
bool isInUse(const QString& recoveryFile) {
    QLockFile lock(lockOf(recoveryFile));
    lock.setStaleLockTime(0);
    return !lock.tryLock(0);
}

}  // namespace

Recovery::Recovery(Workspace& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
    timer_.setSingleShot(true);
    timer_.setInterval(delayMs);
    connect(&timer_, &QTimer::timeout, this, &Recovery::write);
    connect(&writing_, &Job::ended, this, [this](bool, const QString& failure) {
        if (!failure.isEmpty()) emit failed(failure);
    });
    connect(&workspace_, &Workspace::projectReplaced, this, &Recovery::moveToProject);
    connect(&workspace_, &Workspace::edited, this, [this] {
        // Whether the edit leaves anything unsaved is known once it is done: write() asks.
        if (!timer_.isActive()) timer_.start();
    });
    connect(&workspace_, &Workspace::titleChanged, this, [this] {
        if (!workspace_.isDirty()) forget();
    });
}

QString Recovery::fileFor(const QString& projectPath) {
    const QFileInfo info(projectPath);
    return info.absolutePath() + QStringLiteral("/.") + info.fileName() + suffix;
}

QList<RecoverableWork> Recovery::find(const QString& projectPath) {
    if (!projectPath.isEmpty() && !hasFile(projectPath)) return {};
    const QDir folder(projectPath.isEmpty() ? untitledFolder() : QFileInfo(projectPath).absolutePath());
    const QString start = projectPath.isEmpty() ? QString() : '.' + QFileInfo(projectPath).fileName();
    QStringList files;
    for (const QString& name :
         folder.entryList({start + '*' + suffix}, QDir::Files | QDir::Hidden, QDir::Time))
        files << folder.filePath(name);
    QList<RecoverableWork> found;
    for (const QString& file : files)
        if (QFileInfo::exists(file) && !isInUse(file))
            found << RecoverableWork{file, projectPath, QFileInfo(file).lastModified()};
    return found;
}

void Recovery::discard(const RecoverableWork& work) { QFile::remove(work.file); }

void Recovery::moveToProject() {
    writing_.finish();
    timer_.stop();
    lock_.reset();
    file_.clear();
    if (workspace_.isDirty()) timer_.start();
}

QString Recovery::freeFile() const {
    if (!hasFile(workspace_.path()))
        return untitledFolder() + '/' + QUuid::createUuid().toString(QUuid::WithoutBraces) + suffix;
    const QString first = fileFor(workspace_.path());
    QString file = first;
    for (int number = 2; QFile::exists(file); ++number)
        file = QStringLiteral("%1-%2%3").arg(first.chopped(suffix.size())).arg(number).arg(suffix);
    return file;
}

void Recovery::claim(const QString& file) {
    file_ = file;
    QDir().mkpath(QFileInfo(file_).absolutePath());
    lock_ = std::make_unique<QLockFile>(lockOf(file_));
    lock_->setStaleLockTime(0);
    lock_->tryLock(0);
}

void Recovery::adopt(const QString& file) {
    writing_.finish();
    claim(file);
}

void Recovery::write() {
    if (!workspace_.isDirty()) return;
    if (writing_.isRunning()) {
        timer_.start();
        return;
    }
    if (file_.isEmpty()) claim(freeFile());
    writing_.start([file = file_, project = workspace_.project()](const JobContext&) {
        writeFileAtomically(file.toStdString(), writeProject(project));
    });
}

void Recovery::writeNow() {
    writing_.finish();
    write();
    writing_.finish();
}

void Recovery::forget() {
    writing_.finish();
    timer_.stop();
    if (!file_.isEmpty()) QFile::remove(file_);
    lock_.reset();
    file_.clear();
}

}  // namespace stagecraft::app::document
