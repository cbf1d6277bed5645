#include "views/timeline/lane_rows.h"

#include "core/model/lane_stages.h"

#include <QHash>

#include <algorithm>
#include <tuple>

namespace stagecraft {

namespace {

constexpr int leastCompute = 15;  // as high as a line of text
constexpr int mostCompute = 64;
constexpr int thinHeight = 14;
constexpr int bandHeight = 22;
constexpr int rowGap = 3;
constexpr int pinnedGap = 9;  // with a line in it
constexpr int outOfSight = 1 << 24;

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

/// Where a row stands: what it belongs to (a stage, a lane that computes, a place among the pinned), what it
/// is, then the lane's own place.
struct Placed {
    LaneRow row;
    std::tuple<int, int, int, int> order;
};

std::vector<StagePair> pairsOf(const PlanRun& run, const Lane& lane) {
    return stagePairs(run.result.plan, run.evaluation->timeline, lane);
}

/// Whichever way: the channel of the other way is below it.
QString pairsBothWays(const std::vector<StagePair>& pairs) {
    QStringList texts;
    for (const StagePair& pair : pairs) texts << QStringLiteral("%1 ⇄ %2").arg(pair.from).arg(pair.to);
    return texts.join(", ");
}

QString channelPairs(const PlanRun& run, const Lane& lane) {
    const std::vector<StagePair> pairs = pairsOf(run, lane);
    if (pairs.size() == 1 || lane.direction != Direction::both) return pairsBothWays(pairs);
    return QString::fromStdString(stagePairsText(pairs));
}

QString channelLabel(const PlanRun& run, const Lane& lane) {
    return (pairsOf(run, lane).size() == 1 ? "stage " : "stages ") + channelPairs(run, lane);
}

QString channelTip(const PlanRun& run, const Lane& lane) {
    const std::vector<StagePair> pairs = pairsOf(run, lane);
    if (pairs.size() > 1) return "transfers " + QString::fromStdString(betweenStages(pairs));
    return QStringLiteral("transfers between stage %1 and stage %2")
        .arg(pairs.front().from)
        .arg(pairs.front().to);
}

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
            row.label = lane.direction == Direction::backward ? QString() : channelLabel(run, lane);
            row.toolTip =
                channelTip(run, lane) + (row.half ? ", forward above, backward below" : ", one at a time");
            placed.order = {lane.fromStage, 3, lane.toStage, lane.direction == Direction::backward ? 1 : 0};
            break;
        case LaneKind::allReduce:
            row.label = QStringLiteral("AllReduce · ") + stageList(stagesServed(run.result.plan, lane));
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

/// The second of a pair of channels is below the first and has its label.
bool sharesLabel(const PlanRun& run, const LaneRow& row, const LaneRow& above) {
    if (!above.half || above.pinned != row.pinned) return false;
    const Timeline& timeline = run.evaluation->timeline;
    const Lane& own = timeline.lanes[static_cast<std::size_t>(row.lane)];
    const Lane& other = timeline.lanes[static_cast<std::size_t>(above.lane)];
    return pairsBothWays(pairsOf(run, own)) == pairsBothWays(pairsOf(run, other));
}

/// Ranks rows and hides those of servers that are collapsed.
class LaneSorter {
public:
    LaneSorter(const PlanRun& run, const LaneArrangement& arrangement, const std::vector<double>& busyShares)
        : run_(run), arrangement_(arrangement), home_(run.costs->problem().cluster.devices.size(), 0) {
        const std::vector<Lane>& lanes = run.evaluation->timeline.lanes;
        std::vector<int> compute;
        for (int lane = 0; lane < static_cast<int>(lanes.size()); ++lane) {
            if (lanes[static_cast<std::size_t>(lane)].kind != LaneKind::compute) continue;
            compute.push_back(lane);
            for (const int device : lanes[static_cast<std::size_t>(lane)].devices)
                home_[static_cast<std::size_t>(device)] = lane;
        }
        if (arrangement.order == LaneOrder::busy)
            std::stable_sort(compute.begin(), compute.end(), [&](int a, int b) {
                return busyShares[static_cast<std::size_t>(a)] > busyShares[static_cast<std::size_t>(b)];
            });
        rank_.resize(lanes.size());
        for (std::size_t i = 0; i < compute.size(); ++i)
            rank_[static_cast<std::size_t>(compute[i])] = static_cast<int>(i);
        if (arrangement.collapsed.isEmpty()) return;
        groups_ = laneGroups(run);
        for (const QString& servers : arrangement.collapsed) collapsed_ << servers.split('+');
    }

