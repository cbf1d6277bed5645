#include "app/training/training_page.h"

#include "app/panels/empty_panel.h"
#include "app/training/training_panel.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QStackedWidget>

namespace stagecraft::app::training {

using stagecraft::training::Measure;
using stagecraft::training::Policy;
using stagecraft::training::PolicyDescription;
using stagecraft::training::PolicyRuns;
using stagecraft::training::TrainingRun;

namespace {

constexpr int panelWidth = 224;
constexpr int settledMs = 200;

const QString measuresKey = QStringLiteral("measures");
const QString bandKey = QStringLiteral("band");
const QString logarithmicKey = QStringLiteral("logarithmic");
const QString hiddenKey = QStringLiteral("hidden");

/// Problems are shared and copied when they change: mostly a look at the pointer is enough.
bool sameTraining(const TrainingRequest& a, const TrainingRequest& b) {
    return a.policies == b.policies && a.values == b.values && a.plan == b.plan &&
           (a.problem == b.problem || *a.problem == *b.problem);
}

}  // namespace

TrainingPage::TrainingPage(Workspace& workspace, QWidget* parent)
    : Page({QStringLiteral("training"), "training", tr("Training"), tr("T&raining"), 4}, parent),
      workspace_(workspace),
      pages_(new QStackedWidget(this)) {
    setObjectName(QStringLiteral("trainingPage"));
    empty_ = new EmptyPanel(tr("Nothing to train through yet"),
                            tr("Training goes through a plan: it needs a cluster and a layer profile."),
                            tr("Show the cluster"), {}, pages_);
    connect(empty_, &EmptyPanel::accepted, this, [this] { emit pageRequested(QStringLiteral("cluster")); });
    pages_->addWidget(empty_);
    pages_->addWidget(makeColumns());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    connectSettings();
    connectJob();
    onSettings();
}

QWidget* TrainingPage::makeColumns() {
    auto* whole = new QWidget(pages_);
    view_ = new TrainingView(whole);
    auto* line = new QFrame(whole);
    line->setFrameShape(QFrame::VLine);
    line->setForegroundRole(QPalette::Mid);
    line->setFrameShadow(QFrame::Plain);
    auto* scroll = new QScrollArea(whole);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFixedWidth(panelWidth);
    panel_ = new TrainingPanel(workspace_, scroll->viewport());
    scroll->setWidget(panel_);
    auto* columns = new QHBoxLayout(whole);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(0);
    columns->addWidget(view_, 1);
    columns->addWidget(line);
    columns->addWidget(scroll);
    return whole;
}

void TrainingPage::connectSettings() {
    settled_.setSingleShot(true);
    settled_.setInterval(settledMs);
    connect(&settled_, &QTimer::timeout, this, &TrainingPage::checkTrainablePolicies);
    connect(panel_, &TrainingPanel::changed, this, &TrainingPage::onSettings);
    connect(&workspace_, &Workspace::problemChanged, this, &TrainingPage::onSettings);
    connect(&workspace_, &Workspace::plansChanged, this, &TrainingPage::onSettings);
    connect(&workspace_, &Workspace::projectReplaced, this, [this] {
        job_.abandon();
        view_->clear();
        failure_.clear();
        lookedAt_ = 0;
        setState({});
        emit stateChanged();
    });
    connect(&check_, &PolicyCheck::answered, this, [this](const PolicyVerdict& verdict) {
        obstacle_ = QString::fromStdString(verdict.obstacle);
        panel_->setRefusals(verdict.refusals);
        panel_->setMicrobatches(verdict.microbatches);
        showObstacle();
        showDifference();
    });
}

void TrainingPage::connectJob() {
    connect(view_, &TrainingView::startRequested, this, &TrainingPage::start);
    connect(view_, &TrainingView::pauseRequested, this, &TrainingPage::pauseOrResume);
    connect(view_, &TrainingView::stopRequested, this, &TrainingPage::stop);
    connect(view_, &TrainingView::exportRequested, this, &TrainingPage::exportRequested);
    connect(&job_, &TrainingJob::progressed, this, &TrainingPage::showProgress);
    connect(&job_, &TrainingJob::ended, this, &TrainingPage::onEnded);
    connect(&job_, &TrainingJob::stateChanged, this, [this] {
        const auto state = job_.state();
        view_->setActivity(state == TrainingJob::State::idle      ? TrainingView::Activity::idle
                           : state == TrainingJob::State::running ? TrainingView::Activity::running
                                                                  : TrainingView::Activity::paused);
        emit stateChanged();
    });
}

std::vector<FigureSource> TrainingPage::figures(const PlanItem*) const {
    if (!hasResults()) return {};
    return {trainingSource(job_.reached().runs, view_->options())};
}

QImage TrainingPage::picture() { return view_->picture().toImage(); }

void TrainingPage::bringUpToDate(const PlanItem* plan) {
    const int planId = plan ? plan->id : 0;
    if (planId == lookedAt_) return;
    lookedAt_ = planId;
    if (planId) panel_->choosePlan(planId);
}

TrainingRequest TrainingPage::wanted() const {
    const PlanItem* plan = panel_->plan();
    return {workspace_.sharedProblem(), plan ? std::optional(plan->plan) : std::nullopt, panel_->planTitle(),
            panel_->chosenPolicies(), panel_->values()};
}

void TrainingPage::start() {
    if (!canStart()) return;
    failure_.clear();
    job_.start(wanted());
    showDifference();
    showProgress();
}

void TrainingPage::pauseOrResume() {
    if (job_.state() == TrainingJob::State::running)
        job_.pause();
    else
        job_.resume();
    showProgress();
}

void TrainingPage::stop() { job_.stop(); }

bool TrainingPage::hasResults() const {
    for (const PolicyRuns& policy : job_.reached().runs)
        for (const TrainingRun& run : policy.runs)
            if (!run.epochs.empty()) return true;
    return false;
}

bool TrainingPage::canStart() const {
    return workspace_.isOpen() && job_.state() == TrainingJob::State::idle && obstacle_.isEmpty() &&
           !whyUnplannable(workspace_.problem()) && !panel_->chosenPolicies().empty();
}

void TrainingPage::onSettings() {
    pages_->setCurrentIndex(whyUnplannable(workspace_.problem()) ? 0 : 1);
    stale_ = true;
    showObstacle();
    showDifference();
    if (isVisible()) settled_.start();
}

void TrainingPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (stale_) checkTrainablePolicies();
}

