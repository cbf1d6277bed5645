#include "app/pareto/pareto_page.h"

#include "app/panels/empty_panel.h"
#include "core/analysis/memory_lack.h"
#include "core/base/units.h"
#include "core/planners/grouped_problem.h"
#include "views/common/text.h"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace stagecraft::app::pareto {

namespace {

/// The curves do not depend on the limit that is set, nor on whether there is a barrier.
bool sameCurves(Problem a, const Problem& b) {
    a.setup.memoryLimitBytes = b.setup.memoryLimitBytes;
    a.setup.mode = b.setup.mode;
    return a == b;
}

}  // namespace

ParetoPage::ParetoPage(Workspace& workspace, QWidget* parent)
    : Page({QStringLiteral("pareto"), "pareto", tr("Throughput vs memory"), tr("Throughput versus &memory"),
            5, tr("Throughput versus memory per GPU")},
           parent),
      workspace_(workspace),
      pages_(new QStackedWidget(this)),
      view_(new ParetoView(pages_)) {
    setObjectName(QStringLiteral("paretoPage"));
    auto* empty = new EmptyPanel(tr("Nothing to plan yet"),
                                 tr("Memory and speed are those of a cluster and a layer profile."),
                                 tr("Show the cluster"), {}, pages_);
    connect(empty, &EmptyPanel::accepted, this, [this] { emit pageRequested(QStringLiteral("cluster")); });
    pages_->addWidget(empty);
    pages_->addWidget(view_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);

    view_->chart().setDescriber([this](const ParetoPoint& point) {
        const auto& problem = job_.problem();
        return problem ? QString::fromStdString(paretoStagesText(*problem, point.plan)) : QString();
    });
    connect(view_, &ParetoView::startRequested, this, &ParetoPage::start);
    connect(view_, &ParetoView::stopRequested, this, &ParetoPage::stop);
    connect(view_, &ParetoView::exportRequested, this, &ParetoPage::exportRequested);
    connect(view_, &ParetoView::planRequested, this, [this](const ParetoPlace& place) {
        if (const int id = openPlan(place)) emit planRequested(id);
    });
    connect(&job_, &ParetoJob::found, this, &ParetoPage::show);
    connect(&job_, &ParetoJob::progressed, view_, &ParetoView::setProgress);
    connect(&job_, &ParetoJob::ended, this, &ParetoPage::onEnded);
    connect(&workspace_, &Workspace::problemChanged, this, &ParetoPage::onProblem);
    connect(&workspace_, &Workspace::projectReplaced, this, &ParetoPage::onProblem);
    onProblem();
}

void ParetoPage::onProblem() {
    const Problem& problem = workspace_.problem();
    pages_->setCurrentIndex(whyUnplannable(problem) ? 0 : 1);
    double limit = 0;
    for (int device = 0; device < problem.cluster.deviceCount(); ++device) {
        const double own = problem.memoryLimitBytes(device);
        if (own > 0 && (limit == 0 || own < limit)) limit = own;
    }
    view_->setLimit(limit);
    if (!job_.problem() || sameCurves(*job_.problem(), problem)) return showStatus();
    job_.abandon();
    end_.clear();
    show();
    emit stateChanged();
}

std::vector<FigureSource> ParetoPage::figures(const PlanItem*) const {
    if (!hasResults()) return {};
    return {paretoSource(job_.reached(), job_.problem(), view_->chart().options())};
}

QImage ParetoPage::picture() { return view_->chart().grab().toImage(); }

void ParetoPage::start() {
    if (!workspace_.isOpen() || whyUnplannable(workspace_.problem())) return;
    end_.clear();
    job_.start(workspace_.sharedProblem());
    view_->setProgress(0);
    show();
    emit stateChanged();
}

void ParetoPage::stop() { job_.stop(); }

void ParetoPage::show() {
    const bool hadResults = hasResults();
    view_->setSeries(job_.reached(), job_.problem() ? job_.problem()->profile.microbatchSize : 1);
    view_->setRunning(job_.isRunning());
    showStatus();
    if (hadResults != hasResults()) emit stateChanged();
}

void ParetoPage::showStatus() {
    QString text = end_;
    if (job_.isRunning()) {
        std::size_t points = 0;
        for (const ParetoSeries& each : job_.reached()) points += each.points.size();
        text = tr("Plans found: %1").arg(points);
    } else if (hasResults() && workspace_.problem().setup.mode == TrainingMode::synchronous) {
        text = tr("These plans have no barrier; opening one makes the setup asynchronous.");
    }
    if (const std::string without = groupsLeftOut(workspace_.problem()); !without.empty() && hasResults())
        text = (tr("Made %1. ").arg(qtText(without)) + text).trimmed();
    if (hasResults() && !saysMemory(workspace_.problem().profile))
        text = (QLatin1String(memoryUnknownSentence) + QLatin1Char(' ') + text).trimmed();
    view_->setStatus(text);
}

void ParetoPage::onEnded(bool stopped, const QString& failure) {
    end_ = !failure.isEmpty() ? failure
           : stopped          ? tr("Stopped: the curves are not complete")
           : hasResults()     ? QString()
                          : tr("Nothing fits: some layer alone needs more memory than any plan gives it.");
    show();
    if (!failure.isEmpty()) view_->setStatus(failure, true);
    emit stateChanged();
}

int ParetoPage::openPlan(const ParetoPlace& place) {
    if (!place || place.series >= static_cast<int>(job_.reached().size())) return 0;
    const ParetoSeries& series = job_.reached()[static_cast<std::size_t>(place.series)];
    if (place.point >= static_cast<int>(series.points.size())) return 0;
    Plan plan = series.points[static_cast<std::size_t>(place.point)].plan;
    for (const PlanItem& item : workspace_.plans())
        if (item.plan.stages == plan.stages && item.plan.schedule == plan.schedule) return item.id;
    const double bytes = series.points[static_cast<std::size_t>(place.point)].memoryBytes;
    plan.planner = "madpipe";
    plan.parameters = {{"allocation", series.allocation}};
    plan.name =
        (series.allocation == "contiguous" ? "1F1B* within " : "MadPipe within ") + formatBytes(bytes);
    // One that needs more than there is is shown as what it is: a plan that does not fit.
    if (const double limit = view_->limitBytes(); limit > 0 && bytes > limit) plan.claims.fitsMemory = false;
    TrainingSetup setup = workspace_.problem().setup;
    setup.mode = TrainingMode::asynchronous;
    workspace_.undoStack()->beginMacro(tr("Open %1").arg(QString::fromStdString(plan.name)));
    workspace_.setSetup(setup);
    const int id = workspace_.addPlan(plan);
    workspace_.undoStack()->endMacro();
    return id;
}

}  // namespace stagecraft::app::pareto
