// Stepping through a plan from event to event, and letting its time run.

#include "views/plan/plan_view.h"
#include "views/plan/play_bar.h"
#include "views/resources/step_bar.h"
#include "views/timeline/event_steps.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/play_clock.h"

#include <QAction>

namespace stagecraft {

void PlanView::stepForward() {
    if (!data_) return;
    const EventSteps events(data_);
    const double next = step_ ? events.after(*step_) : events.from(visibleRange().first);
    if (step_ && next <= *step_ + data_->slackS()) return;  // the end
    clock_->setTime(next);
}

void PlanView::stepBackward() {
    if (!data_) return;
    setPlaying(false);
    const EventSteps events(data_);
    clock_->setTime(step_ ? events.before(*step_) : events.before(visibleRange().second));
}

void PlanView::showStep(double timeS) {
    if (!data_) return;
    const bool begins = !step_;
    step_ = timeS;
    if (begins) {
        told_.reset();
        if (!playBar_) stepBar_->addControls(playBar_ = new PlayBar(clock_));
        stepBar_->show();
    }
    gantt_->setStep(step_);
    tellStep();
    keepStepInView();
    setCursorTime(std::nullopt);
}

void PlanView::tellStep() {
    const bool atEnd = *step_ >= data_->endS - data_->slackS();
    const EventSteps events(data_);
    const double event = atEnd ? data_->endS : events.before(*step_ + 2 * data_->slackS());
    if (told_ == event) return;
    told_ = event;
    const QStringList lines =
        atEnd ? QStringList{QStringLiteral("The end: all is done")} : events.texts(event);
    stepBar_->setStep(QString::fromStdString(formatInstant(event, data_->endS / 1000)), lines);
}

void PlanView::keepStepInView() {
    const TimeAxis axis = gantt_->plot().axis(), wanted = axis.following(*step_, data_->endS);
    if (wanted.t0 != axis.t0) setVisibleRange(wanted.t0, wanted.t1);
}

void PlanView::endSteps() {
    setPlaying(false);
    if (!step_) return;
    step_.reset();
    gantt_->setStep(std::nullopt);
    stepBar_->hide();
    setCursorTime(std::nullopt);
}

/// From where a person has stepped to, else from the left edge of what is visible.
void PlanView::setPlaying(bool on) {
    if (on && data_ && !step_) clock_->setTime(visibleRange().first);
    clock_->setRunning(on && data_ != nullptr);
    actions_.play->setChecked(clock_->isRunning());
}

QString PlanView::stepText() const { return step_ ? stepBar_->text() : QString(); }

}  // namespace stagecraft
