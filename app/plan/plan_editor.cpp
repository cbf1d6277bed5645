#include "app/plan/plan_editor.h"

#include "app/document/custom_schedules.h"
#include "app/plan/edit_bar.h"
#include "app/plan/edit_effect.h"
#include "app/plan/schedule_panel.h"
#include "app/plan/what_if_panel.h"
#include "core/editing/plan_edit.h"
#include "core/planners/grouped_problem.h"
#include "core/programs/custom_schedule.h"
#include "core/runs/arranged_stages.h"
#include "core/runs/chosen_schedule.h"
#include "views/plan/details_pane.h"
#include "views/plan/plan_view.h"
#include "views/strip/partition_strip.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/order_drag.h"

#include <QAction>
#include <QToolButton>

#include <stdexcept>

namespace stagecraft::app::plan {

namespace {

/// The same plan, whatever it is called, for the same problem.
bool sameTask(const PlanRun& a, const PlanRun& b) {
    Plan plan = a.result.plan;
    plan.name = b.result.plan.name;
    return plan == b.result.plan && a.costs->problem() == b.costs->problem();
}

}  // namespace

PlanEditor::PlanEditor(Workspace& workspace, int planId, PlanView& view, QWidget* parent)
    : QObject(parent),
      workspace_(workspace),
      id_(planId),
      view_(view),
      bar_(new EditBar(parent)),
      order_(new OrderDrag(view.gantt())) {
    connectStrip();
    connectOrder();
    connectWhatIf();
    connectSchedule();
    connect(&simulator_, &EditSimulator::answered, this, &PlanEditor::onAnswered);
    connect(&simulator_, &EditSimulator::behindChanged, bar_, &EditBar::setBehind);
    connect(&workspace_, &Workspace::problemChanged, this, [this](unsigned parts) {
        if (parts != drawingPart) showDocument();
    });
    showDocument();
}

PlanEditor::~PlanEditor() { simulator_.cancel(); }

void PlanEditor::retire() {
    simulator_.cancel();
    workspace_.disconnect(this);
}

void PlanEditor::connectStrip() {
    PartitionStrip* strip = &bar_->strip();
    connect(strip, &PartitionStrip::proposed, this,
            [this](const PlanEdit& edit) { attempt(trialOf(edit), false); });
    connect(strip, &PartitionStrip::requested, this,
            [this](const PlanEdit& edit) { attempt(trialOf(edit), true); });
    connect(strip, &PartitionStrip::withdrawn, this, &PlanEditor::withdraw);
    connect(strip, &PartitionStrip::refused, this, &PlanEditor::refuse);
    connect(strip, &PartitionStrip::deviceHovered, &view_, &PlanView::highlightDevice);
    connect(strip, &PartitionStrip::deviceHovered, this, &PlanEditor::deviceHovered);
}

void PlanEditor::connectOrder() {
    connect(&bar_->orderButton(), &QToolButton::toggled, order_, &OrderDrag::setMode);
    connect(&bar_->orderButton(), &QToolButton::toggled, this,
            [this](bool on) { bar_->setText(on ? QString() : effect_); });
    connect(order_, &OrderDrag::clicked, &view_, &PlanView::selectBlock);
    connect(order_, &OrderDrag::withdrawn, this, &PlanEditor::withdraw);
    connect(order_, &OrderDrag::proposed, this,
            [this](quint32 block, quint32 before) { attempt(trialOf(block, before), false); });
    connect(order_, &OrderDrag::requested, this,
            [this](quint32 block, quint32 before) { attempt(trialOf(block, before), true); });
}

void PlanEditor::connectWhatIf() {
    connect(&bar_->whatIfButton(), &QToolButton::toggled, this, &PlanEditor::showWhatIf);
    // The pane has a button and a key of its own.
    connect(view_.viewActions().details, &QAction::toggled, this, [this](bool on) {
        if (on) return;
        bar_->whatIfButton().setChecked(false);
        bar_->scheduleButton().setChecked(false);
    });
}

void PlanEditor::connectSchedule() {
    connect(&bar_->scheduleButton(), &QToolButton::toggled, this, &PlanEditor::showSchedule);
}

SchedulePanel& PlanEditor::schedule() {
    if (schedule_) return *schedule_;
    schedule_ = view_.details().addSection<SchedulePanel>(tr("Schedule"), true);
    connect(schedule_, &SchedulePanel::proposed, this,
            [this](const Plan& plan, const QString& family) { trySchedule(plan, family, false); });
    connect(schedule_, &SchedulePanel::requested, this,
            [this](const Plan& plan, const QString& family) { trySchedule(plan, family, true); });
    connect(schedule_, &SchedulePanel::withdrawn, this, &PlanEditor::withdraw);
    connect(schedule_, &SchedulePanel::equalLayersRequested, this, &PlanEditor::addEqualLayers);
    connect(schedule_, &SchedulePanel::arrangementRequested, this, &PlanEditor::arrangeStages);
    connect(schedule_, &SchedulePanel::comparisonRequested, this, &PlanEditor::compareSchedules);
    connect(schedule_, &SchedulePanel::experimentRequested, this, &PlanEditor::scheduleExperimentWanted);
    connect(schedule_, &SchedulePanel::keepRequested, this, &PlanEditor::keepSchedule);
    connect(schedule_, &SchedulePanel::blockWanted, this, [this](quint32 block) {
        if (run_ && view_.run() && view_.run()->evaluation == run_->evaluation) view_.selectBlock(block);
    });
    return *schedule_;
}

void PlanEditor::showSchedule(bool on) {
    if (on) schedule().setPlan(run_);
    view_.details().setSectionShown(&schedule(), on);
    if (!on && trying_ && !isTryingOut() && !trying_->letGo) withdraw();
    if (on) view_.viewActions().details->setChecked(true);
}

void PlanEditor::trySchedule(const Plan& plan, const QString& family, bool letGo) {
    const PlanItem* edited = item();
    if (!edited) return;
    Trial trial;
    trial.question.problem = workspace_.sharedProblem();
    if (run_ && edited->run) trial.question.costs = run_->costs;
    trial.question.plan = asHandMade(plan, edited->plan, edited->title().toStdString());
    trial.step = tr("Schedule: %1").arg(family);
    attempt(std::move(trial), letGo);
}

void PlanEditor::arrangeStages(const ScheduleFamily& family, const ParameterValues& values) {
    const PlanItem* edited = item();
    if (!edited) return;
    try {
        trySchedule(arrangedUnder(CostModel(workspace_.problem()), edited->plan, family, values),
                    QString::fromStdString(shortTitle(family)), true);
    } catch (const std::invalid_argument& error) {
        refuse(QString::fromStdString(error.what()));
    }
}

void PlanEditor::addEqualLayers(const ScheduleFamily& family, const ParameterValues& values) {
    try {
        Plan plan = madeOnGroups(CostModel(workspace_.problem()), [&](const CostModel& costs) {
            return equalLayersUnder(costs, family, values);
        });
        plan.planner = handMade;
        emit planAdded(workspace_.addPlan(plan));
    } catch (const std::invalid_argument& error) {
        refuse(QString::fromStdString(error.what()));
    }
}

void PlanEditor::compareSchedules(const std::vector<Plan>& plans) {
    const PlanItem* edited = item();
    if (!edited || !run_) return;
    std::vector<Plan> trials;
    for (const Plan& plan : plans) {
        trials.push_back(asHandMade(plan, plan, plan.name));
        trials.back().name = plan.name;
    }
    emit comparisonWanted(run_->costs, trials, tr("schedules of %1").arg(edited->title()));
}

void PlanEditor::keepSchedule(const QString& name) {
    if (!run_) return;
    try {
        const Plan spelled = editing::spelledOut(run_->result.plan, run_->evaluation->timeline);
        keepCustomSchedule(
            customSchedulesFolder(),
            customSchedule(name.toStdString(), spelled, run_->costs->problem().setup.microbatches));
        schedule().reload();
    } catch (const std::exception& error) {
        refuse(QString::fromStdString(error.what()));
    }
}

WhatIfPanel& PlanEditor::whatIf() {
    if (whatIf_) return *whatIf_;
    whatIf_ = view_.details().addSection<WhatIfPanel>(tr("What if"), true);
    connect(whatIf_, &WhatIfPanel::tried, this,
            [this](const std::vector<WhatIf>& changes) { attempt(trialOf(changes), false); });
    connect(whatIf_, &WhatIfPanel::applyRequested, this, &PlanEditor::applyTrials);
    connect(whatIf_, &WhatIfPanel::discarded, this, &PlanEditor::stopTrying);
    return *whatIf_;
}

void PlanEditor::showWhatIfEffect(const QString& effect) {
    if (whatIf_) whatIf_->setEffect(effect);
}

/// Filling in all links and layers is left until somebody looks.
void PlanEditor::resetSliders() {
    if (shownProblem_ && bar_->whatIfButton().isChecked()) whatIf().setProblem(shownProblem_);
}

void PlanEditor::showWhatIf(bool on) {
    resetSliders();
    view_.details().setSectionShown(&whatIf(), on);
    if (!on && isTryingOut()) withdraw();
    if (on) view_.viewActions().details->setChecked(true);
}

void PlanEditor::setRun(std::shared_ptr<const PlanRun> run) {
    if (run && run->ok()) {
        // Whatever changed the plan or its problem (an edit, undo, a planner): in words.
        if (run_ && !sameTask(*run_, *run)) effect_ = effectOf(*run_, *run);
        run_ = std::move(run);
    }
    showDocument();
}

/// Strip and sliders as the document has them; what moves is not disturbed by news about the same plan.
void PlanEditor::showDocument() {
    const PlanItem* shown = item();
    const bool editable = shown && shown->isPlan() && shown->goneDevices.empty();
    bar_->setVisible(editable);
    if (!editable) return;
    const std::shared_ptr<const Problem> problem = workspace_.sharedProblem();
    if (problem != shownProblem_ || shown->plan != shownPlan_) {
        trying_.reset();
        simulator_.cancel();
        order_->cancel();
        bar_->strip().setPlan(problem, shown->plan);
        bar_->setPipelines(shown->plan.pipelineCount());
        shownProblem_ = problem;
        shownPlan_ = shown->plan;
        resetSliders();
    }
    if (bar_->scheduleButton().isChecked()) schedule().setPlan(run_);
    if (!trying_) bar_->setText(effect_);
}

std::optional<PlanEditor::Trial> PlanEditor::trialOf(const PlanEdit& edit) {
    const PlanItem* edited = item();
    if (!edited) return std::nullopt;
    try {
        // What has been let go and is still simulated counts: a key may come again before it is taken.
        const bool goesOn = trying_ && trying_->letGo && trying_->changes.empty();
        const Plan& base = goesOn ? trying_->question.plan : edited->plan;
        Trial trial;
        trial.question.problem = workspace_.sharedProblem();
        if (run_ && edited->run) trial.question.costs = run_->costs;
        trial.question.plan = asHandMade(editedPlan(base, edit), edited->plan, edited->title().toStdString());
        trial.step = QString::fromStdString(describeEdit(edit, base, workspace_.problem().cluster));
        return trial;
    } catch (const std::invalid_argument& error) {
        refuse(QString::fromStdString(error.what()));
        return std::nullopt;
    }
}

std::optional<PlanEditor::Trial> PlanEditor::trialOf(quint32 block, quint32 before) {
    const PlanItem* edited = item();
    if (!edited || !edited->run || !edited->run->ok()) return std::nullopt;
    // Blocks are named by their place in the timeline that is shown.
    if (!view_.run() || view_.run()->evaluation != edited->run->evaluation) return std::nullopt;
    const Timeline& timeline = edited->run->evaluation->timeline;
    try {
        Plan plan = spelledOut(edited->plan, timeline);
        const int device = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))].devices.front();
        const std::vector<Task>& order = std::get<ExplicitSchedule>(plan.schedule.order).orders.at(device);
        const auto placeOf = [&](quint32 each) {
            return static_cast<int>(
                std::find(order.begin(), order.end(), orderedTasks(timeline, each).front()) - order.begin());
        };
        const int from = placeOf(block);
        const int next = before == noBlock ? static_cast<int>(order.size()) : placeOf(before);
        const PlanEdit edit = MoveTask{device, from, next > from ? next - 1 : next};
        Trial trial;
        trial.question.problem = workspace_.sharedProblem();
        trial.question.costs = edited->run->costs;
        trial.question.plan = asHandMade(editedPlan(plan, edit), edited->plan, edited->title().toStdString());
        trial.step = QString::fromStdString(describeEdit(edit, plan, workspace_.problem().cluster));
        trial.inChart = false;  // the blocks must not move under the one that is dragged
        return trial;
    } catch (const std::invalid_argument& error) {
        refuse(QString::fromStdString(error.what()));
        return std::nullopt;
    }
}

