#include "app/document_opener.h"

#include <QFutureWatcher>
#include <QtConcurrentRun>

namespace stagecraft {
namespace {

FileKind kindByName(const QString& path) {
    if (path.endsWith(".profile.json")) return FileKind::profile;
    if (path.endsWith(".cluster.json")) return FileKind::cluster;
    if (path.endsWith(".plan.json")) return FileKind::plan;
    if (path.endsWith(".txt")) return FileKind::pipeDreamGraph;
    return FileKind::project;
}

OpenedDocument readAs(FileKind kind, const std::filesystem::path& path) {
    switch (kind) {
        case FileKind::profile:
        case FileKind::pipeDreamGraph:
            return openProfile(path);
        case FileKind::cluster:
            return openCluster(path);
        case FileKind::plan:
            return openPlan(path);
        case FileKind::project:
        case FileKind::unknown:
            break;
    }
    return openProject(path, DrawingMistakes::keep);
}

}  // namespace

OpenedDocument readDocument(const QString& path) {
    try {
        const std::filesystem::path file = path.toStdString();
        const FileKind kind = detectKind(readTextFile(file));
        return readAs(kind == FileKind::unknown ? kindByName(path) : kind, file);
    } catch (const InputError& error) {
        return OpenFailure{QString::fromStdString(error.file()), QString::fromStdString(error.place()),
                           QString::fromUtf8(error.what())};
    } catch (const std::exception& error) {
        return OpenFailure{path, {}, QStringLiteral("%1: %2").arg(path, QString::fromUtf8(error.what()))};
    }
}

void DocumentOpener::open(const QString& path) {
    auto* watcher = new QFutureWatcher<OpenedDocument>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, path] {
        watcher->deleteLater();
        emit opened(path, watcher->result());
    });
    watcher->setFuture(QtConcurrent::run(readDocument, path));
}

}  // namespace stagecraft
