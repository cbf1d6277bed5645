#include "app/training/policy_check.h"

#include "app/training/training_plan.h"
#include "core/simulation/simulator.h"
#include "core/training/training_settings.h"

namespace stagecraft::app::training {

using stagecraft::training::PolicyDescription;
using stagecraft::training::TrainingSettings;

PolicyVerdict verdictOn(const TrainingRequest& request, const std::stop_token& stop) {
    PolicyVerdict verdict;
    try {
        const PlannedProblem chosen = request.plan ? PlannedProblem{*request.problem, *request.plan}
                                                   : planToTrain(*request.problem, usualStages, stop);
        verdict.microbatches = setupOf(chosen.plan, chosen.problem.setup).microbatches;
        const TrainingSettings settings =
            stagecraft::training::trainingChoice(request.values, verdict.microbatches).settings;
        for (const PolicyDescription& about : stagecraft::training::policies())
            if (const auto reason = stagecraft::training::whyUntrainable(chosen.problem, chosen.plan,
                                                                         about.policy, settings, stop))
                verdict.refusals[about.policy] = *reason;
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        verdict.obstacle = error.what();
    }
    if (verdict.refusals.size() == stagecraft::training::policies().size()) {
        verdict.obstacle = verdict.refusals.begin()->second;
        verdict.refusals.clear();
    }
    return verdict;
}

void PolicyCheck::ask(const TrainingRequest& request) {
    job_.start([request](const JobContext& context) { return verdictOn(request, context.stop); },
               [this](const PolicyVerdict& verdict) { emit answered(verdict); });
}

}  // namespace stagecraft::app::training
