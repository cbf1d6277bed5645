#include "app/pareto/frontier_page.h"

#include "core/base/units.h"
#include "core/model/prices.h"
#include "core/programs/automatic_project.h"
#include "core/runs/chosen_schedule.h"
#include "views/common/text.h"

#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::pareto {

namespace {

/// What a layout decides, and a price, are no part of what was searched.
TrainingSetup besidesLayout(TrainingSetup setup) {
    const TrainingSetup none;
    setup.microbatches = none.microbatches;
    setup.zero = none.zero;
    setup.tensor = none.tensor;
    setup.context = none.context;
    setup.expert = none.expert;
    setup.sequenceParallel = none.sequenceParallel;
    setup.recomputation = none.recomputation;
    setup.wholeSamples = none.wholeSamples;
    setup.gpuPricePerHour = none.gpuPricePerHour;
    return setup;
}

/// But for prices.
bool areSameMachines(const Cluster& one, const Cluster& other) {
    const auto isSame = [](const Device& a, Device b) {
        b.pricePerHour = a.pricePerHour;
        return a == b;
    };
    return one.switches == other.switches && one.links == other.links &&
           one.devices.isAlike(other.devices, isSame);
}

QString withinText(const FrontierPoint& point) {
    if (point.memoryShare == 1) return QObject::tr("up to %1").arg(countedText(point.gpus, "GPU"));
    return QObject::tr("up to %1 and %2 of their memory")
        .arg(countedText(point.gpus, "GPU"), qtText(formatPercent(point.memoryShare)));
}

/// Whether it says something of this axis: within less of something else only what nothing beats does.
bool isOf(const FrontierPoint& point, FrontierAxis axis, int allGpus) {
    return axis == FrontierAxis::memory ? point.gpus == allGpus
           : axis == FrontierAxis::gpus ? point.memoryShare == 1
                                        : true;
}

QString frontierScheduleText(const AutoPlan& plan) {
    const QString title = qtText(shortTitle(*plan.schedule.family));
    return plan.schedule.chunks > 1 ? title + QStringLiteral(" ×%1").arg(plan.schedule.chunks) : title;
}

std::string frontierName(const FrontierPoint& point) {
    return "Auto, " + counted(point.gpus, "GPU") +
           (point.memoryShare < 1 ? ", " + formatPercent(point.memoryShare) + " of memory" : "");
}

}  // namespace

