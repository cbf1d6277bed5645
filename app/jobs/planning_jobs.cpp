#include "app/jobs/planning_jobs.h"

#include "views/common/job.h"

#include <algorithm>
#include <utility>

namespace stagecraft::app::jobs {
namespace {

constexpr int threads = 2;
constexpr int nextTurnMs = 1;  // with 0 it would be this one: what is posted meanwhile still belongs to it

}  // namespace

PlanningJobs::PlanningJobs(QObject* parent) : QObject(parent) {
    pool_.setMaxThreadCount(threads);
    delivery_.setInterval(nextTurnMs);
    connect(&delivery_, &QTimer::timeout, this, &PlanningJobs::deliver);
}

PlanningJobs::~PlanningJobs() {
    cancelAll();
    for (const Listed& each : jobs_) delete each.job;
}

int PlanningJobs::start(const QString& key, PlanningWork work, const QString& group) {
    for (Listed& each : jobs_)
        if (each.key == key) cancel(each);
    const int id = nextId_++;
    auto* job = new Job(this, &pool_);
    jobs_.insert(id, {key, group, job});
    connect(job, &Job::progressed, this, [this, id](double fraction) {
        if (isHeard(id)) emit progressed(id, fraction);
    });
    connect(job, &Job::statusChanged, this, [this, id](const QString& sentence) {
        if (isHeard(id)) emit statusChanged(id, sentence);
    });
    connect(job, &Job::ended, this, [this, id](bool, const QString& failure) {
        jobs_[id].failure = failure;
        ended_.push_back(id);
        if (delivery_.isActive()) return;
        if (jobs_[id].group.isEmpty()) deliver();  // nothing was heard of in this turn
        delivery_.start();
    });
    job->start(
        [work = std::move(work)](const WorkContext& context) {
            context.throwIfStopped();  // it may have waited in the queue
            return std::make_shared<const PlanRun>(work(context));
        },
        [this, id](const std::shared_ptr<const PlanRun>& run) { jobs_[id].run = run; });
    return id;
}

bool PlanningJobs::isHeard(int id) const {
    const auto listed = jobs_.constFind(id);
    return listed != jobs_.constEnd() && !listed->cancelled;
}

/// The one that ended first, with those of its group; and all that were cancelled, of which nothing follows:
/// drags cancel them faster than turns come.
std::vector<int> PlanningJobs::takeNextEnded() {
    const auto heard = std::ranges::find_if(ended_, [this](int id) { return isHeard(id); });
    const int first = heard == ended_.end() ? 0 : *heard;
    const QString group = first ? jobs_[first].group : QString();
    std::vector<int> taken, left;
    for (const int id : ended_) {
        const bool together = id == first || !isHeard(id) || (!group.isEmpty() && jobs_[id].group == group);
        (together ? taken : left).push_back(id);
    }
    ended_ = std::move(left);
    return taken;
}

/// What follows from a result may take tens of milliseconds of the thread. Many may end while it is at
/// something else: all at once would be a long time without an answer.
void PlanningJobs::deliver() {
    if (ended_.empty()) return delivery_.stop();
    const std::vector<int> ids = takeNextEnded();
    for (const int id : ids)
        if (jobs_[id].run && isHeard(id)) emit finished(id, std::exchange(jobs_[id].run, nullptr));
    for (const int id : ids) {
        const Listed listed = jobs_.take(id);
        listed.job->deleteLater();
        if (!listed.failure.isEmpty() && !listed.cancelled) emit failed(id, listed.failure);
        emit ended(id);
    }
    emit delivered();
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
