#include "app/jobs/planning_jobs.h"

#include "views/common/job.h"

namespace stagecraft::app::jobs {
namespace {

constexpr int threads = 2;

}  // namespace

PlanningJobs::PlanningJobs(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(threads); }

PlanningJobs::~PlanningJobs() {
    cancelAll();
    for (const Listed& each : jobs_) delete each.job;
}

int PlanningJobs::start(const QString& key, PlanningWork work) {
    for (Listed& each : jobs_)
        if (each.key == key) cancel(each);
    const int id = nextId_++;
    auto* job = new Job(this, &pool_);
    jobs_.insert(id, {key, job});
    connect(job, &Job::progressed, this, [this, id](double fraction) {
        if (isHeard(id)) emit progressed(id, fraction);
    });
    connect(job, &Job::statusChanged, this, [this, id](const QString& sentence) {
        if (isHeard(id)) emit statusChanged(id, sentence);
    });
    connect(job, &Job::ended, this, [this, id](bool, const QString& failure) { end(id, failure); });
    job->start(
        [work = std::move(work)](const WorkContext& context) {
            context.throwIfStopped();  // it may have waited in the queue
            return std::make_shared<const PlanRun>(work(context));
        },
        [this, id](const std::shared_ptr<const PlanRun>& run) {
            if (isHeard(id)) emit finished(id, run);
        });
    return id;
}

bool PlanningJobs::isHeard(int id) const {
    const auto listed = jobs_.constFind(id);
    return listed != jobs_.constEnd() && !listed->cancelled;
}

void PlanningJobs::end(int id, const QString& failure) {
    const Listed listed = jobs_.take(id);
    listed.job->deleteLater();
    if (!failure.isEmpty() && !listed.cancelled) emit failed(id, failure);
    emit ended(id);
}

void PlanningJobs::cancel(Listed& listed) {
    listed.cancelled = true;
    listed.job->stop();
}

void PlanningJobs::cancel(int id) {
    if (const auto listed = jobs_.find(id); listed != jobs_.end()) cancel(*listed);
}

void PlanningJobs::takeBest(int id) {
    if (const auto listed = jobs_.find(id); listed != jobs_.end()) listed->job->takeBest();
}

void PlanningJobs::cancelAll() {
    for (Listed& each : jobs_) cancel(each);
}

}  // namespace stagecraft::app::jobs
