#include "views/timeline/lane_rows.h"

#include "views/common/lane_list.h"

#include <QHash>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

namespace {

constexpr int leastCompute = 15;  // as high as a line of text
constexpr int mostCompute = 64;
constexpr int thinHeight = 14;
constexpr int laneBandHeight = 22;
constexpr int rowGap = 3;
constexpr int pinnedGap = 9;  // with a line in it
constexpr int outOfSight = 1 << 24;

/// A row and where it is.
struct Placed {
    LaneRow row;
    LanePlace place;
};

/// Whether the stream's device has no passes.
bool isAlone(const ShownRun& run, const Lane& stream) {
    const int lane = run.timeline().computeLaneOf(stream.devices.front());
    return lane < 0 || run.timeline().lanes[static_cast<std::size_t>(lane)].blockCount() == 0;
}

/// Which streams have a row: those that a person opened, all while `all`, and those that are alone.
StreamChoice streamsShown(const ShownRun& run, const LaneArrangement& arrangement, bool all) {
    return [&run, &arrangement, all](int index) {
        const Lane& lane = run.timeline().lanes[static_cast<std::size_t>(index)];
        if (all || isAlone(run, lane)) return true;
        const int home = run.timeline().computeLaneOf(lane.devices.front());
        return arrangement.opened.contains(laneKey(run, home));
    };
}

Placed rowOf(const ShownRun& run, const ListedLane& listed) {
    const Lane& lane = run.timeline().lanes[static_cast<std::size_t>(listed.lane)];
    Placed placed{{}, listed.place};
    LaneRow& row = placed.row;
    row.lane = listed.lane;
    row.stage = listed.stage;
    // A stream is all that is known of a device whose passes are not.
    row.thin = !listed.computes && !(lane.kind == LaneKind::stream && isAlone(run, lane));
    row.half = lane.kind == LaneKind::channel && lane.direction != Direction::both;
    if (!row.half || lane.direction == Direction::forward)
        row.label = laneNames(run, listed.lane, LaneMedium::screen).front();
    row.toolTip = laneDescription(run, listed.lane);
    return placed;
}

/// The second of a pair of channels is below the first and has its label.
bool sharesLabel(const ShownRun& run, const LaneRow& row, const LaneRow& above) {
    return above.half && above.pinned == row.pinned && joinSameStages(run, row.lane, above.lane);
}

/// Ranks rows and hides those of servers that are collapsed.
class LaneSorter {
public:
    LaneSorter(const ShownRun& run, const LaneArrangement& arrangement, const std::vector<double>& busyShares)
        : run_(run), arrangement_(arrangement), home_(run.cluster().devices.size(), 0) {
        const std::vector<Lane>& lanes = run.timeline().lanes;
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
        placed.place.home = static_cast<int>(place) - mostPinned;
        return true;
    }

    LanePlace ranked(const ListedLane& listed) const {
        LanePlace place = listed.place;
        if (arrangement_.order == LaneOrder::stage) return place;
        const Lane& lane = run_.timeline().lanes[static_cast<std::size_t>(listed.lane)];
        // A channel is below the stage that sends forward, whichever way it leads.
        const int device = lane.kind == LaneKind::channel && lane.fromStage >= 0
                               ? run_.plan().stages[static_cast<std::size_t>(lane.fromStage)].devices.front()
                               : lane.devices.front();
        place.home = rank_[static_cast<std::size_t>(home_[static_cast<std::size_t>(device)])];
        if (lane.kind != LaneKind::stream) place.stage = std::min(place.stage, 0);
        return place;
    }

    bool isCollapsed(int lane) const {
        if (collapsed_.isEmpty()) return false;
        const QString servers = serversOf(run_, lane);
        const Lane& it = run_.timeline().lanes[static_cast<std::size_t>(lane)];
        if (it.kind == LaneKind::compute) return arrangement_.collapsed.contains(servers);
        const QStringList own = servers.split('+', Qt::SkipEmptyParts);
        return !own.isEmpty() &&
               std::any_of(collapsed_.begin(), collapsed_.end(), [&](const QStringList& in) {
                   return std::all_of(own.begin(), own.end(),
                                      [&](const QString& server) { return in.contains(server); });
               });
    }

