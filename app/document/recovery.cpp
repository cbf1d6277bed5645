#include "app/document/recovery.h"

#include "app/document/samples.h"

#include <QDir>
#include <QFileInfo>
#include <QSignalBlocker>
#include <QStandardPaths>
#include <QUuid>

#include <utility>

namespace stagecraft::app::document {
namespace {

const QString suffix = QStringLiteral(".recovery");

QString untitledFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery");
}

QString untitledFile() {
    return untitledFolder() + '/' + QUuid::createUuid().toString(QUuid::WithoutBraces) + suffix;
}

QString lockOf(const QString& recoveryFile) { return recoveryFile + QStringLiteral(".lock"); }

bool isUntitled(const QString& recoveryFile) {
    return QFileInfo(recoveryFile).absolutePath() == QFileInfo(untitledFolder()).absoluteFilePath();
}

/// Nothing is written into the program's own folder, so work on a sample is work without a file.
bool hasFile(const QString& projectPath) { return !projectPath.isEmpty() && !isShippedSample(projectPath); }

/// Whether a window that is still running writes it.
bool isInUse(const QString& recoveryFile) {
    QLockFile lock(lockOf(recoveryFile));
    lock.setStaleLockTime(0);
    // Where no lock can be made, in a read-only folder, no window writes either.
    return !lock.tryLock(0) && lock.error() == QLockFile::LockFailedError;
}

}  // namespace

Recovery::Recovery(Workspace& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
    timer_.setSingleShot(true);
    timer_.setInterval(delayMs);
    connect(&timer_, &QTimer::timeout, this, &Recovery::write);
    connect(&writing_, &Job::ended, this, [this](bool, const QString& failure) { noteEnd(failure); });
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
    waitQuietly();
    timer_.stop();
    lock_.reset();
    file_.clear();
    older_.clear();
    if (workspace_.isDirty()) timer_.start();
}

QString Recovery::freeFile() const {
    if (!hasFile(workspace_.path())) return untitledFile();
    const QString first = fileFor(workspace_.path());
    QString file = first;
    // Another window may have claimed it and not have written yet.
    for (int number = 2; QFile::exists(file) || isInUse(file); ++number)
        file = QStringLiteral("%1-%2%3").arg(first.chopped(suffix.size())).arg(number).arg(suffix);
    return file;
}

void Recovery::claim(const QString& file) {
    file_ = file;
    // A project's own folder is not made again where it is gone: a disk may have been taken out.
    if (isUntitled(file_)) QDir().mkpath(untitledFolder());
    lock_ = std::make_unique<QLockFile>(lockOf(file_));
    lock_->setStaleLockTime(0);
    lock_->tryLock(0);
}

void Recovery::adopt(const QString& file) {
    waitQuietly();
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

/// A folder that is read-only, full or gone does not cost the work in the window: it goes where the work on
/// projects without a file goes. If that cannot be written either, it is tried again until it can.
void Recovery::noteEnd(const QString& failure) {
    if (failure.isEmpty()) {
        lastFailure_.clear();
        if (!older_.isEmpty()) QFile::remove(std::exchange(older_, {}));
        return;
    }
    const bool isLast = isUntitled(file_);
    if (!isLast) {
        older_ = file_;
        claim(untitledFile());
    }
    // Once, however often it is tried.
    if (std::exchange(lastFailure_, failure) != failure)
        emit failed(
            isLast
                ? tr("%1; until it can be, what is edited in this window is on no disk").arg(failure)
                : tr("%1; unsaved work is kept in %2 instead").arg(failure, QDir::toNativeSeparators(file_)));
    isLast ? timer_.start() : write();
}

void Recovery::writeNow() {
    writing_.finish();
    write();
    // Where it could not be written, it goes elsewhere.
    for (int tries = 0; tries < 2; ++tries) writing_.finish();
}

void Recovery::waitQuietly() {
    const QSignalBlocker quiet(writing_);
    writing_.finish();
}

void Recovery::forget() {
    waitQuietly();
    timer_.stop();
    for (QString* file : {&file_, &older_})
        if (!file->isEmpty()) QFile::remove(std::exchange(*file, {}));
    lock_.reset();
}

}  // namespace stagecraft::app::document
