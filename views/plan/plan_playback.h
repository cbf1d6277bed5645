#pragma once

#include "views/timeline/chart_data.h"

#include <QObject>

#include <memory>
#include <optional>

namespace stagecraft::views::resources {
class StepBar;
}
namespace stagecraft::views::timeline {
class PlayClock;
}

namespace stagecraft::views::plan {

class PlanCharts;
class PlanNavigator;
class PlayBar;

/// Going through a plan's time, from event to event or as it runs: what has not happened yet is faint in the
/// charts, and a bar says what happens.
class PlanPlayback : public QObject {
    Q_OBJECT
public:
    PlanPlayback(PlanCharts& charts, PlanNavigator& navigator, StepBar& bar, QObject* parent);

    void setData(std::shared_ptr<const ChartData> data);  ///< ends it
    /// The instant that is shown; nothing: the whole plan is.
    std::optional<double> timeS() const { return step_; }
    QString text() const;  ///< what happened last by then, in words
    PlayClock& clock() { return *clock_; }

    void stepForward();
    void stepBackward();
    /// From the instant that is shown, else from the left edge of what is visible.
    void setPlaying(bool on);
    void end();

signals:
    void playingChanged(bool on);

private:
    void show(double timeS);
    void say();

    PlanCharts& charts_;
    PlanNavigator& navigator_;
    StepBar& bar_;
    PlayClock* clock_;
    PlayBar* controls_ = nullptr;  ///< made for the first step
    std::shared_ptr<const ChartData> data_;
    std::optional<double> step_;
    std::optional<double> said_;  ///< the event at or before it, of which the bar speaks
};

}  // namespace stagecraft::views::plan