    bool pin(Placed& placed) const {
        const auto place = arrangement_.pinned.indexOf(laneKey(run_, placed.row.lane));
        if (place < 0) return false;
        placed.row.pinned = true;
        const QString servers = serversOf(run_, placed.row.lane);
        if (!placed.row.label.isEmpty() && !placed.row.label.startsWith(servers))
            placed.row.label = servers + " · " + placed.row.label;
        std::get<0>(placed.order) = static_cast<int>(place) - mostPinned;
        return true;
    }

    void rank(Placed& placed) const {
        if (placed.row.pinned || arrangement_.order == LaneOrder::stage) return;
        const Lane& lane = run_.evaluation->timeline.lanes[static_cast<std::size_t>(placed.row.lane)];
        // A channel is below the stage that sends forward, whichever way it leads.
        const int device =
            lane.kind == LaneKind::channel
                ? run_.result.plan.stages[static_cast<std::size_t>(lane.fromStage)].devices.front()
                : lane.devices.front();
        std::get<0>(placed.order) = rank_[static_cast<std::size_t>(home_[static_cast<std::size_t>(device)])];
    }

    bool isCollapsed(int lane) const {
        if (collapsed_.isEmpty()) return false;
        const QString servers = serversOf(run_, lane);
        const Lane& it = run_.evaluation->timeline.lanes[static_cast<std::size_t>(lane)];
        if (it.kind == LaneKind::compute) return arrangement_.collapsed.contains(servers);
        const QStringList own = servers.split('+', Qt::SkipEmptyParts);
        return !own.isEmpty() &&
               std::any_of(collapsed_.begin(), collapsed_.end(), [&](const QStringList& in) {
                   return std::all_of(own.begin(), own.end(),
                                      [&](const QString& server) { return in.contains(server); });
               });
    }

    /// Where the first of their lanes would be.
    void addBands(std::vector<Placed>& placed) const {
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            const LaneGroup& group = groups_[i];
            if (!arrangement_.collapsed.contains(group.servers)) continue;
            Placed band;
            for (const int lane : group.lanes) {
                Placed own = computeRow(run_, lane);
                rank(own);
                if (lane == group.lanes.front() || own.order < band.order) band.order = own.order;
            }
            band.row.lane = -1;
            band.row.group = static_cast<int>(i);
            band.row.label = QStringLiteral("▸ %1 · %2 GPUs").arg(group.servers).arg(group.devices);
            if (group.devices == 1) band.row.label.chop(1);
            band.row.toolTip = QStringLiteral("How busy the devices of %1 are; a click shows their lanes")
                                   .arg(group.servers);
            placed.push_back(std::move(band));
        }
    }

private:
    static constexpr int mostPinned = 1 << 20;

    const PlanRun& run_;
    const LaneArrangement& arrangement_;
    std::vector<int> home_;  ///< the lane on which a device computes
    std::vector<int> rank_;  ///< by lane, of those that compute
    std::vector<LaneGroup> groups_;
    QList<QStringList> collapsed_;
};

int gapBefore(const LaneRow& row, const LaneRow* previous, int compute) {
    if (!previous) return rowGap;
    if (previous->pinned && !row.pinned) return pinnedGap;
    if (row.half && row.label.isEmpty()) return 0;
    return row.thin || previous->thin ? rowGap : std::clamp(compute / 7, 2, 6);
}

/// Places all rows with compute lanes `compute` pixels high. @return the height of all
int placeWith(std::vector<LaneRow>& rows, int compute) {
    int y = 0;
    const LaneRow* previous = nullptr;
    for (LaneRow& row : rows) {
        row.top = row.place = y + gapBefore(row, previous, compute);
        row.height = row.half         ? thinHeight / 2
                     : row.thin       ? thinHeight
                     : row.group >= 0 ? bandHeight
                                      : compute;
        y = row.bottom();
        previous = &row;
    }
    return y + rowGap;
}

}  // namespace

