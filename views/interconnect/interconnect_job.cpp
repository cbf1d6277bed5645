#include "views/interconnect/interconnect_job.h"

#include "core/planners/planner.h"
#include "core/simulation/simulator.h"
#include "views/common/progress_steps.h"

#include <QFutureWatcher>
#include <QPromise>
#include <QtConcurrentRun>

namespace stagecraft {

namespace {

constexpr int delayMs = 120;

using Data = std::shared_ptr<const InterconnectData>;
using Cuts = std::shared_ptr<const DeviceCuts>;

bool samePaths(const Cluster& a, const Cluster& b) {
    return a.devices == b.devices && a.switches == b.switches && a.links == b.links;
}

}  // namespace

InterconnectJob::InterconnectJob(QObject* parent) : QObject(parent) {
    delay_.setSingleShot(true);
    delay_.setInterval(delayMs);
    connect(&delay_, &QTimer::timeout, this, &InterconnectJob::startMatrix);
}

InterconnectJob::~InterconnectJob() {
    stop_.request_stop();
    stopCuts_.request_stop();
    pool_.waitForDone();
}

void InterconnectJob::setCluster(std::shared_ptr<const Cluster> cluster) {
    constexpr std::size_t quicklyCompared = 20'000;  // links
    if (isUpToDate() && cluster->links.size() <= quicklyCompared && samePaths(*data_->cluster, *cluster))
        return;
    cluster_ = std::move(cluster);
    pending_ = true;
    // The first one is waited for by a person who has just opened it.
    delay_.setInterval(data_ ? delayMs : 0);
    delay_.start();
}

void InterconnectJob::startMatrix() {
    stop_.request_stop();
    stop_ = {};
    auto* watcher = new QFutureWatcher<Data>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, stop = stop_] {
        watcher->deleteLater();
        const Data result = watcher->result();
        if (stop.stop_requested()) return;
        pending_ = delay_.isActive();
        if (result == data_) return pending_ ? void() : settled();
        stopCuts_.request_stop();
        cutsRunning_ = false;
        cuts_.reset();
        data_ = result;
        emit matrixReady(data_);
        if (!pending_) emit settled();
        startCuts();
    });
    watcher->setFuture(
        QtConcurrent::run(&pool_, [cluster = cluster_, before = data_, token = stop_.get_token()]() -> Data {
            if (before && samePaths(*before->cluster, *cluster)) return before;
            return std::make_shared<const InterconnectData>(
                InterconnectData{cluster, Interconnect(*cluster, token)});
        }));
}

void InterconnectJob::wantCuts(bool wanted) {
    cutsWanted_ = wanted;
    if (wanted) return startCuts();
    stopCuts_.request_stop();
    cutsRunning_ = false;
}

void InterconnectJob::startCuts() {
    if (!cutsWanted_ || cutsRunning_ || cuts_ || !data_) return;
    stopCuts_ = {};
    cutsRunning_ = true;
    auto* watcher = new QFutureWatcher<Cuts>(this);
    connect(watcher, &QFutureWatcherBase::progressValueChanged, this, [this, stop = stopCuts_](int value) {
        if (!stop.stop_requested()) emit cutsProgressed(double(value) / progressSteps);
    });
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, stop = stopCuts_] {
        watcher->deleteLater();
        if (stop.stop_requested()) return;
        cutsRunning_ = false;
        cuts_ = watcher->result();
        emit cutsReady(cuts_);
    });
    watcher->setFuture(QtConcurrent::run(&pool_, [data = data_,
                                                  token = stopCuts_.get_token()](QPromise<Cuts>& promise) {
        promise.setProgressRange(0, progressSteps);
        const PlanningContext context{
            token, [&](double share) { promise.setProgressValue(static_cast<int>(share * progressSteps)); }};
        try {
            promise.addResult(std::make_shared<const DeviceCuts>(
                recursiveCuts(bandwidthGraph(data->interconnect), context)));
        } catch (const Cancelled&) {
            promise.addResult(Cuts());
        }
    }));
}

}  // namespace stagecraft
