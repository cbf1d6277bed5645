#include "app/pareto/pareto_job.h"

namespace stagecraft {

ParetoJob::ParetoJob(QObject* parent) : QObject(parent) {
    connect(&task_, &BackgroundTask::progressed, this, &ParetoJob::progressed);
    connect(&task_, &BackgroundTask::ended, this, &ParetoJob::ended);
}

void ParetoJob::start(std::shared_ptr<const Problem> problem) {
    abandon();
    problem_ = std::move(problem);
    for (const ParetoKind& kind : paretoKinds()) reached_.push_back({kind.allocation, {}});
    task_.start([this, shared = problem_](const PlanningContext& context,
                                          const BackgroundTask::Tell& tell) -> BackgroundTask::Deliver {
        const CostModel costs = paretoCosts(*shared);
        const double kinds = static_cast<double>(paretoKinds().size());
        for (std::size_t i = 0; i < paretoKinds().size(); ++i) {
            PlanningContext part = context;
            part.progress = [&](double fraction) {
                context.report((static_cast<double>(i) + fraction) / kinds);
            };
            ParetoOptions options = usualParetoOptions();
            options.plans.stages = paretoKinds()[i].stages;
            options.found = [&](const ParetoPoint& point) { tell([this, i, point] { take(i, point); }); };
            paretoCurve(costs, options, part);
        }
        return {};
    });
}

void ParetoJob::abandon() {
    task_.abandon();
    reached_.clear();
    problem_.reset();
}

/// As the curve itself keeps its points: a plan that needs less memory may turn out faster.
void ParetoJob::take(std::size_t series, const ParetoPoint& point) {
    keepPareto(reached_[series].points, point);
    emit found();
}

}  // namespace stagecraft
