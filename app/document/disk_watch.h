#pragma once

#include "core/base/rooms.h"

#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QTimer>

namespace stagecraft::app {

/// Notices that somebody else changed, replaced or removed one of a project's files. What the window itself
/// writes is reported with remember().
class DiskWatch : public QObject {
    Q_OBJECT

public:
    explicit DiskWatch(QObject* parent = nullptr);
    /// Watches these files from now on, and takes their present content as known.
    void watch(const QStringList& files);
    /// Takes the present content as known.
    void remember();

signals:
    void changed(QString file);

private:
    void check();

    QFileSystemWatcher watcher_;
    QTimer settle_;                     ///< a file is often written in several steps
    QHash<QString, QByteArray> known_;  ///< file -> hash of its content
};

}  // namespace stagecraft::app