void TrainingPage::checkTrainablePolicies() {
    if (!workspace_.isOpen() || whyUnplannable(workspace_.problem())) return;
    stale_ = false;
    check_.ask(wanted());
}

void TrainingPage::showObstacle() {
    const bool none = panel_->chosenPolicies().empty();
    view_->setObstacle(!obstacle_.isEmpty() ? obstacle_
                       : none               ? tr("Choose a policy on the right.")
                                            : QString());
    emit stateChanged();
}

void TrainingPage::showDifference() {
    // Without curves the obstacle is beside the button.
    view_->setError(!failure_.isEmpty() ? failure_ : view_->isEmpty() ? QString() : obstacle_);
    const bool differs = !view_->isEmpty() && !sameTraining(job_.request(), wanted());
    view_->setRemark(differs ? tr("from earlier settings") : QString());
}

void TrainingPage::showProgress() {
    view_->setProgress(job_.fraction(), job_.where());
    if (!job_.reached().runs.empty()) view_->setShown(job_.reached());
    // From the first epoch on there is something to export.
    if (hadResults_ != hasResults()) {
        hadResults_ = hasResults();
        emit stateChanged();
    }
}

void TrainingPage::onEnded(const QString& failure) {
    failure_ = failure;
    view_->setShown(job_.reached());
    view_->setProgress(job_.fraction(), job_.where());
    showDifference();
    emit stateChanged();
}

QVariantMap TrainingPage::state() const {
    QVariantMap state = panel_->state();
    const CurvesOptions options = view_->options();
    QVariantList measures, hidden;
    for (const Measure measure : options.measures) measures << static_cast<int>(measure);
    for (const Policy policy : options.hidden) hidden << QString::fromStdString(describe(policy).id);
    state[measuresKey] = measures;
    state[hiddenKey] = hidden;
    state[bandKey] = static_cast<int>(options.band);
    state[logarithmicKey] = options.logarithmic;
    return state;
}

void TrainingPage::setState(const QVariantMap& state) {
    CurvesOptions options;
    if (state.contains(measuresKey)) {
        options.measures.clear();
        for (const QVariant& each : state.value(measuresKey).toList())
            options.measures.push_back(static_cast<Measure>(std::clamp(each.toInt(), 0, 4)));
    }
    for (const QVariant& each : state.value(hiddenKey).toList())
        if (const PolicyDescription* about = stagecraft::training::findPolicy(each.toString().toStdString()))
            options.hidden.insert(about->policy);
    options.band = static_cast<CurveBand>(
        std::clamp(state.value(bandKey, static_cast<int>(options.band)).toInt(), 0, 2));
    options.logarithmic = state.value(logarithmicKey, options.logarithmic).toBool();
    view_->setOptions(options);
    panel_->setState(state);
}

}  // namespace stagecraft::app::training
