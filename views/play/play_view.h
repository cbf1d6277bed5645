#pragma once

#include "core/planners/plan_run.h"
#include "views/common/job.h"

#include <QWidget>

#include <optional>

class QAction;
class QLabel;
class QSplitter;

namespace stagecraft::views {

class ClusterLight;
class CursorMark;
class GanttChart;
class Legend;
class PlayBar;
class PlayClock;
class StepBar;
class TopologyCanvas;
struct PlayData;

/// One plan while its time runs: the chart, and beside it the cluster, whose GPUs light up while they compute
/// and fill up while they hold something, with packets on its links.
class PlayView : public QWidget {
    Q_OBJECT
public:
    explicit PlayView(QWidget* parent = nullptr);
    ~PlayView() override;

    /// Prepared on another thread; ready() is emitted when it can be played.
    void setRun(std::shared_ptr<const PlanRun> run);
    const std::shared_ptr<const PlanRun>& run() const { return run_; }
    std::shared_ptr<const PlayData> data() const { return data_; }  ///< null until it is ready
    /// Nothing but chart, cluster and cursor, in large type.
    void setPresenting(bool on);
    bool isPresenting() const { return presenting_; }

    PlayClock& clock() { return *clock_; }
    GanttChart& chart() { return *chart_; }
    TopologyCanvas& canvas() { return *canvas_; }
    QString stepText() const;
    std::pair<double, double> visibleRange() const;

signals:
    void ready();
    void presentingWanted(bool on);
    void exportWanted();
    void closeWanted();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void layOut();
    QWidget* makeToolbar();
    void refreshIcons();
    void showData(std::shared_ptr<const PlayData> data);
    void showTime(double timeS);
    void showKeys();
    void step(bool forward);
    void nudge(double partOfView);
    void setVisibleRange(double t0, double t1);
    void alignChart();
    void arrange();

    std::shared_ptr<const PlanRun> run_;
    std::shared_ptr<const PlayData> data_;
    std::unique_ptr<ClusterLight> light_;
    Job preparing_;
    std::optional<double> told_;
    bool presenting_ = false;
    bool arranged_ = false;  ///< a person has moved the splitter; it stays there

    PlayClock* clock_;
    GanttChart* chart_;
    TopologyCanvas* canvas_;
    CursorMark* mark_;
    QWidget* toolbar_ = nullptr;
    QLabel* title_ = nullptr;
    QLabel* hint_ = nullptr;
    QLabel* keys_ = nullptr;
    QAction* communication_ = nullptr;
    QAction* present_ = nullptr;
    QAction* export_ = nullptr;
    QSplitter* splitter_ = nullptr;
    StepBar* steps_ = nullptr;
    PlayBar* bar_ = nullptr;
    Legend* legend_ = nullptr;
};

}  // namespace stagecraft::views
