#include "views/plan/plan_playback.h"

#include "core/base/units.h"
#include "views/plan/plan_charts.h"
#include "views/plan/plan_navigator.h"
#include "views/plan/play_bar.h"
#include "views/resources/step_bar.h"
#include "views/timeline/event_steps.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/play_clock.h"

namespace stagecraft::views::plan {

PlanPlayback::PlanPlayback(PlanCharts& charts, PlanNavigator& navigator, StepBar& bar, QObject* parent)
    : QObject(parent), charts_(charts), navigator_(navigator), bar_(bar), clock_(new PlayClock(this)) {
    bar_.hide();
    connect(&bar_, &StepBar::closed, this, &PlanPlayback::end);
    connect(clock_, &PlayClock::timeChanged, this, &PlanPlayback::show);
    connect(clock_, &PlayClock::runningChanged, this, &PlanPlayback::playingChanged);
}

void PlanPlayback::setData(std::shared_ptr<const ChartData> data) {
    end();
    data_ = std::move(data);
    if (data_) clock_->setSpan(data_->timeline().firstStartS(), data_->endS);
}

QString PlanPlayback::text() const { return step_ ? bar_.text() : QString(); }

void PlanPlayback::stepForward() {
    if (!data_) return;
    const EventSteps events(data_);
    const double next = step_ ? events.after(*step_) : events.from(navigator_.visibleRange().first);
    if (step_ && next <= *step_ + data_->slackS()) return;  // the end
    clock_->setTime(next);
}

void PlanPlayback::stepBackward() {
    if (!data_) return;
    setPlaying(false);
    const EventSteps events(data_);
    clock_->setTime(step_ ? events.before(*step_) : events.before(navigator_.visibleRange().second));
}

void PlanPlayback::show(double timeS) {
    if (!data_) return;
    const bool begins = !step_;
    step_ = timeS;
    if (begins) {
        said_.reset();
        if (!controls_) bar_.addControls(controls_ = new PlayBar(clock_));
        bar_.show();
    }
    charts_.gantt().setStep(step_);
    say();
    navigator_.follow(timeS);
    navigator_.setRestingCursor(step_);
}

void PlanPlayback::say() {
    const bool atEnd = *step_ >= data_->endS - data_->slackS();
    const EventSteps events(data_);
    const double event = atEnd ? data_->endS : events.before(*step_ + 2 * data_->slackS());
    if (said_ == event) return;
    said_ = event;
    const QStringList lines =
        atEnd ? QStringList{QStringLiteral("The end: all is done")} : events.texts(event);
    bar_.setStep(QString::fromStdString(formatInstant(event, data_->endS / 1000)), lines);
}

void PlanPlayback::end() {
    setPlaying(false);
    if (!step_) return;
    step_.reset();
    charts_.gantt().setStep(std::nullopt);
    bar_.hide();
    navigator_.setRestingCursor(std::nullopt);
}

void PlanPlayback::setPlaying(bool on) {
    if (on && data_ && !step_) clock_->setTime(navigator_.visibleRange().first);
    clock_->setRunning(on && data_ != nullptr);
    emit playingChanged(clock_->isRunning());
}

}  // namespace stagecraft::views::plan
