#include "app/plan/plan_page.h"

#include "app/pages/plan_figures.h"
#include "app/panels/age_bar.h"
#include "app/panels/field_behaviour.h"
#include "app/plan/edit_bar.h"
#include "app/plan/plan_editor.h"
#include "core/base/units.h"
#include "core/planners/planner.h"
#include "views/common/caption.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/pareto/memory_limit_bar.h"
#include "views/pattern/pattern_view.h"
#include "views/plan/notice.h"
#include "views/plan/plan_notes.h"
#include "views/plan/resource_charts.h"
#include "views/resources/link_chart.h"
#include "views/resources/memory_chart.h"

#include <QApplication>
#include <QButtonGroup>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>

namespace stagecraft::app::plan {

namespace {

constexpr int apart = 12;      // pixels between switch and slider
constexpr int nextTurnMs = 1;  // with 0 it would be this one: what is posted meanwhile still belongs to it
constexpr double roomAbove = 1.25;  // of the largest limit that is of interest, at the slider's right end

bool plansForMemory(const std::string& planner) {
    const Planner* found = findPlanner(planner);
    return found && found->description().plansForMemory;
}

/// The least of the devices' own memories; 0: they do not say.
double ownMemoryBytes(const Problem& problem) {
    double least = 0;
    for (const Device& device : problem.cluster.devices)
        if (device.memoryBytes > 0 && (least == 0 || device.memoryBytes < least)) least = device.memoryBytes;
    return least;
}

double peakBytes(const PlanRun& run) {
    double peak = 0;
    for (const MemoryCurve& curve : run.evaluation->memory) peak = std::max(peak, curve.peakBytes());
    return peak;
}

bool showsAll(const PlanView& view) {
    if (!view.isReady()) return true;
    const Timeline& timeline = view.run()->evaluation->timeline;
    const auto [from, to] = view.visibleRange();
    return from <= timeline.firstStartS() && to >= timeline.lastEndS();
}

/// Why there is no plan that keeps the limit, or empty.
QString obstacleOf(const PlanRun& run, double limitBytes) {
    const QString limit = QString::fromStdString(formatBytes(limitBytes));
    if (!run.ok())
        return PlanPage::tr("Nothing fits into %1: %2").arg(limit, QString::fromStdString(run.result.reason));
    return memoryNotice(run);
}

FigurePart shownPart(PlanView& view) {
    const std::pair<double, double> range = view.visibleRange();
    FigurePart part;
    if (range.first < range.second && !showsAll(view)) part.timeS = range;
    part.lanes = view.visibleLanes();
    if (part.lanes.size() == view.run()->evaluation->timeline.lanes.size()) part.lanes.clear();
    part.memoryDevice = view.viewState().memoryDevice;
    if (const LinkScene& links = view.resources().links().scene(); links.data && links.link >= 0)
        part.link = links.data->links[static_cast<std::size_t>(links.link)].index;
    return part;
}

}  // namespace

bool isPeriodic(const PlanRun& run) {
    return run.ok() && std::holds_alternative<PeriodicSchedule>(run.result.plan.schedule.order);
}

PlanPage::PlanPage(Workspace& workspace, int planId, QWidget* parent)
    : Page({QStringLiteral("plan"), "plan"}, parent), workspace_(workspace), id_(planId) {
    layOut();
    connect(&workspace_, &Workspace::problemChanged, this, [this] {
        if (limit_ && !ownEdit_) forgetPreview();
        showLimit();
    });
}

PlanPage::~PlanPage() { planner_.cancel(); }

void PlanPage::retire() {
    planner_.cancel();
    workspace_.disconnect(this);
    if (editor_) editor_->retire();
    blockSignals(true);
}

void PlanPage::setPlan(int planId) {
    id_ = planId;
    if (editor_) editor_->setPlan(planId);
}

void PlanPage::layOut() {
    pages_ = new QStackedWidget(this);
    QSizePolicy place = pages_->sizePolicy();
    place.setRetainSizeWhenHidden(true);
    pages_->setSizePolicy(place);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* age = new AgeBar(workspace_, id_, this);
    connect(age, &AgeBar::planAgainRequested, this, &PlanPage::planAgainRequested);
    column->addWidget(age);
    column->addWidget(pages_, 1);
}

PlanView& PlanPage::view() {
    while (prepareMore()) {
    }
    return *view_;
}

bool PlanPage::prepareMore() {
    if (isPrepared()) return false;
    if (!view_)
        makeView();
    else if (pages_->indexOf(view_) < 0)
        placeView();
    else
        makeEditor();
    if (!isPrepared()) return true;
    emit prepared();
    emit updateRequested();
    return false;
}

/// A part in each turn of the event loop, so that the window answers in between. While tabs come and go a
/// page may be shown for an instant only, and one that is not seen any more is not worth its charts.
void PlanPage::prepareShown() {
    if (std::exchange(preparing_, true)) return;
    QTimer::singleShot(nextTurnMs, this, [this] {
        preparing_ = false;
        if (!isVisible()) return;
        if (prepareMore()) return prepareShown();
        pages_->show();
        if (QApplication::focusWidget() == this) view_->setFocus();  // it was given before there was a view
    });
}

void PlanPage::makeView() {
    view_ = new PlanView(pages_);
    connect(view_, &PlanView::exportRequested, this, &PlanPage::exportRequested);
    connect(view_, &PlanView::statusText, this, &PlanPage::statusText);
    connect(view_, &PlanView::deviceHovered, this, &PlanPage::deviceHovered);
    connect(view_, &PlanView::notesEdited, this, [this](std::vector<ChartNote> notes, const QString& what) {
        workspace_.setNotes(id_, std::move(notes), what);
    });
    connect(&workspace_, &Workspace::notesChanged, this, &PlanPage::showNotes);
    connect(&workspace_, &Workspace::plansChanged, this, &PlanPage::showNotes);
    showNotes();
    view_->setViewState(state_);
    view_->highlightDevice(highlighted_);
}

void PlanPage::placeView() {
    fresh_ = true;
    pages_->insertWidget(0, view_);
    setFocusProxy(view_);
    showParts();
}

PlanViewState PlanPage::viewState() const {
    PlanViewState state = view_ ? view_->viewState() : state_;
    state.pattern = patternButton_ ? patternButton_->isChecked() : state_.pattern;
    return state;
}

void PlanPage::setViewState(const PlanViewState& state) {
    state_ = state;
    if (view_) view_->setViewState(state);
    showPattern(state.pattern);
}

void PlanPage::highlightDevice(int device) {
    highlighted_ = device;
    if (view_) view_->highlightDevice(device);
}

void PlanPage::showNotes() {
    const PlanItem* item = workspace_.plan(id_);
    if (item && view_->notes().notes() != item->notes) view_->notes().setNotes(item->notes);
}

void PlanPage::showEvent(QShowEvent* event) {
    if (isPrepared()) {
        pages_->show();
    } else {  // nothing rather than charts that are empty for a moment
        pages_->hide();
        showParts();  // at once, as nothing is to jump under the pointer later
        prepareShown();
    }
    QWidget::showEvent(event);
}

void PlanPage::makeEditor() {
    editor_ = new PlanEditor(workspace_, id_, *view_, this);
    auto* column = static_cast<QBoxLayout*>(layout());
    column->insertWidget(column->indexOf(pages_), &editor_->bar());
    connect(editor_, &PlanEditor::previewed, this, &PlanPage::showInView);
    connect(editor_, &PlanEditor::previewEnded, this, [this] {
        if (view_->run() != run_) showInView(run_);
    });
    connect(editor_, &PlanEditor::deviceHovered, this, &PlanPage::deviceHovered);
    connect(editor_, &PlanEditor::statusText, this, &PlanPage::statusText);
    connect(editor_, &PlanEditor::trialChanged, this, &PlanPage::trialShown);
    connect(editor_, &PlanEditor::planAdded, this, &PlanPage::planRequested);
    connect(editor_, &PlanEditor::comparisonWanted, this, &PlanPage::comparisonWanted);
    connect(editor_, &PlanEditor::scheduleExperimentWanted, this, &PlanPage::scheduleExperimentWanted);
    editor_->setRun(run_);
}

void PlanPage::makePattern() {
    pattern_ = new PatternView;
    pages_->addWidget(pattern_);
    connect(pattern_, &PatternView::exportRequested, this, &PlanPage::exportRequested);
    emit partsMade();
}

void PlanPage::makeBar() {
    bar_ = new QWidget;
    bar_->setObjectName(QStringLiteral("planBar"));
    auto* row = new QHBoxLayout(bar_);
    row->setContentsMargins(8, 4, 8, 0);
    row->setSpacing(4);
    auto* group = new QButtonGroup(this);
    unrolledButton_ = newSwitchButton(group, QStringLiteral("showUnrolled"), tr("Unrolled"),
                                      tr("The pattern repeated, as a timeline"));
    patternButton_ = newSwitchButton(group, QStringLiteral("showPattern"), tr("Pattern"),
                                     tr("One period, with the index shift of each operation"));
    (state_.pattern ? patternButton_ : unrolledButton_)->setChecked(true);
    row->addWidget(unrolledButton_);
    row->addWidget(patternButton_);
    limit_ = new MemoryLimitBar;
    limit_->setObjectName(QStringLiteral("memoryLimitBar"));
    auto* number = limit_->findChild<QDoubleSpinBox*>();
    (new FieldBehaviour(this))->applyTo(*number);
    number->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    row->addWidget(limit_, 1);
    pareto_ = new QToolButton;
    pareto_->setObjectName(QStringLiteral("showPareto"));
    pareto_->setIcon(lineIcon(QStringLiteral("pareto")));
    pareto_->setToolTip(tr("Throughput versus memory per GPU"));
    setActionOfTip(*pareto_, "view.pareto");
    pareto_->setAutoRaise(true);
    pareto_->setFocusPolicy(Qt::TabFocus);
    connect(pareto_, &QToolButton::clicked, this, [this] { emit pageRequested(QStringLiteral("pareto")); });
    row->addWidget(pareto_);
    vpipe_ = new QToolButton;
    vpipe_->setObjectName(QStringLiteral("showVpipe"));
    vpipe_->setText(tr("vPipe in detail"));
    vpipe_->setIcon(lineIcon(QStringLiteral("info")));
    vpipe_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    vpipe_->setToolTip(
        tr("What each round swaps, recomputes and needs, how busy the GPUs are, a network that "
           "changes, and layers that migrate"));
    setActionOfTip(*vpipe_, "plan.vpipe");
    vpipe_->setFocusPolicy(Qt::TabFocus);
    connect(vpipe_, &QToolButton::clicked, this,
            [this] { emit actionRequested(QStringLiteral("plan.vpipe")); });
    row->addWidget(vpipe_);
    row->addStretch();
    static_cast<QBoxLayout*>(layout())->insertWidget(0, bar_);
    connect(patternButton_, &QToolButton::toggled, this, [this] { showParts(); });
    connectLimit();
    showLimit();
    emit partsMade();
}

void PlanPage::connectLimit() {
    connect(limit_, &MemoryLimitBar::moved, this, &PlanPage::onMoved);
    connect(limit_, &MemoryLimitBar::settled, this, &PlanPage::onSettled);
    connect(limit_, &MemoryLimitBar::discarded, this, [this] {
        forgetPreview();
        emit statusText(tr("The memory limit stays as it was"));
    });
    connect(&planner_, &LimitPlanner::previewed, this, &PlanPage::onPreviewed);
    connect(&planner_, &LimitPlanner::refined, this, &PlanPage::onRefined);
    connect(&planner_, &LimitPlanner::failed, this, &PlanPage::onFailed);
    connect(&planner_, &LimitPlanner::busyChanged, this, &PlanPage::showActivity);
}

void PlanPage::setRun(std::shared_ptr<const PlanRun> run) {
    run_ = std::move(run);
    if (!limit_ || !limit_->isMoving()) {
        preview_.reset();
        view().memory().setAskedLimit(0);
        if (view_->run() != run_) showInView(run_);
        const bool fits = run_ && run_->ok() && run_->evaluation->metrics.excesses.empty();
        if (limit_ && fits) limit_->setObstacle({});
    }
    if (editor_) editor_->setRun(run_);
    showCaption();
    showLimit();
    showParts();
}

bool PlanPage::hasPattern() const { return shownRun() && isPeriodic(*shownRun()); }
bool PlanPage::patternShown() const { return pattern_ && pages_->currentWidget() == pattern_; }

void PlanPage::showPattern(bool on) {
    state_.pattern = on;
    if (bar_) (on ? patternButton_ : unrolledButton_)->setChecked(true);
}

void PlanPage::showParts() {
    const PlanItem* item = workspace_.plan(id_);
    // Known before the run is: nothing jumps under the pointer when it comes.
    const bool periodic =
        hasPattern() ||
        (item && item->isPlan() && std::holds_alternative<PeriodicSchedule>(item->plan.schedule.order));
    const bool limited = item && plansForMemory(item->plan.planner);
    if (!bar_ && !periodic && !limited) return;
    if (!bar_) makeBar();
    unrolledButton_->setVisible(periodic);
    patternButton_->setVisible(periodic);
    limit_->setVisible(limited);
    limit_->setContentsMargins(periodic ? apart : 0, 0, 0, 0);
    pareto_->setVisible(periodic || limited);
    vpipe_->setVisible(item && item->plan.planner == "vpipe");
    bar_->setVisible(periodic || limited);
    QWidget* page = hasPattern() && patternButton_->isChecked() ? static_cast<QWidget*>(pattern_) : view_;
    if (!page || pages_->indexOf(page) < 0) return;
    pages_->setCurrentWidget(page);
    setFocusProxy(page);
}

void PlanPage::showLimit() {
    if (!limit_ || limit_->isMoving() || committing_) return;
    const Problem& problem = workspace_.problem();
    if (problem.cluster.devices.empty()) return;
    const double own = ownMemoryBytes(problem);
    const double limit = problem.setup.memoryLimitBytes.value_or(own);
    const double peak = run_ && run_->ok() ? peakBytes(*run_) : 0;
    limit_->setRange(roomAbove * std::max({own, limit, peak, 1.0}), own);
    limit_->setLimit(limit);
}

/// A person's zoom stays, unless all was shown: then all is shown again.
void PlanPage::showInView(std::shared_ptr<const PlanRun> run) {
    if (view().isReady()) {
        PlanViewState state = view_->viewState();
        if (showsAll(*view_)) state.t0 = state.t1 = 0;
        view_->setViewState(state);
    }
    const bool periodic = run && isPeriodic(*run);
    if (periodic && !pattern_) makePattern();
    if (pattern_) pattern_->setRun(periodic ? run : nullptr);
    view_->setRun(std::move(run));
    showCaption();
}

/// Pictures of a trial say what is tried.
void PlanPage::showCaption() {
    if (!view_) return;
    QString trial = showsTrial() && editor_ ? editor_->trialText() : QString();
    if (preview_ && showsTrial())
        trial = tr("Not applied: memory limit %1").arg(QString::fromStdString(formatBytes(previewBytes_)));
    view_->setCaption(trial);
    emit trialShown();
}

LimitQuestion PlanPage::question(double bytes) const {
    LimitQuestion question;
    question.problem = workspace_.sharedProblem();
    if (const PlanItem* item = workspace_.plan(id_)) {
        question.plan = item->plan;
        // What is shown may be older than the problem; this is not.
        if (item->run) question.costs = item->run->costs;
    }
    question.limitBytes = bytes;
    if (bytes != ownMemoryBytes(*question.problem)) question.setupLimit = bytes;
    return question;
}

void PlanPage::onMoved(double bytes) {
    committing_ = false;
    view().memory().setAskedLimit(bytes);
    planner_.preview(question(bytes));
    showActivity();
}

void PlanPage::onPreviewed(const LimitQuestion& question, const std::shared_ptr<const PlanRun>& run) {
    preview_ = run;
    previewBytes_ = question.limitBytes;
    if (run->ok()) {
        showInView(run);
        showParts();
    }
    limit_->setObstacle(obstacleOf(*run, question.limitBytes));
    if (committing_ && question.limitBytes == limit_->limitBytes()) commit(question);
}

void PlanPage::onSettled(double bytes) {
    const LimitQuestion settled = question(bytes);
    if (preview_ && previewBytes_ == bytes) return commit(settled);
    committing_ = true;
    planner_.preview(settled);
}

/// From here on the limit is the document's; a better plan for it follows.
void PlanPage::commit(const LimitQuestion& question) {
    committing_ = false;
    const std::shared_ptr<const PlanRun> found = std::exchange(preview_, nullptr);
    ownEdit_ = true;
    workspace_.replan(id_, question.setupLimit, found && found->ok() ? found : nullptr);
    ownEdit_ = false;
    LimitQuestion better = question;
    better.problem = workspace_.sharedProblem();
    planner_.refine(better);
}

void PlanPage::onRefined(const LimitQuestion& question, const std::shared_ptr<const PlanRun>& run) {
    const PlanItem* item = workspace_.plan(id_);
    if (!item || workspace_.sharedProblem() != question.problem) return;
    if (run->ok() || !item->isPlan()) {
        ownEdit_ = true;
        workspace_.replan(id_, question.setupLimit, run);
        ownEdit_ = false;
    }
    limit_->setObstacle(obstacleOf(*run, question.limitBytes));
}

/// A planner broke off: the limit is not settled, and the slider says which one holds.
void PlanPage::onFailed(const QString& reason) {
    if (std::exchange(committing_, false)) showLimit();
    limit_->setObstacle(reason);
}

void PlanPage::forgetPreview() {
    limit_->giveUp();
    planner_.cancel();
    committing_ = false;
    preview_.reset();
    limit_->setObstacle({});
    if (view_) {  // a page that was never seen stays without one
        view_->memory().setAskedLimit(0);
        if (view_->run() != run_) showInView(run_);
    }
    showLimit();
    showParts();
    showActivity();
}

void PlanPage::bringUpToDate(const PlanItem*) {
    const PlanItem* item = workspace_.plan(id_);
    // While a plan is worked out again its old chart stays, so that nothing flickers.
    if (!item || (!item->run && !whyUnplannable(workspace_.problem()))) return;
    if (!isPrepared()) return;  // once it is, it asks for this itself
    if (takeFresh()) return emit updateRequested();
    const bool renamedOnly = item->okRun() && run_ && item->run->evaluation == run_->evaluation;
    if (run_ != item->run && !renamedOnly) setRun(item->run);
}

bool PlanPage::hasFigures() const {
    const PlanItem* item = workspace_.plan(id_);
    return item && item->okRun();
}

std::vector<FigureSource> PlanPage::figures(const PlanItem*) const {
    if (!hasFigures()) return {};
    const PlanItem& item = *workspace_.plan(id_);
    std::vector<FigureSource> sources = planSources(item.run, item.notes);
    sources.push_back(panelsOf(workspace_, {id_}));
    if (auto runs = runsOf(workspace_); runs.size() > 1) sources.push_back(comparisonSource(std::move(runs)));
    if (patternShown()) std::swap(sources[0], sources[1]);
    return sources;
}

std::optional<FigurePart> PlanPage::partInView() const {
    if (!view_ || !view_->isReady() || chartShowsTrial()) return std::nullopt;
    return shownPart(*view_);
}

bool PlanPage::chartShowsTrial() const {
    const PlanItem* item = workspace_.plan(id_);
    return shownRun() && item && item->run && shownRun()->evaluation != item->run->evaluation;
}

QString PlanPage::figuresRemark() const {
    if (!chartShowsTrial()) return {};
    return tr(
        "The chart in the window shows a change that has not been applied. Figures and tables show the "
        "plan without it.");
}

QString PlanPage::figuresSubject() const {
    const PlanItem* item = workspace_.plan(id_);
    return item ? item->title() : QString();
}

QImage PlanPage::picture() {
    constexpr double scale = 2;  // sharp when it is enlarged on a slide
    if (!patternShown()) return view().picture(scale);
    return withCaption(pattern_->picture().picture(scale), view().caption(), scale, window()->font());
}

void PlanPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !pareto_) return;
    pareto_->setIcon(lineIcon(QStringLiteral("pareto")));
    vpipe_->setIcon(lineIcon(QStringLiteral("info")));
}

void PlanPage::showActivity() {
    using Activity = MemoryLimitBar::Activity;
    const bool undecided = limit_->isMoving() || committing_;
    limit_->setActivity(!planner_.isBusy() ? Activity::none
                        : undecided        ? Activity::planning
                                           : Activity::improving);
}

}  // namespace stagecraft::app::plan
