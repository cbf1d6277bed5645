#include "views/timeline/event_steps.h"

#include "views/common/text.h"
#include "views/timeline/block_text.h"

#include <QStringList>

#include <algorithm>
#include <limits>

namespace stagecraft::views::timeline {

namespace {

template <typename Visit>
void forEachComputeLane(const Timeline& timeline, Visit visit) {
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane)
        if (timeline.lanes[lane].kind == LaneKind::compute && timeline.lanes[lane].blockCount() > 0)
            visit(static_cast<int>(lane));
}

}  // namespace

double EventSteps::from(double timeS) const {
    const Timeline& timeline = data_->timeline();
    double next = std::numeric_limits<double>::infinity();
    forEachComputeLane(timeline, [&](int lane) {
        const std::uint32_t block = data_->busy.firstFrom(timeline, lane, timeS - data_->slackS());
        if (block < timeline.lanes[static_cast<std::size_t>(lane)].endBlock)
            next = std::min(next, timeline.startS[block]);
    });
    return std::min(next, data_->endS);
}

double EventSteps::after(double timeS) const { return from(timeS + 2 * data_->slackS()); }

double EventSteps::before(double timeS) const {
    const Timeline& timeline = data_->timeline();
    double previous = -std::numeric_limits<double>::infinity();
    forEachComputeLane(timeline, [&](int lane) {
        const std::uint32_t next = data_->busy.firstFrom(timeline, lane, timeS - data_->slackS());
        if (next > timeline.lanes[static_cast<std::size_t>(lane)].firstBlock)
            previous = std::max(previous, timeline.startS[next - 1]);
    });
    return std::max(previous, timeline.firstStartS());
}

std::vector<std::uint32_t> EventSteps::beginningAt(double timeS) const {
    const Timeline& timeline = data_->timeline();
    std::vector<std::uint32_t> found;
    forEachComputeLane(timeline, [&](int lane) {
        const std::uint32_t end = timeline.lanes[static_cast<std::size_t>(lane)].endBlock;
        for (std::uint32_t block = data_->busy.firstFrom(timeline, lane, timeS - data_->slackS());
             block < end && timeline.startS[block] <= timeS + data_->slackS(); ++block)
            found.push_back(block);
    });
    std::stable_sort(found.begin(), found.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return timeline.stage[a] < timeline.stage[b]; });
    return found;
}

QString EventSteps::text(std::uint32_t block) const {
    const Timeline& timeline = data_->timeline();
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
    QString what = data_->numbers.describe(timeline, block);
    // The lane's name says where, unless its device holds several stages.
    const QString place = QStringLiteral(" on stage %1").arg(timeline.stage[block]);
    const int device = lane.devices.front();
    const auto holds = [device](const Stage& stage) {
        return std::find(stage.devices.begin(), stage.devices.end(), device) != stage.devices.end();
    };
    const std::vector<Stage>& stages = data_->plan().stages;
    if (what.endsWith(place) && std::count_if(stages.begin(), stages.end(), holds) == 1)
        what.chop(place.size());
    const QString weights = weightsText(*data_, block);
    return deviceSummary(data_->cluster(), lane.devices) + ": " + what +
           (weights.isEmpty() ? QString() : ", " + weights);
}

QStringList EventSteps::texts(double timeS) const {
    QStringList lines;
    for (const std::uint32_t block : beginningAt(timeS)) lines << text(block);
    return lines;
}

}  // namespace stagecraft::views::timeline
