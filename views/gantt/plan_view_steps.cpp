// Stepping through a plan from event to event.

#include "views/gantt/event_steps.h"
#include "views/gantt/gantt_chart.h"
#include "views/gantt/plan_view.h"
#include "views/gantt/step_bar.h"

#include <QAction>
#include <QTimer>

namespace stagecraft {

namespace {
constexpr double leadPart = 0.35;   // of the view, behind the step when it has been moved into view
constexpr double closePart = 0.12;  // of the view, that stays free before the right edge
}  // namespace

void PlanView::stepForward() {
    if (!data_) return;
    const EventSteps events(data_);
    const double next = step_ ? events.after(*step_) : events.from(visibleRange().first);
    if (step_ && next <= *step_ + data_->slackS()) return setPlaying(false);  // the end
    stepTo(next);
}

void PlanView::stepBackward() {
    if (!data_) return;
    setPlaying(false);
    const EventSteps events(data_);
    stepTo(step_ ? events.before(*step_) : events.before(visibleRange().second));
}

void PlanView::stepTo(double timeS) {
    step_ = timeS;
    gantt_->setStep(step_);
    const bool atEnd = timeS >= data_->endS - data_->slackS();
    const QStringList lines =
        atEnd ? QStringList{QStringLiteral("The end: all is done")} : EventSteps(data_).texts(timeS);
    stepBar_->show();
    stepBar_->setStep(QString::fromStdString(formatInstant(timeS, data_->endS / 1000)), lines);
    keepStepInView();
    setCursorTime(std::nullopt);
}

void PlanView::keepStepInView() {
    const auto [t0, t1] = visibleRange();
    const double span = t1 - t0;
    if (*step_ >= t0 && *step_ <= std::max(t1 - closePart * span, t0)) return;
    setVisibleRange(*step_ - leadPart * span, *step_ + (1 - leadPart) * span);
}

void PlanView::endSteps() {
    setPlaying(false);
    if (!step_) return;
    step_.reset();
    gantt_->setStep(std::nullopt);
    stepBar_->hide();
    setCursorTime(std::nullopt);
}

void PlanView::setPlaying(bool on) {
    if (on == player_->isActive()) return;
    if (on && data_) {
        if (step_ && *step_ >= data_->endS - data_->slackS()) step_.reset();  // once more from the start
        player_->start();
        stepForward();
    } else {
        player_->stop();
    }
    actions_.play->setChecked(player_->isActive());
    refreshIcons();
}

QString PlanView::stepText() const { return step_ ? stepBar_->text() : QString(); }

}  // namespace stagecraft
