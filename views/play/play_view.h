#pragma once

#include "core/runs/plan_run.h"
#include "views/common/job.h"
#include "views/play/presenting.h"
#include "views/timeline/time_axis.h"

#include <QWidget>

#include <optional>

class QLabel;
class QMenu;
class QSplitter;

namespace stagecraft::views::plan {
class PlayBar;
}
namespace stagecraft::views::resources {
class StepBar;
}
namespace stagecraft::views::timeline {
class GanttChart;
class Legend;
class PlayClock;
}  // namespace stagecraft::views::timeline
namespace stagecraft::views::topology {
class TopologyCanvas;
}

namespace stagecraft::views::play {

class ClusterLight;
class CursorMark;
class KeyCard;
class PlayCanvas;
class PlayToolbar;
struct PictureStyle;
struct PlayData;

/// Plans while their time runs. One of them as its chart, and beside it the cluster, whose GPUs light up
/// while they compute and fill up while they hold something, with packets on its links; several, and any that
/// is presented, as a picture that fills the view.
class PlayView : public QWidget {
    Q_OBJECT
public:
    explicit PlayView(QWidget* parent = nullptr);
    ~PlayView() override;

    using Plans = std::vector<std::shared_ptr<const PlayData>>;

    /// Prepared on another thread; ready() is emitted when they can be played.
    /// @param runs at most mostPlayedPlans; none: nothing is played
    void setRuns(std::vector<std::shared_ptr<const PlanRun>> runs);
    const std::vector<std::shared_ptr<const PlanRun>>& runs() const { return runs_; }
    const Plans& plans() const { return plans_; }  ///< none until they are ready
    /// Of the first plan: to these the digits jump.
    void setNotes(std::vector<ChartNote> notes);
    const std::vector<PreparedView>& preparedViews() const { return views_; }
    /// A picture that fills the view, in large type, and nothing else.
    void setPresenting(bool on);
    bool isPresenting() const { return presenting_; }
    const PresentChoice& presentChoice() const;
    void setPresentChoice(const PresentChoice& choice);
    /// What a button in the toolbar opens: which plans are played.
    void setPlansMenu(QMenu* menu);

    PlayClock& clock() { return *clock_; }
    GanttChart& chart() { return *chart_; }
    TopologyCanvas& canvas() { return *canvas_; }
    PlayCanvas& picture() { return *picture_; }
    bool pictureShown() const { return presenting_ || plans_.size() > 1; }
    PictureStyle pictureStyle() const;
    QString stepText() const;
    std::pair<double, double> visibleRange() const;

signals:
    void ready();
    void presentingWanted(bool on);
    void presentChoiceChanged();
    void exportWanted();
    void closeWanted();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void layOut();
    void connectParts();
    void showData(Plans plans);
    void showParts();
    void showPicture();
    void showTime(double timeS);
    void tellStep(double timeS);
    void showKeys();
    QStringList keyLines() const;
    void jumpTo(std::size_t view);
    void step(bool forward);
    void nudge(double partOfView);
    void zoom(double factor);
    void fit();
    bool movesTime(const QKeyEvent& event);
    bool changesView(const QKeyEvent& event);
    bool changesPicture(int key);
    const PlayData* first() const { return plans_.empty() ? nullptr : plans_.front().get(); }
    double endS() const;
    TimeAxis axis() const;
    void setVisibleRange(double t0, double t1);
    void alignChart();
    void arrange();

    std::vector<std::shared_ptr<const PlanRun>> runs_;
    Plans plans_;
    std::vector<ChartNote> notes_;
    std::vector<PreparedView> views_;
    std::unique_ptr<ClusterLight> light_;
    Job preparing_;
    std::optional<double> told_;
    bool presenting_ = false;
    bool arranged_ = false;  ///< a person has moved the splitter; it stays there

    PlayClock* clock_;
    GanttChart* chart_;
    TopologyCanvas* canvas_;
    PlayCanvas* picture_;
    CursorMark* mark_;
    PlayToolbar* toolbar_;
    QLabel* hint_ = nullptr;
    KeyCard* keys_ = nullptr;
    QSplitter* splitter_ = nullptr;
    StepBar* steps_ = nullptr;
    PlayBar* bar_ = nullptr;
    Legend* legend_ = nullptr;
};

}  // namespace stagecraft::views::play
