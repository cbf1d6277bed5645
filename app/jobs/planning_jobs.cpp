#include "app/jobs/planning_jobs.h"

#include "core/simulation/simulator.h"
#include "views/common/progress_steps.h"

#include <QFutureWatcher>
#include <QPromise>
#include <QtConcurrentRun>

namespace stagecraft {
namespace {

constexpr int threads = 2;

struct Outcome {
    std::shared_ptr<const PlanRun> run;  // null: cancelled or failed
    QString failure;
};

Outcome carryOut(const PlanningWork& work, const PlanningContext& context) {
    try {
        context.throwIfStopped();
        return {std::make_shared<const PlanRun>(work(context)), {}};
    } catch (const Cancelled&) {
        return {};
    } catch (const std::exception& error) {
        return {nullptr, QString::fromUtf8(error.what())};
    }
}

}  // namespace

PlanningJobs::PlanningJobs(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(threads); }

PlanningJobs::~PlanningJobs() {
    cancelAll();
    pool_.waitForDone();
}

int PlanningJobs::start(const QString& key, PlanningWork work) {
    for (auto job = jobs_.begin(); job != jobs_.end(); ++job)
        if (job->key == key) job->stop.request_stop();
    const int id = nextId_++;
    const std::stop_source stop, enough;
    jobs_.insert(id, {key, stop, enough});

    auto* watcher = new QFutureWatcher<Outcome>(this);
    connect(watcher, &QFutureWatcherBase::progressValueChanged, this, [this, id, stop](int value) {
        if (!stop.stop_requested()) emit progressed(id, double(value) / progressSteps);
    });
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, id, stop] {
        watcher->deleteLater();
        jobs_.remove(id);
        const Outcome outcome = watcher->result();
        if (!stop.stop_requested()) {
            if (outcome.run)
                emit finished(id, outcome.run);
            else if (!outcome.failure.isEmpty())
                emit failed(id, outcome.failure);
        }
        emit ended(id);
    });
    // QFutureWatcher passes on at most 25 progress values a second, however often the work reports.
    watcher->setFuture(QtConcurrent::run(
        &pool_, [this, id, work = std::move(work), stop, enough](QPromise<Outcome>& promise) {
            promise.setProgressRange(0, progressSteps);
            PlanningContext context;
            context.stop = stop.get_token();
            context.progress = [&promise](double fraction) {
                promise.setProgressValue(static_cast<int>(fraction * progressSteps));
            };
            context.enough = enough.get_token();
            context.says = [this, id, stop](const std::string& sentence) {
                QMetaObject::invokeMethod(
                    this,
                    [this, id, stop, text = QString::fromStdString(sentence)] {
                        if (!stop.stop_requested() && isRunning(id)) emit told(id, text);
                    },
                    Qt::QueuedConnection);
            };
            promise.addResult(carryOut(work, context));
        }));
    return id;
}

void PlanningJobs::cancel(int id) {
    if (const auto job = jobs_.find(id); job != jobs_.end()) job->stop.request_stop();
}

void PlanningJobs::takeBest(int id) {
    if (const auto job = jobs_.find(id); job != jobs_.end()) job->enough.request_stop();
}

void PlanningJobs::cancelAll() {
    for (Job& job : jobs_) job.stop.request_stop();
}

}  // namespace stagecraft
