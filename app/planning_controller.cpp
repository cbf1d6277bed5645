#include "app/planning_controller.h"

#include <mutex>

namespace stagecraft {

/// The cost model of one problem, made by the first job that needs it and shared by the rest.
class PlanningController::SharedCosts {
public:
    explicit SharedCosts(std::shared_ptr<const Problem> problem) : problem_(std::move(problem)) {}
    const Problem& problem() const { return *problem_; }
    std::shared_ptr<const CostModel> get() {
        std::call_once(once_, [this] { costs_ = std::make_shared<const CostModel>(*problem_); });
        return costs_;
    }

private:
    std::shared_ptr<const Problem> problem_;
    std::once_flag once_;
    std::shared_ptr<const CostModel> costs_;
};

namespace {

/// What is shown of a plan whose devices are gone.
PlanRun refusedRun(std::shared_ptr<const CostModel> costs, const Plan& plan,
                   const std::vector<std::string>& gone) {
    PlanRun run;
    run.microbatchesAsked = costs->problem().setup.microbatches;
    run.costs = std::move(costs);
    run.result.plan = plan;
    run.result.status = PlanStatus::infeasible;
    std::string ids;
    for (const std::string& id : gone) ids += (ids.empty() ? "'" : ", '") + id + "'";
    run.result.reason = "the plan uses " + ids + ", which the cluster no longer has";
    return run;
}

}  // namespace

PlanningController::PlanningController(Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
    connect(&workspace_, &Workspace::projectReplaced, this, &PlanningController::onProblemChanged);
    connect(&workspace_, &Workspace::problemChanged, this, [this](unsigned parts) {
        if (parts != drawingPart) onProblemChanged();
    });
    connect(&workspace_, &Workspace::plansChanged, this, &PlanningController::workOutMissingRuns);
    connect(&jobs_, &PlanningJobs::finished, this, &PlanningController::onFinished);
    connect(&jobs_, &PlanningJobs::failed, this, [this](int, const QString& reason) { emit failed(reason); });
    connect(&jobs_, &PlanningJobs::ended, this, &PlanningController::onEnded);
    connect(&jobs_, &PlanningJobs::progressed, this, [this](int job, double fraction) {
        if (!progress_.contains(job)) return;
        progress_[job] = fraction;
        double sum = 0;
        for (const double each : progress_) sum += each;
        emit progressed(sum / static_cast<double>(progress_.size()));
    });
    connect(&jobs_, &PlanningJobs::told, this, [this](int job, const QString& sentence) {
        const Planner* planner = findPlanner(planning_.value(job).toStdString());
        if (planner) emit searching(QString::fromStdString(planner->description().title) + ": " + sentence);
    });
    onProblemChanged();
}

void PlanningController::onProblemChanged() {
    // Whatever is under way is about a problem that is no more.
    jobs_.cancelAll();
    evaluations_.clear();
    costs_ = std::make_shared<SharedCosts>(workspace_.sharedProblem());
    workOutMissingRuns();
}

void PlanningController::workOutMissingRuns() {
    if (!workspace_.isOpen() || whyUnplannable(workspace_.problem())) return;
    for (const PlanItem& item : workspace_.plans()) {
        const QList<int> underWay = evaluations_.values();
        if (item.run || !item.isPlan() || underWay.contains(item.id)) continue;
        const int job = jobs_.start(
            QStringLiteral("plan:%1").arg(item.id),
            [costs = costs_, plan = item.plan, gone = item.goneDevices](const PlanningContext& context) {
                return gone.empty() ? reopenPlan(costs->get(), plan, context)
                                    : refusedRun(costs->get(), plan, gone);
            });
        evaluations_.insert(job, item.id);
    }
}

void PlanningController::run(const QStringList& ids, const std::map<std::string, ParameterValues>& values) {
    if (planning_.isEmpty()) progress_.clear();
    if (const auto reason = whyUnplannable(workspace_.problem())) {
        emit failed(QString::fromStdString(*reason));
        return;
    }
    for (const QString& id : ids) {
        const Planner* planner = findPlanner(id.toStdString());
        if (!planner) continue;
        const auto given = values.find(id.toStdString());
        const int job = jobs_.start(
            QStringLiteral("planner:") + id,
            [planner, costs = costs_, chosen = given == values.end() ? ParameterValues{} : given->second](
                const PlanningContext& context) {
                return runAndEvaluate(*planner, costs->get(), chosen, context);
            });
        planning_.insert(job, id);
        progress_.insert(job, 0);
    }
    emit progressed(0);
    emit planningChanged();
}

void PlanningController::cancel() {
    for (auto job = planning_.keyBegin(); job != planning_.keyEnd(); ++job) jobs_.cancel(*job);
}

void PlanningController::takeBestSoFar() {
    for (auto job = planning_.keyBegin(); job != planning_.keyEnd(); ++job) jobs_.takeBest(*job);
}

void PlanningController::onFinished(int job, const std::shared_ptr<const PlanRun>& run) {
    if (planning_.contains(job)) {
        emit planned(workspace_.addRun(run));
    } else if (const auto plan = evaluations_.constFind(job); plan != evaluations_.constEnd()) {
        const int id = *plan;
        evaluations_.erase(plan);
        if (!workspace_.setRun(id, run)) workOutMissingRuns();
    }
}

void PlanningController::onEnded(int job) {
    evaluations_.remove(job);
    if (progress_.contains(job)) progress_[job] = 1;
    if (planning_.remove(job)) emit planningChanged();
}

}  // namespace stagecraft
