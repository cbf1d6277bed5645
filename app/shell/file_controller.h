#pragma once

#include "app/document/disk_watch.h"
#include "app/document/document_opener.h"
#include "app/document/recovery.h"
#include "app/shell/window_bars.h"
#include "app/shell/window_parts.h"

#include <QMainWindow>

namespace stagecraft::app::shell {

class Workbench;

/// The open project and its file: which project is open, that nothing unsaved is lost when another one comes,
/// saving away from the GUI thread, what an earlier run left unsaved, and what other programs do to the file.
class FileController : public QObject {
    Q_OBJECT

public:
    FileController(WindowDocument& document, Workbench& workbench, WindowBars& bars, QMainWindow& window);

    void newProject();
    /// Replaces what is open by this one, unless a person would rather keep that. `path` is empty for a
    /// project that no file holds. @return whether it is open now
    bool openInstead(Project project, const QString& path);
    /// As openInstead where there is nothing to keep.
    void open(Project project, const QString& path);
    void close();
    void save();
    void saveAs();
    /// Saves and returns once it is written, while the window keeps painting.
    /// @return false if it could not be written
    bool saveTo(const QString& path);
    /// The same without waiting; what is edited meanwhile stays unsaved.
    void startSaving(const QString& path);
    bool isSaving() const { return saving_; }
    /// Asks what becomes of unsaved work. @return whether the document may go
    bool mayLeave();
    /// What earlier runs left unsaved, of projects with and without a file, unless that was put off.
    void offerUnsavedWork();
    /// How the project is looked at, for the next time.
    void saveSession();
    /// The file that was to be read again has been, well or not.
    void endReload() { reloading_ = false; }

signals:
    /// Another project is about to come; what was said of files belongs to the one before.
    void opening();
    void savingDone(bool written);
    void reloadWanted(QString path);
    void failed(const OpenFailure& failure);

private:
    void finishSaving(const PendingSave& save, const QString& error);
    bool waitForSaving();
    /// Its own file, or one that a person is asked for; empty: none.
    QString whereToSave();
    QString askWhereToSave();
    bool maySaveTo(const QString& path);
    void recover(const RecoverableWork& work);
    void watchFiles();

    Workspace& workspace_;
    PlanningController& planning_;
    ProblemsModel& problems_;
    Workbench& workbench_;
    WindowBars& bars_;
    QMainWindow& window_;
    Recovery recovery_;
    DiskWatch disk_;
    bool saving_ = false;
    bool reloading_ = false;  ///< a reload was asked for: what is unsaved may go
};

}  // namespace stagecraft::app::shell