PlanEditor::Trial PlanEditor::trialOf(const std::vector<WhatIf>& changes) const {
    Trial trial;
    trial.question.problem = std::make_shared<const Problem>(changedBy(workspace_.problem(), changes));
    const bool sameCosts = std::all_of(changes.begin(), changes.end(), [](const WhatIf& change) {
        return change.kind == WhatIf::Kind::microbatches || change.kind == WhatIf::Kind::memoryLimit;
    });
    if (sameCosts && run_ && item() && item()->run) trial.question.costs = run_->costs;
    if (item()) trial.question.plan = item()->plan;
    trial.changes = changes;
    return trial;
}

void PlanEditor::attempt(std::optional<Trial> trial, bool letGo) {
    if (!trial) return;
    trial->letGo = letGo;
    trying_ = std::move(trial);
    emit trialChanged();
    if (answeredQuestion_ && *answeredQuestion_ == trying_->question) {
        simulator_.cancel();
        return onAnswered(trying_->question, answer_);
    }
    simulator_.ask(trying_->question);
}

void PlanEditor::onAnswered(const EditQuestion& question, const std::shared_ptr<const PlanRun>& run) {
    if (!trying_) return;
    answeredQuestion_ = question;
    answer_ = run;
    const bool newest = question == trying_->question;
    if (newest && trying_->letGo) return take(*std::exchange(trying_, std::nullopt), run);
    if (!run->ok()) {
        if (newest) bar_->setText(QString::fromStdString(run->result.reason), EditBar::Tone::refusal);
        if (newest && isTryingOut()) {
            showWhatIfEffect(QString::fromStdString(run->result.reason));
            emit previewEnded();
        }
        return;
    }
    const QString effect = run_ ? effectOf(*run_, *run) : QString();
    bar_->setText(isTryingOut() ? tr("What if, not applied: %1").arg(effect) : effect);
    if (isTryingOut()) showWhatIfEffect(effect);
    if (trying_->inChart) emit previewed(run);
}

