#include "app/jobs/planning_controller.h"

#include "core/planners/planned_run.h"
#include "core/editing/plan_edit.h"
#include "core/planners/schedule_search/tried_schedules.h"
#include "core/runs/seen_problem.h"

#include <mutex>

namespace stagecraft::app::jobs {

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

constexpr int calmMs = 400;
// Of jobs whose results come into the document together.
const QString evaluationGroup = QStringLiteral("evaluations"), againGroup = QStringLiteral("again");

/// What is shown of a plan whose devices are gone.
PlanRun refusedRun(std::shared_ptr<const CostModel> costs, const Plan& plan,
                   const std::vector<std::string>& gone) {
    PlanRun run;
    run.microbatchesAsked = costs->problem().setup.microbatches;
    run.costs = std::move(costs);
    run.result.plan = plan;
    run.maker = makerOf(plan.planner);
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
        if (parts == drawingPart) return;
        onProblemChanged();
        if (plansAgain_) calm_.start();
    });
    calm_.setSingleShot(true);
    calm_.setInterval(calmMs);
    connect(&calm_, &QTimer::timeout, this, &PlanningController::planAgainSoon);
    connect(&workspace_, &Workspace::plansChanged, this, &PlanningController::workOutMissingRuns);
    connect(&jobs_, &PlanningJobs::finished, this,
            [this](int job, const std::shared_ptr<const PlanRun>& run) { results_.emplace_back(job, run); });
    connect(&jobs_, &PlanningJobs::failed, this, [this](int, const QString& reason) { emit failed(reason); });
    connect(&jobs_, &PlanningJobs::ended, this, [this](int job) { ended_.push_back(job); });
    connect(&jobs_, &PlanningJobs::delivered, this, &PlanningController::onDelivered);
    connect(&jobs_, &PlanningJobs::progressed, this, [this](int job, double fraction) {
        if (!progress_.contains(job)) return;
        progress_[job] = fraction;
        double sum = 0;
        for (const double each : progress_) sum += each;
        emit progressed(sum / static_cast<double>(progress_.size()));
    });
    connect(&jobs_, &PlanningJobs::statusChanged, this, [this](int job, const QString& sentence) {
        const Planner* planner = findPlanner(planning_.value(job).toStdString());
        if (planner) emit searching(QString::fromStdString(planner->description().title) + ": " + sentence);
    });
    connect(&tried_, &views::common::Job::ended, this, [this](bool, const QString& failure) {
        if (!failure.isEmpty()) emit failed(failure);
    });
    onProblemChanged();
}

void PlanningController::onProblemChanged() {
    // Whatever is under way is about a problem that is no more.
    jobs_.cancelAll();
    tried_.abandon();
    evaluations_.clear();
    costs_ = std::make_shared<SharedCosts>(workspace_.sharedProblem());
    workOutMissingRuns();
    emit busyChanged();
}

PlanningWork PlanningController::workFor(const PlanItem& item) const {
    if (!item.isPlan())
        return [costs = costs_, answer = PlanlessAnswer{item.plan.planner, item.plan.parameters, item.status,
                                                        item.reason, item.origin}](const WorkContext&) {
            return planlessRun(costs->get(), answer);
        };
    if (item.goneDevices.empty())
        return [costs = costs_, plan = item.plan, origin = item.origin](const WorkContext& context) {
            return reopenPlan(costs->get(), plan, origin, context);
        };
    return [costs = costs_, plan = item.plan, gone = item.goneDevices, madeFor = item.origin.plannedFor,
            now = workspace_.seenProblem().by(makerOf(item.plan.planner), item.origin.plannedFor)](
               const WorkContext&) {
        PlanRun run = refusedRun(costs->get(), plan, gone);
        setAge(run, madeFor, now);
        return run;
    };
}

void PlanningController::workOutMissingRuns() {
    if (!workspace_.isOpen() || whyUnplannable(workspace_.problem())) return;
    for (const PlanItem& item : workspace_.plans()) {
        const QList<int> underWay = evaluations_.values();
        const bool answered = item.isPlan() || item.status != PlanStatus::ok;
        if (item.run || item.stopped || !answered || underWay.contains(item.id)) continue;
        const int job = jobs_.start(QStringLiteral("plan:%1").arg(item.id), workFor(item), evaluationGroup);
        evaluations_.insert(job, item.id);
    }
    emit busyChanged();
}