    /// Where the first of their lanes would be.
    /// @param listed all lanes
    void addBands(std::vector<Placed>& placed, const std::vector<ListedLane>& listed) const {
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            const LaneGroup& group = groups_[i];
            if (!arrangement_.collapsed.contains(group.servers)) continue;
            std::vector<LanePlace> places;
            for (const ListedLane& lane : listed)
                if (std::count(group.lanes.begin(), group.lanes.end(), lane.lane) > 0)
                    places.push_back(ranked(lane));
            Placed band{{}, *std::min_element(places.begin(), places.end())};
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

    const ShownRun run_;
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
                     : row.group >= 0 ? laneBandHeight
                                      : compute;
        y = row.bottom();
        previous = &row;
    }
    return y + rowGap;
}

/// How high a row is among others, of which one that computes is 1.
double heightShare(const LaneRow& row) {
    constexpr double thinShare = 0.36, bandShare = 0.6;
    return row.half ? thinShare / 2 : row.thin ? thinShare : row.group >= 0 ? bandShare : 1;
}

double gapShare(const LaneRow& row, const LaneRow* previous) {
    constexpr double share = 0.14;
    return !previous || (row.half && row.label.isEmpty()) ? 0 : share;
}

}  // namespace

QString serversOf(const ShownRun& run, int lane) {
    QStringList servers;
    for (const int device : run.timeline().lanes[static_cast<std::size_t>(lane)].devices) {
        const QString server =
            QString::fromStdString(run.cluster().devices[static_cast<std::size_t>(device)].server);
        if (!server.isEmpty() && !servers.contains(server)) servers << server;
    }
    return servers.join('+');
}

std::vector<LaneGroup> laneGroups(const ShownRun& run) {
    std::vector<LaneGroup> groups;
    const std::vector<Lane>& lanes = run.timeline().lanes;
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

std::vector<LaneRow> laneRows(const ShownRun& run, bool communication, const LaneArrangement& arrangement,
                              const std::vector<double>& busyShares, bool allStreams) {
    const LaneSorter sorter(run, arrangement, busyShares);
    const std::vector<ListedLane> listed =
        listedLanes(run, communication, LaneMedium::screen, streamsShown(run, arrangement, allStreams));
    std::vector<Placed> placed;
    for (const ListedLane& lane : listed) {
        Placed row = rowOf(run, lane);
        if (!sorter.pin(row)) {
            if (sorter.isCollapsed(lane.lane)) continue;
            row.place = sorter.ranked(lane);
        }
        placed.push_back(std::move(row));
    }
    sorter.addBands(placed, listed);
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& a, const Placed& b) { return a.place < b.place; });
    std::vector<LaneRow> rows;
    for (Placed& it : placed) rows.push_back(std::move(it.row));
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].half && rows[i].label.isEmpty() && (i == 0 || !sharesLabel(run, rows[i], rows[i - 1])))
            rows[i].label = laneNames(run, rows[i].lane, LaneMedium::screen).front();
    return rows;
}

int placeRows(std::vector<LaneRow>& rows, int available) {
    int compute = mostCompute;
    int height = placeWith(rows, compute);
    while (height > available && compute > leastCompute) height = placeWith(rows, --compute);
    return height;
}

void fillWithRows(std::vector<LaneRow>& rows, int available) {
    double shares = 0;
    const LaneRow* previous = nullptr;
    for (const LaneRow& row : rows) {
        shares += gapShare(row, previous) + heightShare(row);
        previous = &row;
    }
    double y = 0;
    previous = nullptr;
    for (LaneRow& row : rows) {
        y += gapShare(row, previous) * available / shares;
        row.top = row.place = static_cast<int>(std::lround(y));
        y += heightShare(row) * available / shares;
        row.height = std::max(1, static_cast<int>(std::lround(y)) - row.top);
        previous = &row;
    }
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

}  // namespace stagecraft::views::timeline
