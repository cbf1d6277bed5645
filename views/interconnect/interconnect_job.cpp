#include "views/interconnect/interconnect_job.h"

#include "views/common/text.h"

namespace stagecraft::views::interconnect {

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
    connect(&cutsJob_, &Job::progressed, this, &InterconnectJob::cutsProgressed);
}

void InterconnectJob::setCluster(std::shared_ptr<const Cluster> cluster) {
    constexpr std::size_t quicklyCompared = 20'000;  // links
    if (isUpToDate() && cluster->links.size() <= quicklyCompared && samePaths(*data_->cluster, *cluster))
        return;
    cluster_ = std::move(cluster);
    if (cluster_->deviceCount() > mostDevices) {
        matrixJob_.abandon();
        cutsJob_.abandon();
        delay_.stop();
        pending_ = false;
        data_.reset();
        cuts_.reset();
        emit matrixReady(nullptr);
        return;
    }
    pending_ = true;
    // The first one is waited for by a person who has just opened it.
    delay_.setInterval(data_ ? delayMs : 0);
    delay_.start();
}

QString InterconnectJob::whyNone() const {
    if (!cluster_ || cluster_->deviceCount() <= mostDevices) return {};
    return tr("Not worked out for %1: the limit is %2")
        .arg(countedText(cluster_->deviceCount(), "GPU"), countedText(mostDevices, "GPU"));
}

void InterconnectJob::startMatrix() {
    matrixJob_.start(
        [cluster = cluster_, before = data_](const JobContext& context) -> Data {
            if (before && samePaths(*before->cluster, *cluster)) return before;
            return std::make_shared<const InterconnectData>(
                InterconnectData{cluster, Interconnect(*cluster, context.stop)});
        },
        [this](const Data& result) {
            pending_ = delay_.isActive();
            if (result == data_) return pending_ ? void() : settled();
            cutsJob_.abandon();
            cuts_.reset();
            data_ = result;
            emit matrixReady(data_);
            if (!pending_) emit settled();
            startCuts();
        });
}

void InterconnectJob::wantCuts(bool wanted) {
    cutsWanted_ = wanted;
    if (wanted) return startCuts();
    cutsJob_.abandon();
}

void InterconnectJob::startCuts() {
    if (!cutsWanted_ || cutsJob_.isRunning() || cuts_ || !data_) return;
    cutsJob_.start(
        [data = data_](const JobContext& context) {
            return std::make_shared<const DeviceCuts>(
                recursiveCuts(bandwidthGraph(data->interconnect), context));
        },
        [this](const Cuts& cuts) {
            cuts_ = cuts;
            emit cutsReady(cuts_);
        });
}

}  // namespace stagecraft::views::interconnect