void PlanningController::startPlanning(const Planner& planner, const ParameterValues& values, int planId) {
    const QString id = QString::fromStdString(planner.description().id);
    const QString key = planId ? QStringLiteral("again:%1").arg(planId) : QStringLiteral("planner:") + id;
    const int job = jobs_.start(
        key,
        [planner = &planner, costs = costs_, values](const WorkContext& context) {
            return runAndEvaluate(*planner, costs->get(), values, context);
        },
        planId ? againGroup : QString());
    planning_.insert(job, id);
    if (planId) again_.insert(job, planId);
    progress_.insert(job, 0);
}

void PlanningController::run(const QStringList& ids, const std::map<std::string, ParameterValues>& values) {
    if (planning_.isEmpty()) progress_.clear();
    if (const auto reason = whyUnplannable(workspace_.problem())) {
        emit failed(QString::fromStdString(*reason));
        return;
    }
    planningAgain_ = false;
    for (const QString& id : ids) {
        const Planner* planner = findPlanner(id.toStdString());
        if (!planner) continue;
        const auto given = values.find(id.toStdString());
        startPlanning(*planner, given == values.end() ? ParameterValues{} : given->second, 0);
    }
    emit progressed(0);
    emit planningChanged();
    emit busyChanged();
}

void PlanningController::planAgain() {
    const std::vector<int> ids = workspace_.plansToPlanAgain();
    if (ids.empty() || isPlanning()) return;
    if (const auto reason = whyUnplannable(workspace_.problem())) {
        emit failed(QString::fromStdString(*reason));
        return;
    }
    progress_.clear();
    planningAgain_ = true;
    ++round_;
    for (const int id : ids) {
        const PlanItem* item = workspace_.plan(id);
        const Planner& planner = *findPlanner(item->plan.planner);
        startPlanning(planner, valuesOf(planner, item->plan.parameters), id);
    }
    emit progressed(0);
    emit planningChanged();
    emit busyChanged();
}

/// After an undo there is a way forward again that planning would cut off.
void PlanningController::planAgainSoon() {
    if (isPlanning()) return calm_.start();  // what was cancelled has not ended yet
    if (!whyUnplannable(workspace_.problem()) && !workspace_.undoStack()->canRedo()) planAgain();
}

void PlanningController::openTried(int planId, int row) {
    const PlanItem* item = workspace_.plan(planId);
    if (!item || !item->run || row < 0 || row >= std::ssize(item->run->result.tried)) return;
    const TriedSchedule tried = item->run->result.tried[static_cast<std::size_t>(row)];
    tried_.start(
        [costs = costs_, tried](const views::common::JobContext& context) {
            Plan plan = planOfTried(*costs->get(), tried, context);
            plan.planner = handMade;
            plan.name = triedTitle(tried);
            return plan;
        },
        [this](const Plan& plan) { emit triedOpened(workspace_.addPlan(plan)); });
}

void PlanningController::cancel() {
    for (auto job = planning_.keyBegin(); job != planning_.keyEnd(); ++job) jobs_.cancel(*job);
    const QHash<int, int> evaluations = evaluations_;
    for (auto job = evaluations.begin(); job != evaluations.end(); ++job) {
        jobs_.cancel(job.key());
        workspace_.setStopped(*job);
    }
}

void PlanningController::takeBestSoFar() {
    for (auto job = planning_.keyBegin(); job != planning_.keyEnd(); ++job) jobs_.takeBest(*job);
}

void PlanningController::takeResults() {
    const auto results = std::exchange(results_, {});
    RunsOfPlans evaluated, again;
    for (const auto& [job, run] : results) {
        if (const int plan = again_.value(job))
            again.emplace_back(plan, run);
        else if (planning_.contains(job))
            emit planned(workspace_.addRun(run));
        else if (const int evaluatedPlan = evaluations_.take(job))
            evaluated.emplace_back(evaluatedPlan, run);
    }
    if (!again.empty()) workspace_.planAgain(again, round_);
    if (!evaluated.empty() && !workspace_.setRuns(evaluated)) workOutMissingRuns();
}

void PlanningController::onDelivered() {
    takeResults();
    bool planningEnded = false;
    for (const int job : std::exchange(ended_, {})) {
        evaluations_.remove(job);
        again_.remove(job);
        if (progress_.contains(job)) progress_[job] = 1;
        planningEnded = planning_.remove(job) || planningEnded;
    }
    if (planningEnded) emit planningChanged();
    emit busyChanged();
}

}  // namespace stagecraft::app::jobs