/// From here on it is the document's.
void PlanEditor::take(const Trial& trial, std::shared_ptr<const PlanRun> run) {
    answeredQuestion_.reset();
    answer_.reset();
    if (!run->ok()) return refuse(QString::fromStdString(run->result.reason));
    workspace_.editPlan(id_, run->result.plan, run, trial.step);
    showDocument();
    emit statusText(effect_);
    emit trialChanged();
    if (const int steps = std::exchange(queuedSteps_, 0)) {
        queuedSteps_ = steps - (steps > 0 ? 1 : -1);
        moveSelectedBlock(steps > 0 ? 1 : -1);
    }
}

void PlanEditor::refuse(const QString& reason) {
    withdraw();
    if (!bar_->strip().isDragging()) bar_->strip().putBack();
    resetSliders();
    bar_->setText(reason, EditBar::Tone::refusal);
    emit statusText(reason);
}

void PlanEditor::withdraw() {
    stopTrying();
    resetSliders();
}

void PlanEditor::stopTrying() {
    trying_.reset();
    queuedSteps_ = 0;
    answeredQuestion_.reset();
    answer_.reset();
    simulator_.cancel();
    bar_->setText(effect_);
    showWhatIfEffect({});
    emit previewEnded();
    emit trialChanged();
}

QString PlanEditor::trialText() const {
    if (!trying_) return {};
    if (!isTryingOut()) return tr("Not applied: %1").arg(trying_->step);
    QStringList parts;
    for (const WhatIf& change : trying_->changes) parts << describe(workspace_.problem(), change);
    return tr("What if, not applied: %1").arg(parts.join(QStringLiteral("; ")));
}

