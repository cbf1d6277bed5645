#include "app/pareto/pareto_job.h"

namespace stagecraft::app::pareto {

ParetoJob::ParetoJob(QObject* parent) : QObject(parent) {
    connect(&job_, &Job::progressed, this, &ParetoJob::progressed);
    connect(&job_, &Job::ended, this, &ParetoJob::ended);
}

void ParetoJob::start(std::shared_ptr<const Problem> problem) {
    abandon();
    problem_ = std::move(problem);
    for (const ParetoKind& kind : paretoKinds()) reached_.push_back({kind.allocation, {}});
    job_.start([this, shared = problem_](const JobContext& context) {
        const CostModel costs = paretoCosts(*shared);
        const double kinds = static_cast<double>(paretoKinds().size());
        for (std::size_t i = 0; i < paretoKinds().size(); ++i) {
            WorkContext part = context;
            part.progress = [&](double fraction) {
                context.report((static_cast<double>(i) + fraction) / kinds);
            };
            ParetoOptions options = usualParetoOptions();
            options.plans.stages = paretoKinds()[i].stages;
            options.found = [&](const ParetoPoint& point) {
                context.handOver([this, i, point] { take(i, point); });
            };
            paretoCurve(costs, options, part);
        }
    });
}

void ParetoJob::abandon() {
    job_.abandon();
    reached_.clear();
    problem_.reset();
}

/// As the curve itself keeps its points: a plan that needs less memory may turn out faster.
void ParetoJob::take(std::size_t series, const ParetoPoint& point) {
    keepPareto(reached_[series].points, point);
    emit found();
}

}  // namespace stagecraft::app::pareto
