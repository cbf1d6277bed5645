#include "app/plan/limit_planner.h"
#include "core/planners/planned_run.h"

#include "app/plan/edit_simulator.h"

#include <utility>

namespace stagecraft::app::plan {

namespace {

constexpr double quickLimitS = 0.25;
constexpr qint64 planningPatienceMs = 400;
const char* const timeLimit = "time_limit_s";

ParameterValues valuesFor(const Planner& planner, const Plan& plan, bool quick) {
    const std::vector<Parameter>& described = planner.description().parameters;
    ParameterValues values = defaultValues(described);
    for (const auto& [name, text] : plan.parameters) {
        try {
            setParameter(described, values, name + "=" + text);
        } catch (const std::invalid_argument&) {
            // Of another version of the planner: its default will do.
        }
    }
    if (const auto limit = values.find(timeLimit); quick && limit != values.end())
        if (double* seconds = std::get_if<double>(&limit->second)) *seconds = std::min(*seconds, quickLimitS);
    return values;
}

PlanRun planUnder(const LimitQuestion& question, bool quick, const WorkContext& context) {
    const Planner* planner = findPlanner(question.plan.planner);
    if (!planner) throw std::invalid_argument("no planner '" + question.plan.planner + "'");
    Problem problem = *question.problem;
    problem.setup.memoryLimitBytes = question.setupLimit;
    return runAndEvaluate(*planner, costsUnder(question.costs, problem),
                          valuesFor(*planner, question.plan, quick), context);
}

}  // namespace

LimitPlanner::LimitPlanner(QObject* parent) : QObject(parent) {
    connect(&jobs_, &PlanningJobs::finished, this,
            [this](int job, const std::shared_ptr<const PlanRun>& run) {
                if (job != running_) return;
                if (quick_)
                    emit previewed(question_, run);
                else
                    emit refined(question_, run);
            });
    connect(&jobs_, &PlanningJobs::failed, this, [this](int job, const QString& reason) {
        if (job == running_) emit failed(reason);
    });
    connect(&jobs_, &PlanningJobs::ended, this, &LimitPlanner::onEnded);
}

void LimitPlanner::preview(const LimitQuestion& question) {
    if (running_ == 0) return start(question, true);
    if (quick_ && question == question_) {
        next_.reset();
        return;
    }
    next_ = question;
    if (!quick_ || since_.elapsed() > planningPatienceMs) jobs_.cancel(running_);
}

void LimitPlanner::refine(const LimitQuestion& question) {
    cancel();
    start(question, false);
}

void LimitPlanner::cancel() {
    next_.reset();
    jobs_.cancelAll();
    if (std::exchange(running_, 0)) emit busyChanged();
}

void LimitPlanner::start(const LimitQuestion& question, bool quick) {
    question_ = question;
    quick_ = quick;
    since_.start();
    running_ = jobs_.start(
        quick ? QStringLiteral("preview") : QStringLiteral("plan"),
        [question, quick](const WorkContext& context) { return planUnder(question, quick, context); });
    emit busyChanged();
}

void LimitPlanner::onEnded(int job) {
    if (job != running_) return;
    running_ = 0;
    if (next_)
        start(*std::exchange(next_, std::nullopt), true);
    else
        emit busyChanged();
}

}  // namespace stagecraft::app::plan
