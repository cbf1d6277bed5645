#pragma once

#include "app/document/workspace.h"
#include "app/play/movie_choice.h"
#include "views/common/job.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QMenu;
class QProgressBar;

namespace stagecraft::views::play {
class PlayView;
}

namespace stagecraft::app::play {

/// Plans that are played, in a window beside the main one: for a person at the desk, or full screen for a
/// class. Follows the project.
class PlayWindow : public QWidget {
    Q_OBJECT

public:
    explicit PlayWindow(Workspace& workspace, QWidget* parent = nullptr);

    /// @param planIds at most mostPlayedPlans, which are played together
    /// @param startS where they start, in seconds of the plan; without it at the beginning
    void lookAt(std::vector<int> planIds, std::optional<double> startS = std::nullopt);
    const std::vector<int>& plans() const { return plans_; }
    /// Full screen with the picture alone. Leaving it closes a window that was opened for it.
    void present(bool on);
    void bringToFront();
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
    void followView();
    void followJob();
    void bringUpToDate();
    void fillPlansMenu();
    void setPlayed(int planId, bool on);
    void askAndExport();
    /// @return the file with its suffix; empty: none was chosen
    QString askWhere(MovieChoice choice, const QString& title);

    Workspace& workspace_;
    Job movie_;
    std::vector<int> plans_;
    std::optional<double> startS_;
    bool openedToPresent_ = false;
    QSize plainSize_;  ///< of the window, before it filled the screen
    PlayView* view_;
    QMenu* plansMenu_ = nullptr;
    QWidget* progressRow_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel* message_ = nullptr;
    QWidget* cancel_ = nullptr;
};

}  // namespace stagecraft::app::play
