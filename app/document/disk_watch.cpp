#include "app/document/disk_watch.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

namespace stagecraft::app {
namespace {

constexpr int settleMs = 200;

/// Empty for a file that cannot be read.
QByteArray hashOf(const QString& path) {
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Sha1);
    if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file)) return {};
    return hash.result();
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
        known_.insert(file, hashOf(file));
        watcher_.addPath(file);
        watcher_.addPath(QFileInfo(file).absolutePath());
    }
}

void DiskWatch::remember() { watch(known_.keys()); }

void DiskWatch::check() {
    for (auto file = known_.begin(); file != known_.end(); ++file) {
        if (QFileInfo::exists(file.key()) && !watcher_.files().contains(file.key()))
            watcher_.addPath(file.key());
        const QByteArray now = hashOf(file.key());
        if (now == file.value()) continue;
        file.value() = now;
        emit changed(file.key());
    }
}

}  // namespace stagecraft::app
