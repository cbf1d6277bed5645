#include "app/plan/edit_simulator.h"

#include "core/planners/planned_run.h"

#include <QTimer>

#include <utility>

namespace stagecraft::app::plan {

namespace {

constexpr int frameMs = 16;
constexpr qint64 simulationPatienceMs = 250;

PlanRun simulated(const EditQuestion& question, const WorkContext& context) {
    return evaluateEdited(costsUnder(question.costs, *question.problem), question.plan, context);
}

}  // namespace

std::shared_ptr<const CostModel> costsUnder(const std::shared_ptr<const CostModel>& known,
                                            const Problem& problem) {
    const bool same = known && known->problem().profile.microbatchSize == problem.profile.microbatchSize;
    return same ? std::make_shared<const CostModel>(known->withSetup(problem.setup))
                : std::make_shared<const CostModel>(problem);
}

EditSimulator::EditSimulator(QObject* parent) : QObject(parent), frame_(new QTimer(this)) {
    frame_->setSingleShot(true);
    frame_->setInterval(frameMs);
    connect(frame_, &QTimer::timeout, this, [this] { setBehind(running_ != 0); });
    connect(&jobs_, &PlanningJobs::finished, this,
            [this](int job, const std::shared_ptr<const PlanRun>& run) {
                if (job == running_) emit answered(question_, run);
            });
    connect(&jobs_, &PlanningJobs::failed, this, [this](int job, const QString& reason) {
        if (job != running_) return;
        auto run = std::make_shared<PlanRun>();
        run->result.plan = question_.plan;
        run->result.reason = reason.toStdString();
        emit answered(question_, run);
    });
    connect(&jobs_, &PlanningJobs::ended, this, &EditSimulator::onEnded);
}

void EditSimulator::ask(const EditQuestion& question) {
    if (!frame_->isActive() && !behind_) frame_->start();
    if (running_ == 0) return start(question);
    next_.reset();
    if (question == question_) return;
    next_ = question;
    if (since_.elapsed() > simulationPatienceMs) jobs_.cancel(running_);
}

void EditSimulator::cancel() {
    next_.reset();
    jobs_.cancelAll();
    running_ = 0;
    frame_->stop();
    setBehind(false);
}

void EditSimulator::start(const EditQuestion& question) {
    question_ = question;
    since_.start();
    running_ = jobs_.start(QStringLiteral("edit"),
                           [question](const WorkContext& context) { return simulated(question, context); });
}

void EditSimulator::onEnded(int job) {
    if (job != running_) return;
    running_ = 0;
    if (next_) return start(*std::exchange(next_, std::nullopt));
    frame_->stop();
    setBehind(false);
}

void EditSimulator::setBehind(bool behind) {
    if (std::exchange(behind_, behind) != behind) emit behindChanged(behind);
}

}  // namespace stagecraft::app::plan
