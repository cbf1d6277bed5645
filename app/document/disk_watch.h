#pragma once

#include "app/rooms.h"

#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QTimer>

namespace stagecraft::app::document {

/// Notices that somebody else changed, replaced or removed one of a project's files.
class DiskWatch : public QObject {
    Q_OBJECT

public:
    explicit DiskWatch(QObject* parent = nullptr);
    /// Watches these files from now on, and takes their present content as the window's own.
    void watch(const QStringList& files);
    /// Whether the file holds by now what another program wrote, which accept() was not told of.
    bool isForeign(const QString& file) const;
    /// A person knows what the file holds now, and goes on with what is in the window.
    void accept(const QString& file);

signals:
    void changed(QString file);
    /// It holds again what it did before.
    void restored(QString file);

private:
    void check();

    QFileSystemWatcher watcher_;
    QTimer settle_;  ///< a file is often written in several steps
    /// Hashes of a file's content.
    struct Known {
        QByteArray own;     ///< as the window read or wrote it, or as a person accepted it
        QByteArray latest;  ///< as it was when it was last looked at
        QByteArray stamp;   ///< of its place on disk, then
    };
    QHash<QString, Known> known_;
};

}  // namespace stagecraft::app::document
