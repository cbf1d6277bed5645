#pragma once

#include "app/document/workspace.h"
#include "views/common/job.h"

#include <QDateTime>
#include <QLockFile>
#include <QTimer>

#include <memory>

namespace stagecraft::app::document {

/// Unsaved work that an earlier run left.
struct RecoverableWork {
    QString file;         ///< the recovery file
    QString projectPath;  ///< empty for a project that was never saved
    QDateTime written;
};

/// Writes unsaved work beside the project (".NAME.recovery"; for a project without a file, or in a folder
/// that cannot be written, into the application's data folder) a few seconds after an edit, and takes the
/// file away once the work is saved or knowingly given up.
class Recovery : public QObject {
    Q_OBJECT

public:
    explicit Recovery(Workspace& workspace, QObject* parent = nullptr);

    /// Where the work on a project goes; with ".NAME-2.recovery" and so on where an earlier run left one that
    /// nobody has looked at yet.
    static QString fileFor(const QString& projectPath);
    /// What can be taken back for `projectPath` (empty: whatever belongs to no file). Files that a running
    /// window still writes do not count.
    static QList<RecoverableWork> find(const QString& projectPath);
    static void discard(const RecoverableWork& work);

    /// Longest time from an edit to its recovery file, in milliseconds.
    static constexpr int delayMs = 3000;

    /// The document was taken from this file, which from now on is the one to write and to remove.
    void adopt(const QString& file);
    /// Writes now and returns once it is on disk.
    void writeNow();
    /// The work is saved, or a person chose to give it up.
    void forget();

signals:
    void failed(QString reason);

private:
    void moveToProject();
    QString freeFile() const;
    void claim(const QString& file);
    void write();
    void noteEnd(const QString& failure);
    void waitQuietly();

    Workspace& workspace_;
    QTimer timer_;
    QString file_;   ///< where this document's recovery goes; empty until there is any
    QString older_;  ///< an earlier state of it in a folder that can no longer be written
    QString lastFailure_;
    std::unique_ptr<QLockFile> lock_;
    Job writing_;
};

}  // namespace stagecraft::app::document