QString laneKey(const PlanRun& run, int index) {
    const Lane& lane = run.evaluation->timeline.lanes[static_cast<std::size_t>(index)];
    if (lane.kind == LaneKind::channel)
        return pairsOf(run, lane).size() == 1
                   ? QStringLiteral("channel %1 %2").arg(lane.fromStage).arg(lane.toStage)
                   : "channel " + channelPairs(run, lane);
    QStringList ids;
    for (const int device : lane.devices)
        ids << QString::fromStdString(
            run.costs->problem().cluster.devices[static_cast<std::size_t>(device)].id);
    const char* kind = lane.kind == LaneKind::compute     ? ""
                       : lane.kind == LaneKind::allReduce ? "AllReduce "
                                                          : "host link ";
    return QLatin1String(kind) + ids.join('+');
}

QString serversOf(const PlanRun& run, int lane) {
    QStringList servers;
    for (const int device : run.evaluation->timeline.lanes[static_cast<std::size_t>(lane)].devices) {
        const QString server = QString::fromStdString(
            run.costs->problem().cluster.devices[static_cast<std::size_t>(device)].server);
        if (!server.isEmpty() && !servers.contains(server)) servers << server;
    }
    return servers.join('+');
}

std::vector<LaneGroup> laneGroups(const PlanRun& run) {
    std::vector<LaneGroup> groups;
    const std::vector<Lane>& lanes = run.evaluation->timeline.lanes;
    QHash<QString, std::size_t> known;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        if (lanes[lane].kind != LaneKind::compute) continue;
        const QString servers = serversOf(run, static_cast<int>(lane));
        if (servers.isEmpty()) continue;
        const auto found = known.constFind(servers);
        const std::size_t index = found == known.constEnd() ? groups.size() : *found;
        if (index == groups.size()) {
            known.insert(servers, index);
            groups.push_back({servers, {}, 0});
        }
        groups[index].lanes.push_back(static_cast<int>(lane));
        groups[index].devices += static_cast<int>(lanes[lane].devices.size());
    }
    return groups;
}

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

std::vector<LaneRow> laneRows(const PlanRun& run, bool communication, const LaneArrangement& arrangement,
                              const std::vector<double>& busyShares) {
    const Timeline& timeline = run.evaluation->timeline;
    const LaneSorter sorter(run, arrangement, busyShares);
    std::vector<Placed> placed;
    for (int lane = 0; lane < static_cast<int>(timeline.lanes.size()); ++lane) {
        const Lane& it = timeline.lanes[static_cast<std::size_t>(lane)];
        const bool computes = it.kind == LaneKind::compute;
        if (!computes && (!communication || it.blockCount() == 0)) continue;
        Placed row = computes ? computeRow(run, lane) : serviceRow(run, lane);
        if (!sorter.pin(row) && sorter.isCollapsed(lane)) continue;
        sorter.rank(row);
        placed.push_back(std::move(row));
    }
    sorter.addBands(placed);
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& a, const Placed& b) { return a.order < b.order; });
    std::vector<LaneRow> rows;
    for (Placed& it : placed) rows.push_back(std::move(it.row));
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].half && rows[i].label.isEmpty() && (i == 0 || !sharesLabel(run, rows[i], rows[i - 1])))
            rows[i].label = channelLabel(run, timeline.lanes[static_cast<std::size_t>(rows[i].lane)]);
    return rows;
}

int placeRows(std::vector<LaneRow>& rows, int available) {
    int compute = mostCompute;
    int height = placeWith(rows, compute);
    while (height > available && compute > leastCompute) height = placeWith(rows, --compute);
    return height;
}

void keepPinnedInView(std::vector<LaneRow>& rows, int scroll) {
    int edge = 0;  // of what the pinned rows cover
    for (LaneRow& row : rows) {
        row.top = row.place;
        if (row.pinned) {
            row.top += scroll;
            edge = row.bottom() + pinnedGap;
            continue;
        }
        const int covered = edge - row.top;
        if (covered <= 0) continue;
        if (covered >= row.height) {
            row.top = -outOfSight;
        } else {
            row.top = edge;
            row.height -= covered;
        }
    }
}

}  // namespace stagecraft
