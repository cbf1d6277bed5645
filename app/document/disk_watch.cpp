#include "app/document/disk_watch.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

#include <sys/stat.h>

#include <utility>

namespace stagecraft::app::document {
namespace {

constexpr int settleMs = 200;

/// Empty for a file that cannot be read.
QByteArray hashOf(const QString& path) {
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Sha1);
    if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file)) return {};
    return hash.result();
}

/// Differs whenever the file was written or replaced; empty for one that is not there.
QByteArray stampOf(const QString& path) {
    struct stat status {};
    if (::stat(QFile::encodeName(path).constData(), &status) != 0) return {};
    QByteArray stamp;
    for (const qint64 part :
         {qint64(status.st_ino), qint64(status.st_size), qint64(status.st_mtim.tv_sec),
          qint64(status.st_mtim.tv_nsec), qint64(status.st_ctim.tv_sec), qint64(status.st_ctim.tv_nsec)})
        stamp += QByteArray::number(part) + ' ';
    return stamp;
}

}  // namespace

DiskWatch::DiskWatch(QObject* parent) : QObject(parent) {
    settle_.setSingleShot(true);
    settle_.setInterval(settleMs);
    connect(&settle_, &QTimer::timeout, this, &DiskWatch::check);
    connect(&watcher_, &QFileSystemWatcher::fileChanged, &settle_, qOverload<>(&QTimer::start));
    // A file that is replaced by renaming is no longer watched itself; its folder shows it.
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, &settle_, qOverload<>(&QTimer::start));
}

void DiskWatch::watch(const QStringList& files) {
    const QStringList before = watcher_.files() + watcher_.directories();
    if (!before.isEmpty()) watcher_.removePaths(before);
    known_.clear();
    for (const QString& file : files) {
        const QByteArray stamp = stampOf(file), now = hashOf(file);
        known_.insert(file, {now, now, stamp});
        watcher_.addPath(file);
        const QString folder = QFileInfo(file).absolutePath();
        watcher_.addPath(folder);
        // Only there a folder is seen to go that is itself renamed.
        watcher_.addPath(QFileInfo(folder).absolutePath());
    }
}

bool DiskWatch::isForeign(const QString& file) const {
    const auto known = known_.constFind(file);
    return known != known_.constEnd() && QFileInfo::exists(file) && hashOf(file) != known->own;
}

void DiskWatch::accept(const QString& file) {
    if (const auto known = known_.find(file); known != known_.end())
        known->own = known->latest = hashOf(file);
}

void DiskWatch::check() {
    for (auto file = known_.begin(); file != known_.end(); ++file) {
        if (QFileInfo::exists(file.key()) && !watcher_.files().contains(file.key()))
            watcher_.addPath(file.key());
        // Most of what happens in a folder is no news of the file.
        if (const QByteArray stamp = stampOf(file.key()); std::exchange(file->stamp, stamp) == stamp)
            continue;
        const QByteArray now = hashOf(file.key());
        if (now == file->latest) continue;
        file->latest = now;
        now == file->own ? emit restored(file.key()) : emit changed(file.key());
    }
}

}  // namespace stagecraft::app::document