FrontierPage::FrontierPage(Workspace& workspace, QWidget* parent)
    : Page({QStringLiteral("frontier"), "pareto", tr("Frontier"), tr("&Frontier of the search"), 7,
            tr("What the search finds with fewer GPUs and less memory")},
           parent),
      workspace_(workspace),
      view_(new FrontierView(this)) {
    setObjectName(QStringLiteral("frontierPage"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(view_);
    connect(view_, &FrontierView::startRequested, this, &FrontierPage::start);
    connect(view_, &FrontierView::stopRequested, this, &FrontierPage::stop);
    connect(view_, &FrontierView::axisChosen, this, &FrontierPage::show);
    connect(view_, &FrontierView::openRequested, this, [this](int row) {
        if (const int id = openPlan(row)) emit planRequested(id);
    });
    connect(&job_, &Job::progressed, view_, &FrontierView::setProgress);
    connect(&job_, &Job::ended, this, &FrontierPage::onEnded);
}

void FrontierPage::projectReplaced() {
    job_.abandon();
    question_.reset();
    all_ = {};
    points_.clear();
    end_.clear();
    show();
}

void FrontierPage::setSearch(AutoQuestion question, AutoAnswer answer) {
    projectReplaced();
    question_ = std::move(question);
    all_ = std::move(answer);
    show();
    emit stateChanged();
}

void FrontierPage::problemChanged(unsigned) {
    if (question_) show();
}

void FrontierPage::start() {
    if (!question_ || !isCurrent()) return;
    points_.clear();
    end_.clear();
    job_.start(
        [this, question = *question_, all = all_](const JobContext& context) {
            frontierOf(question, all, context, [this, &context](const FrontierPoint& point) {
                context.handOver([this, point] {
                    points_.push_back(point);
                    show();
                });
            });
        },
        [] {});
    view_->setProgress(0);
    show();
}

void FrontierPage::onEnded(bool stopped, const QString& failure) {
    end_ = !failure.isEmpty() ? failure
           : stopped          ? tr("Stopped: %1 of %2 searches are done.")
                           .arg(std::max<std::size_t>(points_.size(), 1) - 1)
                           .arg(frontierSearches(*question_))
                     : QString();
    show();
}

FrontierAxis FrontierPage::axis() const {
    return static_cast<FrontierAxis>(std::clamp(view_->axis(), 0, static_cast<int>(FrontierAxis::cost)));
}

bool FrontierPage::hasPrice() const {
    return std::ranges::any_of(points_, [](const FrontierPoint& point) {
        return point.answer.best && point.answer.best->dollarsPerS > 0;
    });
}

bool FrontierPage::hasTokenPrice() const {
    return hasPrice() && question_ && question_->problem.profile.divisible.tokens > 0;
}

void FrontierPage::price() {
    if (!question_) return;
    Problem priced = question_->problem;
    const Problem& now = workspace_.problem();
    priced.setup.gpuPricePerHour = now.setup.gpuPricePerHour;
    if (areSameMachines(now.cluster, priced.cluster)) priced.cluster = now.cluster;
    const bool areKnown = hasPrices(priced);
    for (FrontierPoint& point : points_)
        if (auto& best = point.answer.best)
            best->dollarsPerS = areKnown ? dollarsPerSecond(priced, best->plan) : 0;
}

bool FrontierPage::isCurrent() const {
    if (!question_) return false;
    const Problem& now = workspace_.problem();
    const auto isOf = [&now](const AutoAnswer& answer) {
        return answer.best && answer.best->problem.profile == now.profile;
    };
    return areSameMachines(now.cluster, question_->problem.cluster) &&
           besidesLayout(now.setup) == besidesLayout(question_->problem.setup) &&
           (isOf(all_) || std::ranges::any_of(points_, isOf, &FrontierPoint::answer));
}

void FrontierPage::show() {
    price();
    view_->setAxes({tr("Peak memory of a GPU"), tr("GPUs used"),
                    hasPrice() ? tr("Dollars for an iteration") : tr("GPU seconds of an iteration")});
    QStringList headings{tr("GPUs up to"),  tr("Memory up to"), tr("Iteration"),
                         tr("GPU seconds"), tr("Peak memory"),  tr("Proven within")};
    if (hasPrice()) headings.insert(4, tr("Dollars"));
    if (hasTokenPrice()) headings.insert(5, tr("For 1B tokens"));
    headings << tr("Layout");
    const std::vector<std::size_t> shown = shownPoints();
    std::vector<FrontierRow> rows;
    for (const FrontierPoint& point : points_) rows.push_back(rowOf(point));
    for (std::size_t mark = 0; mark < shown.size(); ++mark) rows[shown[mark]].mark = static_cast<int>(mark);
    view_->setRows(headings, std::move(rows), sceneOf(shown));
    view_->setRunning(job_.isRunning());
    showStatus();
}

void FrontierPage::showStatus() {
    QString text = end_;
    if (question_ && !points_.empty() && !isCurrent())
        text =
            tr("The model, machines or setup have changed since: undo that to open these plans, or search "
               "layouts anew.");
    else if (job_.isRunning())
        text = tr("%1 of %2 searches are done")
                   .arg(std::max<std::size_t>(points_.size(), 1) - 1)
                   .arg(frontierSearches(*question_));
    view_->setStatus(text, isCurrent());
}

FrontierRow FrontierPage::rowOf(const FrontierPoint& point) const {
    FrontierRow row;
    row.cells << qtText(grouped(point.gpus)) << qtText(formatPercent(point.memoryShare));
    if (!point.answer.best) {
        row.details = tr("With %1 there is no plan: %2.").arg(withinText(point), qtText(point.answer.reason));
        row.cells << tr("no plan") << QString() << QString() << QString();
        if (hasPrice()) row.cells << QString();
        if (hasTokenPrice()) row.cells << QString();
        row.cells << qtText(point.answer.reason);
        return row;
    }
    const AutoPlan& best = *point.answer.best;
    row.hasPlan = true;
    row.cells << secondsText(best.iterationS) << qtText(formatNumber(iterationGpuSeconds(best)));
    if (hasPrice()) row.cells << qtText(formatDollars(iterationDollars(best)));
    if (hasTokenPrice()) row.cells << qtText(formatDollars(dollarsPerBillionTokens(best)));
    row.cells << bytesText(best.peakBytes) << qtText(formatPercent(point.answer.gap()))
              << qtText(layoutText(best.layout));
    row.details = tr("The fastest that was found with %1: %2, %3. %4: the bound “%6” of %7 is %5.")
                      .arg(withinText(point), qtText(layoutText(best.layout)), frontierScheduleText(best),
                           qtText(gapText(point.answer)), secondsText(point.answer.provenS),
                           QLatin1String(boundReasonText(point.answer.provenReason)),
                           qtText(layoutText(point.answer.provenBy)));
    return row;
}

std::vector<std::size_t> FrontierPage::shownPoints() const {
    const std::vector<std::size_t> best = unbeaten(points_, axis());
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < points_.size(); ++i)
        if (points_[i].answer.best &&
            (isOf(points_[i], axis(), points_.front().gpus) || std::ranges::count(best, i) > 0))
            shown.push_back(i);
    return shown;
}

FrontierScene FrontierPage::sceneOf(const std::vector<std::size_t>& shown) const {
    FrontierScene scene;
    if (!question_) return scene;
    scene.isCounted = axis() == FrontierAxis::gpus;
    scene.unit = axis() == FrontierAxis::memory                ? "B"
                 : axis() == FrontierAxis::cost && !hasPrice() ? "s"
                                                               : "";
    scene.acrossTitle = axis() == FrontierAxis::memory ? tr("peak memory of the fullest GPU")
                        : axis() == FrontierAxis::gpus ? tr("GPUs used")
                        : hasPrice()                   ? tr("dollars for an iteration")
                                                       : tr("GPU time of an iteration");
    const std::vector<std::size_t> best = unbeaten(points_, axis());
    for (const std::size_t i : shown) {
        const auto& plan = points_[i].answer.best;
        scene.marks.push_back(
            {frontierValue(*plan, axis()), plan->iterationS, std::ranges::count(best, i) > 0,
             QStringLiteral("<b>%1</b><br>%2<br>%3<br>%4")
                 .arg(secondsText(plan->iterationS) + tr(" with ") + withinText(points_[i]).toHtmlEscaped(),
                      htmlText(layoutText(plan->layout)), frontierScheduleText(*plan).toHtmlEscaped(),
                      tr("Peak memory %1 · proven within %2")
                          .arg(bytesText(plan->peakBytes), qtText(formatPercent(points_[i].answer.gap()))))});
    }
    scene.proven = provenSteps(*question_, points_, axis());
    return scene;
}

int FrontierPage::openPlan(int point) {
    if (point < 0 || point >= static_cast<int>(points_.size()) || !isCurrent()) return 0;
    const FrontierPoint& chosen = points_[static_cast<std::size_t>(point)];
    if (!chosen.answer.best) return 0;
    const Project made = automaticProject(chosen.answer);
    const auto isSame = [](const Plan& a, const Plan& b) {
        return a.stages == b.stages && a.schedule == b.schedule && a.memory == b.memory;
    };
    TrainingSetup setup = made.problem.setup;
    setup.gpuPricePerHour = workspace_.problem().setup.gpuPricePerHour;
    const bool isOtherProblem =
        made.problem.profile != workspace_.problem().profile || setup != workspace_.problem().setup;
    if (!isOtherProblem)
        for (const PlanItem& item : workspace_.plans())
            if (isSame(item.plan, made.plans.front())) return item.id;
    std::vector<int> gone;
    if (isOtherProblem)
        for (const PlanItem& item : workspace_.plans())
            for (const FrontierPoint& each : points_)
                if (each.answer.best && isSame(item.plan, each.answer.best->plan)) {
                    gone.push_back(item.id);
                    break;
                }
    Plan plan = made.plans.front();
    plan.name = frontierName(chosen);
    workspace_.undoStack()->beginMacro(tr("Open %1").arg(qtText(plan.name)));
    for (const int id : gone) workspace_.removePlan(id);
    workspace_.setProfile(made.problem.profile);
    workspace_.setSetup(setup);
    const int id = workspace_.addPlan(plan, made.origins.front());
    workspace_.undoStack()->endMacro();
    return id;
}

}  // namespace stagecraft::app::pareto
