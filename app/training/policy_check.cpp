#include "app/training/policy_check.h"

#include "app/training/training_plan.h"
#include "core/simulation/simulator.h"
#include "core/training/training_parameters.h"

#include <QFutureWatcher>
#include <QtConcurrentRun>

namespace stagecraft {

using training::PolicyDescription;
using training::TrainingSettings;

PolicyVerdict verdictOn(const TrainingRequest& request, const std::stop_token& stop) {
    PolicyVerdict verdict;
    try {
        const PlannedProblem chosen = request.plan ? PlannedProblem{*request.problem, *request.plan}
                                                   : planToTrain(*request.problem, usualStages, stop);
        verdict.microbatches = setupOf(chosen.plan, chosen.problem.setup).microbatches;
        const TrainingSettings settings =
            training::trainingChoice(request.values, verdict.microbatches).settings;
        for (const PolicyDescription& about : training::policies())
            if (const auto reason =
                    training::whyUntrainable(chosen.problem, chosen.plan, about.policy, settings, stop))
                verdict.refusals[about.policy] = *reason;
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        verdict.obstacle = error.what();
    }
    if (verdict.refusals.size() == training::policies().size()) {
        verdict.obstacle = verdict.refusals.begin()->second;
        verdict.refusals.clear();
    }
    return verdict;
}

PolicyCheck::PolicyCheck(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(1); }

PolicyCheck::~PolicyCheck() {
    stop_.request_stop();
    pool_.waitForDone();
}

void PolicyCheck::ask(const TrainingRequest& request) {
    stop_.request_stop();
    stop_ = {};
    const int number = ++asked_;
    using Answer = std::optional<PolicyVerdict>;
    auto* watcher = new QFutureWatcher<Answer>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, number] {
        watcher->deleteLater();
        if (number != asked_) return;
        if (const Answer answer = watcher->result()) emit answered(*answer);
    });
    watcher->setFuture(QtConcurrent::run(&pool_, [request, stop = stop_.get_token()]() -> Answer {
        try {
            return verdictOn(request, stop);
        } catch (const Cancelled&) {
            return std::nullopt;
        }
    }));
}

}  // namespace stagecraft
