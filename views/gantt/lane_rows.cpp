#include "views/gantt/lane_rows.h"

#include <algorithm>
#include <tuple>

namespace stagecraft {

namespace {

constexpr int leastCompute = 15;  // as high as a line of text
constexpr int mostCompute = 64;
constexpr int thinHeight = 14;
constexpr int rowGap = 3;

QString stageList(const std::vector<int>& stages) {
    QStringList numbers;
    for (const int stage : stages) numbers << QString::number(stage);
    return (stages.size() == 1 ? QStringLiteral("stage ") : QStringLiteral("stages ")) + numbers.join(", ");
}

std::vector<int> stagesOf(const Plan& plan, const Lane& lane) {
    std::vector<int> stages;
    for (int s = 0; s < plan.stageCount(); ++s)
        for (const int device : plan.stages[static_cast<std::size_t>(s)].devices)
            if (std::find(lane.devices.begin(), lane.devices.end(), device) != lane.devices.end()) {
                stages.push_back(s);
                break;
            }
    return stages;
}

QString allDevices(const Cluster& cluster, const std::vector<int>& devices) {
    QStringList names;
    for (const int device : devices) {
        const Device& it = cluster.devices[static_cast<std::size_t>(device)];
        names << QString::fromStdString(it.gpu.empty() ? it.id : it.id + " (" + it.gpu + ")");
    }
    return names.join(", ");
}

/// Where a row stands: the stage it belongs to, what it is, then the lane's own place.
struct Placed {
    LaneRow row;
    std::tuple<int, int, int, int> order;
};

Placed computeRow(const PlanRun& run, int index) {
    const Lane& lane = run.evaluation->timeline.lanes[static_cast<std::size_t>(index)];
    const Cluster& cluster = run.costs->problem().cluster;
    const std::vector<int> stages = stagesOf(run.result.plan, lane);
    Placed placed;
    placed.row.lane = index;
    placed.row.stage = stages.empty() ? -1 : stages.front();
    placed.row.label = deviceSummary(cluster, lane.devices);
    if (!stages.empty()) placed.row.label += " · " + stageList(stages);
    placed.row.toolTip = stageList(stages) + " on " + allDevices(cluster, lane.devices);
    placed.order = {placed.row.stage, 0, index, 0};
    return placed;
}

Placed serviceRow(const PlanRun& run, int index) {
    const Timeline& timeline = run.evaluation->timeline;
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(index)];
    const Cluster& cluster = run.costs->problem().cluster;
    Placed placed;
    LaneRow& row = placed.row;
    row.lane = index;
    row.thin = true;
    switch (lane.kind) {
        case LaneKind::channel:
            row.half = lane.direction != Direction::both;
            row.label = lane.direction == Direction::backward
                            ? QString()
                            : QStringLiteral("stage %1 ⇄ %2").arg(lane.fromStage).arg(lane.toStage);
            row.toolTip = QStringLiteral("transfers between stage %1 and stage %2%3")
                              .arg(lane.fromStage)
                              .arg(lane.toStage)
                              .arg(row.half ? ", forward above, backward below" : ", one at a time");
            placed.order = {lane.fromStage, 3, lane.toStage, lane.direction == Direction::backward ? 1 : 0};
            break;
        case LaneKind::allReduce:
            row.label = QStringLiteral("AllReduce · stage %1").arg(lane.fromStage);
            row.toolTip = "AllReduce of gradients among " + allDevices(cluster, lane.devices);
            placed.order = {lane.fromStage, 1, index, 0};
            break;
        default: {
            const std::vector<int> stages = stagesOf(run.result.plan, lane);
            row.label = "host link · " + deviceSummary(cluster, lane.devices);
            row.toolTip = "swapping over the host link of " + allDevices(cluster, lane.devices);
            placed.order = {stages.empty() ? -1 : stages.front(), 2, index, 0};
        }
    }
    return placed;
}

int gapBefore(const LaneRow& row, const LaneRow* previous, int compute) {
    if (!previous) return rowGap;
    if (row.half && row.label.isEmpty()) return 0;
    return row.thin || previous->thin ? rowGap : std::clamp(compute / 7, 2, 6);
}

/// Places all rows with compute lanes `compute` pixels high. @return the height of all
int placeWith(std::vector<LaneRow>& rows, int compute) {
    int y = 0;
    const LaneRow* previous = nullptr;
    for (LaneRow& row : rows) {
        row.top = y + gapBefore(row, previous, compute);
        row.height = row.half ? thinHeight / 2 : row.thin ? thinHeight : compute;
        y = row.bottom();
        previous = &row;
    }
    return y + rowGap;
}

}  // namespace

QStringList deviceSummaries(const Cluster& cluster, const std::vector<int>& devices) {
    if (devices.empty()) return {QString()};
    const auto id = [&](int device) {
        return QString::fromStdString(cluster.devices[static_cast<std::size_t>(device)].id);
    };
    const QString first = id(devices.front()), last = id(devices.back());
    if (devices.size() == 1) return {first};
    const QString count = QStringLiteral(" (×%1)").arg(devices.size());
    if (devices.size() == 2) return {first + ", " + last, first + count};
    return {first + " … " + last + count, first + " … " + last, first + count};
}

QString deviceSummary(const Cluster& cluster, const std::vector<int>& devices) {
    return deviceSummaries(cluster, devices).front();
}

std::vector<LaneRow> laneRows(const PlanRun& run, bool communication) {
    const Timeline& timeline = run.evaluation->timeline;
    std::vector<Placed> placed;
    for (int lane = 0; lane < static_cast<int>(timeline.lanes.size()); ++lane) {
        const Lane& it = timeline.lanes[static_cast<std::size_t>(lane)];
        if (it.kind == LaneKind::compute)
            placed.push_back(computeRow(run, lane));
        else if (communication && it.blockCount() > 0)
            placed.push_back(serviceRow(run, lane));
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& a, const Placed& b) { return a.order < b.order; });
    std::vector<LaneRow> rows;
    for (Placed& it : placed) rows.push_back(std::move(it.row));
    for (std::size_t i = 0; i < rows.size();
         ++i)  // a backward channel without its forward one has its own label
        if (rows[i].half && rows[i].label.isEmpty() && (i == 0 || !rows[i - 1].half)) {
            const Lane& lane = timeline.lanes[static_cast<std::size_t>(rows[i].lane)];
            rows[i].label = QStringLiteral("stage %1 ⇄ %2").arg(lane.fromStage).arg(lane.toStage);
        }
    return rows;
}

int placeRows(std::vector<LaneRow>& rows, int available) {
    int compute = mostCompute;
    int height = placeWith(rows, compute);
    while (height > available && compute > leastCompute) height = placeWith(rows, --compute);
    return height;
}

}  // namespace stagecraft
