#include "views/figures/schedule_lanes.h"

#include "core/model/lane_stages.h"
#include "views/common/stage_mark.h"
#include "views/figures/cut_in_middle.h"
#include "views/figures/figure.h"

#include <algorithm>
#include <climits>

namespace stagecraft {
namespace {

const QString enDash = QChar(0x2013);

bool share(const std::vector<int>& a, const std::vector<int>& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](int d) { return std::find(b.begin(), b.end(), d) != b.end(); });
}

std::vector<int> stagesOn(const Plan& plan, const std::vector<int>& devices) {
    std::vector<int> stages;
    for (int s = 0; s < plan.stageCount(); ++s)
        if (share(plan.stages[static_cast<std::size_t>(s)].devices, devices)) stages.push_back(s);
    return stages;
}

QString stageList(const std::vector<int>& stages) {
    QStringList numbers;
    for (const int stage : stages) numbers << QString::number(stage);
    return numbers.join(", ");
}

QString deviceName(const Cluster& cluster, int device) {
    return QString::fromStdString(cluster.devices[static_cast<std::size_t>(device)].id);
}

QString runOfDevices(const Cluster& cluster, int from, int to, bool brief) {
    const QString first = deviceName(cluster, from), last = deviceName(cluster, to);
    if (from == to) return first;
    if (!brief) return first + enDash + last;
    // A number is never cut in two: s0g8 to s0g11 is "s0g8–11", s0g0 to s1g3 is "s0g0–s1g3".
    qsizetype start = 0;
    for (qsizetype i = 0; i < std::min(first.size(), last.size()) && first[i] == last[i]; ++i)
        if (!first[i].isDigit()) start = i + 1;
    const bool numberOnly =
        std::all_of(last.begin() + start, last.end(), [](QChar c) { return c.isDigit(); });
    return first + enDash + (numberOnly ? last.mid(start) : last);
}

/// What a row may be called, longest first.
QStringList wordings(const PlanRun& run, const Lane& lane) {
    const Cluster& cluster = run.costs->problem().cluster;
    const QString dot = QString(" %1 ").arg(QChar(0x00B7));
    switch (lane.kind) {
        case LaneKind::compute: {
            const QString full = deviceRange(cluster, lane.devices, false);
            const QString brief = deviceRange(cluster, lane.devices, true);
            const std::vector<int> stages = stagesOn(run.result.plan, lane.devices);
            if (stages.empty()) return {full, brief};
            const QString word = (stages.size() == 1 ? "stage " : "stages ") + stageList(stages);
            const QString counted =
                lane.devices.size() == 1
                    ? brief + dot + word
                    : QString("%1 (%2%3)").arg(word).arg(lane.devices.size()).arg(QChar(0x00D7));
            return {full + dot + word, brief + dot + word, counted, word, stageMarks(stages)};
        }
        case LaneKind::channel: {
            QStringList ends;
            for (const StagePair& pair : stagePairs(run.result.plan, run.evaluation->timeline, lane)) {
                const bool back = pair.direction == Direction::backward;
                const QChar arrow(pair.direction == Direction::both ? 0x2194 : 0x2192);
                ends << stageMark(back ? pair.to : pair.from) + arrow + stageMark(back ? pair.from : pair.to);
            }
            return {"transfer " + ends.join(", "), ends.join(", ")};
        }
        case LaneKind::allReduce: {
            const QString served = stageMarks(stagesServed(run.result.plan, lane));
            return {"AllReduce " + served, "AR " + served};
        }
        case LaneKind::hostLink:
            return {"host link " + deviceRange(cluster, lane.devices, false), "host link"};
    }
    return {};
}

struct SortKey {
    int home;  ///< position of the compute lane that the row belongs to
    int kind;
    int lane;
    auto operator<=>(const SortKey&) const = default;
};

}  // namespace

QString deviceRange(const Cluster& cluster, std::vector<int> devices, bool brief) {
    std::sort(devices.begin(), devices.end());
    QStringList runs;
    for (std::size_t i = 0; i < devices.size();) {
        std::size_t last = i;
        while (last + 1 < devices.size() && devices[last + 1] == devices[last] + 1) ++last;
        runs << runOfDevices(cluster, devices[i], devices[last], brief);
        i = last + 1;
    }
    return runs.join(", ");
}

std::vector<PrintedLane> printedLanes(const PlanRun& run, bool communication, double labelMm, double fontPt) {
    const Timeline& timeline = run.evaluation->timeline;
    const Plan& plan = run.result.plan;
    const auto lane = [&](int index) -> const Lane& {
        return timeline.lanes[static_cast<std::size_t>(index)];
    };

    const auto homeStage = [&](const Lane& l) {
        if (l.fromStage >= 0) return l.fromStage;
        const std::vector<int> stages = stagesOn(plan, l.devices);
        return stages.empty() ? INT_MAX : stages.front();
    };
    std::vector<std::pair<int, int>> computeLanes;  // lowest stage, lane
    std::vector<std::pair<SortKey, PrintedLane>> rows;
    for (int i = 0; i < static_cast<int>(timeline.lanes.size()); ++i)
        if (lane(i).kind == LaneKind::compute) computeLanes.emplace_back(homeStage(lane(i)), i);
    std::sort(computeLanes.begin(), computeLanes.end());
    for (int i = 0; i < static_cast<int>(computeLanes.size()); ++i)
        rows.push_back(
            {SortKey{i, 0, 0}, PrintedLane{computeLanes[static_cast<std::size_t>(i)].second, {}, true}});
    for (int i = 0; communication && i < static_cast<int>(timeline.lanes.size()); ++i) {
        if (lane(i).kind == LaneKind::compute) continue;
        // Below the last compute lane whose stages begin at or before the row's.
        const auto after = std::upper_bound(computeLanes.begin(), computeLanes.end(),
                                            std::pair(homeStage(lane(i)), INT_MAX));
        const int home = static_cast<int>(after - computeLanes.begin()) - 1;
        rows.push_back({SortKey{home, 1 + static_cast<int>(lane(i).kind), i}, PrintedLane{i, {}, false}});
    }
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

    std::vector<PrintedLane> result;
    for (auto& [key, row] : rows) result.push_back(std::move(row));
    for (const LaneKind kind :
         {LaneKind::compute, LaneKind::channel, LaneKind::allReduce, LaneKind::hostLink}) {
        qsizetype level = 0;  // of wording, the first at which all rows of the kind fit
        for (const PrintedLane& row : result) {
            if (lane(row.lane).kind != kind) continue;
            const QStringList texts = wordings(run, lane(row.lane));
            while (level + 1 < texts.size() && textWidthMm(texts[level], fontPt) > labelMm) ++level;
        }
        for (PrintedLane& row : result) {
            if (lane(row.lane).kind != kind) continue;
            const QStringList texts = wordings(run, lane(row.lane));
            row.label = cutInMiddle(texts[std::min(level, texts.size() - 1)], labelMm, fontPt);
        }
    }
    return result;
}

}  // namespace stagecraft
