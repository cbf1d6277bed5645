#include "app/pareto/pareto_job.h"

#include "core/simulation/simulator.h"

#include <QElapsedTimer>

namespace stagecraft {

namespace {

constexpr qint64 progressMs = 40;

}  // namespace

ParetoJob::ParetoJob(QObject* parent) : QObject(parent) {}

ParetoJob::~ParetoJob() { abandon(); }

void ParetoJob::start(std::shared_ptr<const Problem> problem) {
    abandon();
    problem_ = std::move(problem);
    for (const ParetoKind& kind : paretoKinds()) reached_.push_back({kind.allocation, {}});
    running_ = true;
    thread_ = std::jthread(
        [this, shared = problem_, run = run_](const std::stop_token& stop) { work(stop, *shared, run); });
}

void ParetoJob::stop() { thread_.request_stop(); }

void ParetoJob::abandon() {
    ++run_;
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    reached_.clear();
    problem_.reset();
    running_ = false;
}

/// On the thread: everything else is told by events, which end with this object.
void ParetoJob::work(const std::stop_token& stop, const Problem& problem, int run) {
    const auto tell = [this, run](auto what) {
        QMetaObject::invokeMethod(
            this,
            [this, run, what] {
                if (run == run_) what();
            },
            Qt::QueuedConnection);
    };
    QString failure;
    bool stopped = false;
    try {
        const CostModel costs = paretoCosts(problem);
        PlanningContext context;
        context.stop = stop;
        const double kinds = static_cast<double>(paretoKinds().size());
        for (std::size_t i = 0; i < paretoKinds().size(); ++i) {
            QElapsedTimer since;
            since.start();
            context.progress = [&, i](double fraction) {
                if (since.elapsed() < progressMs) return;
                since.restart();
                tell([this, all = (static_cast<double>(i) + fraction) / kinds] { emit progressed(all); });
            };
            ParetoOptions options = usualParetoOptions();
            options.plans.stages = paretoKinds()[i].stages;
            options.found = [&, i](const ParetoPoint& point) { tell([this, i, point] { take(i, point); }); };
            paretoCurve(costs, options, context);
        }
    } catch (const Cancelled&) {
        stopped = true;
    } catch (const std::exception& error) {
        failure = QString::fromUtf8(error.what());
    }
    tell([this, stopped, failure] {
        running_ = false;
        emit ended(stopped, failure);
    });
}

/// As the curve itself keeps its points: a plan that needs less memory may turn out faster.
void ParetoJob::take(std::size_t series, const ParetoPoint& point) {
    keepPareto(reached_[series].points, point);
    emit found();
}

}  // namespace stagecraft
