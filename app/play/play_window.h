#pragma once

#include "app/document/workspace.h"
#include "app/play/movie_choice.h"
#include "views/common/job.h"

#include <QWidget>

#include <optional>

class QLabel;
class QProgressBar;

namespace stagecraft::views {
class PlayView;
}  // namespace stagecraft::views

namespace stagecraft::app {

/// A plan that is played, in a window beside the main one: for a person at the desk, or full screen for a
/// class. Follows the project.
class PlayWindow : public QWidget {
    Q_OBJECT

public:
    explicit PlayWindow(Workspace& workspace, QWidget* parent = nullptr);

    /// @param startS where it starts, in seconds of the plan; without it at its beginning
    void lookAt(int planId, std::optional<double> startS = std::nullopt);
    /// Full screen with chart, cluster and cursor alone. Leaving it closes a window that was opened for it.
    void present(bool on);
    PlayView& view() { return *view_; }
    /// On a thread, with progress and a way to stop it; a file that is stopped is not there.
    void exportTo(const QString& path, const MovieChoice& choice);
    bool isExporting() const { return movie_.isRunning(); }
    QString message() const;  ///< what came of the last export

signals:
    void exported(const QString& path);

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void layOut();
    void bringUpToDate();
    void askAndExport();
    /// @return the file with its suffix; empty: none was chosen
    QString askWhere(MovieChoice choice, const QString& title);

    Workspace& workspace_;
    Job movie_;
    int plan_ = 0;
    std::optional<double> startS_;
    bool openedToPresent_ = false;
    QSize plainSize_;  ///< of the window, before it filled the screen
    PlayView* view_;
    QWidget* progressRow_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel* message_ = nullptr;
    QWidget* cancel_ = nullptr;
};

}  // namespace stagecraft::app
