#include "views/common/lane_list.h"

#include "core/model/lane_stages.h"
#include "views/common/text.h"

#include <algorithm>
#include <climits>

namespace stagecraft::views::common {

namespace {

const Lane& laneOf(const ShownRun& run, int lane) {
    return run.timeline().lanes[static_cast<std::size_t>(lane)];
}

const Cluster& clusterOf(const ShownRun& run) { return run.cluster(); }

/// Those that compute on the lane's devices, ascending.
std::vector<int> stagesOn(const Plan& plan, const Lane& lane) {
    const auto isOfLane = [&](int device) {
        return std::find(lane.devices.begin(), lane.devices.end(), device) != lane.devices.end();
    };
    std::vector<int> stages;
    for (int s = 0; s < plan.stageCount(); ++s) {
        const std::vector<int>& devices = plan.stages[static_cast<std::size_t>(s)].devices;
        if (std::any_of(devices.begin(), devices.end(), isOfLane)) stages.push_back(s);
    }
    return stages;
}

std::vector<int> counted(std::vector<int> stages, int first) {
    for (int& stage : stages) stage += first;
    return stages;
}

/// "stage 0", "stages 0, 4", "stages 0–15, 20"
QString stageList(const std::vector<int>& stages) {
    constexpr std::size_t leastRun = 3;
    QStringList numbers;
    for (std::size_t begin = 0, end = 0; begin < stages.size(); begin = end) {
        for (end = begin + 1; end < stages.size() && stages[end] == stages[end - 1] + 1;) ++end;
        if (end - begin < leastRun) end = begin + 1;
        numbers << QString::number(stages[begin]) +
                       (end - begin < leastRun ? QString() : u'–' + QString::number(stages[end - 1]));
    }
    return (stages.size() == 1 ? QStringLiteral("stage ") : QStringLiteral("stages ")) + numbers.join(", ");
}

std::vector<StagePair> pairsOf(const ShownRun& run, const Lane& lane) {
    return stagePairs(run.plan(), run.timeline(), lane);
}

/// Whichever way: the channel of the other way is below it.
QString pairsBothWays(const std::vector<StagePair>& pairs) {
    QStringList texts;
    for (const StagePair& pair : pairs) texts << QStringLiteral("%1 ⇄ %2").arg(pair.from).arg(pair.to);
    return texts.join(", ");
}

QString channelPairs(const ShownRun& run, const Lane& lane) {
    const std::vector<StagePair> pairs = pairsOf(run, lane);
    if (pairs.size() == 1 || lane.direction != Direction::both) return pairsBothWays(pairs);
    return QString::fromStdString(stagePairsText(pairs));
}

QString channelName(const ShownRun& run, const Lane& lane) {
    return (pairsOf(run, lane).size() == 1 ? "stage " : "stages ") + channelPairs(run, lane);
}

QString channelDescription(const ShownRun& run, const Lane& lane) {
    const std::vector<StagePair> pairs = pairsOf(run, lane);
    if (pairs.size() > 1) return "transfers " + QString::fromStdString(betweenStages(pairs));
    return QStringLiteral("transfers between stage %1 and stage %2")
        .arg(pairs.front().from)
        .arg(pairs.front().to);
}

QStringList printedChannelNames(const ShownRun& run, const Lane& lane, int firstStage) {
    QStringList ends;
    for (const StagePair& pair : pairsOf(run, lane)) {
        const bool back = pair.direction == Direction::backward;
        const QChar arrow(pair.direction == Direction::both ? 0x2194 : 0x2192);
        ends << stageMark(firstStage + (back ? pair.to : pair.from)) + arrow +
                    stageMark(firstStage + (back ? pair.from : pair.to));
    }
    return {"transfer " + ends.join(", "), ends.join(", ")};
}

QStringList printedComputeNames(const ShownRun& run, const Lane& lane, int firstStage) {
    const QString full = deviceRange(clusterOf(run), lane.devices, false);
    const QString brief = deviceRange(clusterOf(run), lane.devices, true);
    const std::vector<int> stages = counted(stagesOn(run.plan(), lane), firstStage);
    if (stages.empty()) return {full, brief};
    const QString dot = QStringLiteral(" · "), word = stageList(stages);
    const QString counted = lane.devices.size() == 1
                                ? brief + dot + word
                                : QStringLiteral("%1 (%2×)").arg(word).arg(lane.devices.size());
    return {full + dot + word, brief + dot + word, counted, word, stageMarks(stages)};
}

/// Whether gradients are scattered and weights gathered in place of an AllReduce.
bool sharesStates(const ShownRun& run) {
    return run.run() && run.run()->costs->problem().setup.zero != ZeroStage::off;
}
/// Whether there are others than AllReduces of gradients.
bool hasCollectives(const ShownRun& run) {
    return sharesStates(run) || run.plan().schedule.sharesVocabulary();
}

/// As its file calls it, else by its number on its device.
QString streamName(const ShownRun& run, const Lane& lane) {
    if (!lane.name.empty()) return qtText(streamTitle(lane));
    int number = 0;
    for (const Lane& other : run.timeline().lanes) {
        if (&other == &lane) break;
        if (other.kind == LaneKind::stream && other.devices == lane.devices) ++number;
    }
    return QStringLiteral("stream %1").arg(number);
}

QStringList printedNames(const ShownRun& run, const Lane& lane, int firstStage) {
    switch (lane.kind) {
        case LaneKind::compute:
            return printedComputeNames(run, lane, firstStage);
        case LaneKind::channel:
            if (lane.fromStage < 0)
                return {"transfers " + deviceRange(clusterOf(run), lane.devices, true), "transfers"};
            return printedChannelNames(run, lane, firstStage);
        case LaneKind::allReduce: {
            if (lane.fromStage < 0)
                return {"collectives " + deviceRange(clusterOf(run), lane.devices, true), "collectives"};
            const QString served = stageMarks(counted(stagesServed(run.plan(), lane), firstStage));
            if (hasCollectives(run)) return {"collectives " + served, "coll. " + served};
            return {"AllReduce " + served, "AR " + served};
        }
        case LaneKind::hostLink:
            return {"host link " + deviceRange(clusterOf(run), lane.devices, false), "host link"};
        case LaneKind::stream:
            return {deviceRange(clusterOf(run), lane.devices, true) + " · " + streamName(run, lane),
                    streamName(run, lane)};
    }
    return {};
}

QString shownName(const ShownRun& run, const Lane& lane) {
    switch (lane.kind) {
        case LaneKind::compute: {
            const std::vector<int> stages = stagesOn(run.plan(), lane);
            const QString devices = deviceSummary(clusterOf(run), lane.devices);
            return stages.empty() ? devices : devices + " · " + stageList(stages);
        }
        case LaneKind::channel:
            if (lane.fromStage < 0) return "transfers · " + deviceSummary(clusterOf(run), lane.devices);
            return channelName(run, lane);
        case LaneKind::allReduce:
            if (lane.fromStage < 0) return "collectives · " + deviceSummary(clusterOf(run), lane.devices);
            return (hasCollectives(run) ? QStringLiteral("collectives · ") : QStringLiteral("AllReduce · ")) +
                   stageList(stagesServed(run.plan(), lane));
        case LaneKind::hostLink:
            return "host link · " + deviceSummary(clusterOf(run), lane.devices);
        case LaneKind::stream: {
            const int home = run.timeline().computeLaneOf(lane.devices.front());
            const bool alone = home < 0 || laneOf(run, home).blockCount() == 0;
            return (alone ? deviceSummary(clusterOf(run), lane.devices) + " · " : QString()) +
                   streamName(run, lane);
        }
    }
    return {};
}

int kindPlace(LaneKind kind, LaneMedium medium) {
    const bool print = medium == LaneMedium::print;
    switch (kind) {
        case LaneKind::compute:
            return 0;
        case LaneKind::channel:
            return print ? 1 : 3;
        case LaneKind::allReduce:
            return print ? 2 : 1;
        case LaneKind::hostLink:
            return print ? 3 : 2;
        case LaneKind::stream:
            return 4;
    }
    return 0;
}

/// Of a lane that serves `stage`. In print those of one kind are together, whichever stages of a device they
/// serve.
LanePlace servicePlace(const Lane& lane, int index, int home, int stage, LaneMedium medium) {
    const int kind = kindPlace(lane.kind, medium);
    if (medium == LaneMedium::print) return {home, 0, kind, index, 0};
    if (lane.kind != LaneKind::channel) return {home, stage, kind, index, 0};
    return {home, stage, kind, lane.toStage, lane.direction == Direction::backward ? 1 : 0};
}

}  // namespace

std::vector<ListedLane> listedLanes(const ShownRun& run, bool communication, LaneMedium medium,
                                    const StreamChoice& streams) {
    const auto count = static_cast<int>(run.timeline().lanes.size());
    const auto firstStage = [&](const Lane& lane) {
        if (lane.fromStage >= 0) return lane.fromStage;
        const std::vector<int> stages = stagesOn(run.plan(), lane);
        return stages.empty() ? -1 : stages.front();
    };
    std::vector<std::pair<int, int>> homes;  // first stage and lane of those that compute
    for (int i = 0; i < count; ++i)
        if (laneOf(run, i).kind == LaneKind::compute) homes.emplace_back(firstStage(laneOf(run, i)), i);
    std::sort(homes.begin(), homes.end());
    // Of what belongs to a device and not to a stage.
    const auto homeOf = [&](const Lane& lane) {
        const auto own = std::find_if(homes.begin(), homes.end(), [&](const auto& home) {
            return laneOf(run, home.second).devices.front() == lane.devices.front();
        });
        return static_cast<int>(own - homes.begin());
    };
    // Of a device of which streams are known and no passes, they are its rows.
    const auto isStandIn = [&](int lane) {
        if (!streams || !run.recorded() || laneOf(run, lane).blockCount() > 0) return false;
        for (int i = 0; i < count; ++i)
            if (laneOf(run, i).kind == LaneKind::stream && laneOf(run, i).blockCount() > 0 &&
                laneOf(run, i).devices == laneOf(run, lane).devices)
                return true;
        return false;
    };
    std::vector<ListedLane> listed;
    for (int home = 0; home < static_cast<int>(homes.size()); ++home) {
        const auto [stage, lane] = homes[static_cast<std::size_t>(home)];
        if (isStandIn(lane)) continue;
        listed.push_back({lane, true, stage, {home, -1, 0, lane, 0}});
    }
    for (int i = 0; i < count; ++i) {
        const Lane& lane = laneOf(run, i);
        if (lane.kind == LaneKind::compute || lane.blockCount() == 0) continue;
        if (lane.kind == LaneKind::stream) {
            if (streams && streams(i)) listed.push_back({i, false, -1, {homeOf(lane), INT_MAX, 4, i, 0}});
            continue;
        }
        if (!communication) continue;
        // Below the last lane that computes whose stages begin at or before its own.
        const int stage = firstStage(lane);
        if (stage < 0 && run.recorded()) {
            listed.push_back({i, false, -1, servicePlace(lane, i, homeOf(lane), 0, medium)});
            continue;
        }
        const auto after = std::upper_bound(homes.begin(), homes.end(), std::pair(stage, INT_MAX));
        const int home = static_cast<int>(after - homes.begin()) - 1;
        listed.push_back({i, false, -1, servicePlace(lane, i, home, stage, medium)});
    }
    std::stable_sort(listed.begin(), listed.end(),
                     [](const ListedLane& a, const ListedLane& b) { return a.place < b.place; });
    return listed;
}

QStringList laneNames(const ShownRun& run, int lane, LaneMedium medium, int firstStage) {
    return medium == LaneMedium::print ? printedNames(run, laneOf(run, lane), firstStage)
                                       : QStringList(shownName(run, laneOf(run, lane)));
}

QString laneDescription(const ShownRun& run, int index) {
    const Lane& lane = laneOf(run, index);
    const QString devices = allDevices(clusterOf(run), lane.devices);
    switch (lane.kind) {
        case LaneKind::compute:
            if (run.recorded() && stagesOn(run.plan(), lane).empty()) return devices;
            return stageList(stagesOn(run.plan(), lane)) + " on " + devices;
        case LaneKind::channel:
            if (lane.fromStage < 0) return "transfers of " + devices;
            return channelDescription(run, lane) + (lane.direction == Direction::both
                                                        ? ", one at a time"
                                                        : ", forward above, backward below");
        case LaneKind::allReduce:
            if (run.recorded()) return "collectives among " + devices;
            if (run.plan().schedule.sharesVocabulary())
                return "broadcasts and sums for the vocabulary's layers among " + devices;
            return (sharesStates(run) ? "ReduceScatter of gradients and AllGather of weights among "
                                      : "AllReduce of gradients among ") +
                   devices;
        case LaneKind::hostLink:
            return "swapping over the host link of " + devices;
        case LaneKind::stream:
            return streamName(run, lane) + " of " + devices + ": what ran there";
    }
    return {};
}

QString laneKey(const ShownRun& run, int index) {
    const Lane& lane = laneOf(run, index);
    if (lane.kind == LaneKind::channel && lane.fromStage >= 0)
        return pairsOf(run, lane).size() == 1
                   ? QStringLiteral("channel %1 %2").arg(lane.fromStage).arg(lane.toStage)
                   : "channel " + channelPairs(run, lane);
    QStringList ids;
    for (const int device : lane.devices)
        ids << QString::fromStdString(clusterOf(run).devices[static_cast<std::size_t>(device)].id);
    const char* kind = lane.kind == LaneKind::compute     ? ""
                       : lane.kind == LaneKind::allReduce ? "AllReduce "
                       : lane.kind == LaneKind::hostLink  ? "host link "
                                                          : "transfers ";
    if (lane.kind == LaneKind::stream) return streamName(run, lane) + ' ' + ids.join('+');
    return QLatin1String(kind) + ids.join('+');
}

int laneOfNote(const ShownRun& run, const ChartNote& note) {
    const int device = note.device.empty() ? -1 : clusterOf(run).deviceIndex(note.device);
    return device < 0 ? -1 : run.timeline().computeLaneOf(device);
}

bool joinSameStages(const ShownRun& run, int channel, int other) {
    return pairsBothWays(pairsOf(run, laneOf(run, channel))) ==
           pairsBothWays(pairsOf(run, laneOf(run, other)));
}

}  // namespace stagecraft::views::common