bool PlanEditor::canUndoTrial() const { return trying_ && !trying_->letGo; }
bool PlanEditor::canRedoTrial() const { return whatIf_ && whatIf_->canRedo(); }
void PlanEditor::redoTrial() { whatIf_->redo(); }

void PlanEditor::undoTrial() {
    if (isTryingOut() && whatIf_->canUndo()) return whatIf_->undo();
    withdraw();
    if (schedule_) schedule_->showOwn();
}

void PlanEditor::applyTrials(const std::vector<WhatIf>& changes) {
    if (changes.empty()) return;
    QStringList parts;
    for (const WhatIf& change : changes) parts << describe(workspace_.problem(), change);
    // What was simulated of it is known already.
    const bool answered = trying_ && trying_->changes == changes && answeredQuestion_ == trying_->question;
    const auto known = answered ? answer_ : nullptr;
    simulator_.cancel();
    trying_.reset();
    answeredQuestion_.reset();
    answer_.reset();
    apply(workspace_, changes);
    if (known && known->ok()) workspace_.setRun(id_, known);
    showWhatIfEffect({});
    showDocument();
    emit statusText(tr("Applied: %1").arg(parts.join(QStringLiteral("; "))));
}

void PlanEditor::moveSelectedBlock(int step) {
    const quint32 block = view_.selectedBlock();
    if (block == noBlock || !item() || !item()->run || !item()->run->ok()) return;
    // The one before is simulated still: this one goes on from where that leads.
    if (trying_ && trying_->letGo) {
        queuedSteps_ += step;
        return;
    }
    const Timeline& timeline = item()->run->evaluation->timeline;
    if (!OrderDrag::isOrdered(timeline, block)) return;
    const quint32 before = OrderDrag::placeBeside(timeline, block, step);
    if (before != block) attempt(trialOf(block, before), true);
}

}  // namespace stagecraft::app::plan
