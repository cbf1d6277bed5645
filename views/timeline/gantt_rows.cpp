#include "views/timeline/gantt_rows.h"

#include "views/common/job.h"

#include "core/base/units.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace stagecraft::views::timeline {

namespace {
/// Below this many blocks the bands of servers are ready before a frame is lost.
constexpr std::uint32_t bandedAtOnce = 100'000;

/// In whole percent; what is busy at all is not called 0 %.
QString shownShare(double share) {
    const int whole = qRound(100 * share);
    return share > 0 && whole == 0 ? QStringLiteral("<1 %") : QStringLiteral("%1 %").arg(whole);
}

/// Of a recording whose first iterations warm up, what comes after them: figures leave them out too.
std::optional<std::pair<double, double>> warmedUp(const ChartData& data) {
    if (!data.recorded) return std::nullopt;
    const std::vector<RecordedIteration>& iterations = data.recorded->recording->iterations;
    const auto first = std::ranges::find(iterations, false, &RecordedIteration::warmsUp);
    if (first == iterations.begin() || first == iterations.end()) return std::nullopt;
    return std::pair(first->startS, iterations.back().endS);
}
}  // namespace

GanttRows::GanttRows(GanttScene& scene, QObject* parent) : QObject(parent), scene_(scene) {}

void GanttRows::reset() {
    busyShares_.clear();
    groups_.clear();
    allStreams_ = false;
    rebuild();
}

void GanttRows::setArrangement(const LaneArrangement& arrangement) {
    arrangement_ = arrangement;
    rebuild();
}

bool GanttRows::followZoom(double spanS) {
    const double readableS = scene_.data ? scene_.data->readableStreamsS : 0;
    // Where a person zooms to and fro, rows do not come and go.
    const bool all = spanS < (allStreams_ ? 2 : 1) * readableS;
    if (all == allStreams_) return false;
    allStreams_ = all;
    rebuild();
    return true;
}

void GanttRows::rebuild() {
    scene_.rows.clear();
    scene_.rowOfLane.clear();
    if (!scene_.data) return;
    if (arrangement_.order == LaneOrder::busy && busyShares_.empty()) findBusyShares();
    if (groups_.empty() && !arrangement_.collapsed.isEmpty()) groups_ = laneGroups(scene_.data->shown());
    auto rows = laneRows(scene_.data->shown(), scene_.communication, arrangement_, busyShares_, allStreams_);
    if (scene_.hidesRest()) keepHits(rows);
    scene_.setRows(std::move(rows));
    writeShares();
    prepareCurves();
}

bool GanttRows::hasHits(const LaneRow& row) const {
    if (row.lane >= 0) return scene_.hits->inLane(row.lane);
    const std::vector<int>& lanes = groups_[static_cast<std::size_t>(row.group)].lanes;
    return std::any_of(lanes.begin(), lanes.end(), [this](int lane) { return scene_.hits->inLane(lane); });
}

/// The two directions of a channel have one name and stay together.
void GanttRows::keepHits(std::vector<LaneRow>& rows) const {
    std::vector<LaneRow> kept;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool paired =
            rows[i].half && i + 1 < rows.size() && rows[i + 1].half && rows[i + 1].label.isEmpty();
        const bool found = hasHits(rows[i]) || (paired && hasHits(rows[i + 1]));
        if (found) kept.push_back(rows[i]);
        if (!paired) continue;
        ++i;
        if (found) kept.push_back(rows[i]);
    }
    rows = std::move(kept);
}

void GanttRows::findBusyShares() {
    const auto [fromS, toS] = unmarkedRange();
    std::vector<float> shares;
    for (std::size_t lane = 0; lane < scene_.timeline().lanes.size(); ++lane) {
        scene_.data->busy.columnShares(scene_.timeline(), static_cast<int>(lane), fromS, toS - fromS, 1,
                                       shares);
        double busy = 0;
        for (const float share : shares) busy += static_cast<double>(share);
        busyShares_.push_back(busy);
    }
}

void GanttRows::showShares(std::optional<std::pair<double, double>> marked) {
    shares_ = true;
    marked_ = marked;
    if (scene_.data) writeShares();
}

std::pair<double, double> GanttRows::sharedRange() const { return marked_.value_or(unmarkedRange()); }

std::pair<double, double> GanttRows::unmarkedRange() const {
    if (const auto& steady = scene_.data->steady) return {steady->fromS, steady->toS};
    return warmedUp(*scene_.data).value_or(std::pair(0.0, scene_.data->endS));
}

QString GanttRows::shareHeading() const {
    if (!shares_ || !scene_.data) return {};
    return marked_                  ? QStringLiteral("busy in the range")
           : scene_.data->steady    ? (scene_.data->steady->repeats ? QStringLiteral("busy, steady state")
                                                                    : QStringLiteral("busy, later half"))
           : warmedUp(*scene_.data) ? QStringLiteral("busy after warm-up")
                                    : QStringLiteral("busy");
}

void GanttRows::writeShares() {
    if (!shares_) return;
    const auto [fromS, toS] = sharedRange();
    if (!(fromS < toS)) return;
    std::vector<float> shares;
    for (LaneRow& row : scene_.rows) {
        if (row.lane < 0 || row.thin) continue;
        scene_.data->busy.columnShares(scene_.timeline(), row.lane, fromS, toS - fromS, 1, shares);
        const double busy = std::accumulate(shares.begin(), shares.end(), 0.0);
        row.share = shownShare(busy);
        const auto exact = QString::fromStdString(formatPercent(busy));
        row.shareTip =
            QStringLiteral("Busy %1 of the %2")
                .arg(exact, marked_                  ? QStringLiteral("marked range")
                            : scene_.data->steady    ? (scene_.data->steady->repeats
                                                            ? QStringLiteral("steady state")
                                                            : QStringLiteral("later half; nothing repeats yet"))
                            : warmedUp(*scene_.data) ? QStringLiteral("iterations after the warm-up")
                                                     : QStringLiteral("whole run"));
    }
}

/// Bands that are shown for the first time need their curve; it stays.
void GanttRows::prepareCurves() {
    if (arrangement_.collapsed.isEmpty()) return;
    scene_.groupCurves.resize(groups_.size());
    for (const LaneRow& row : scene_.rows) {
        if (row.group < 0 || scene_.groupCurves[static_cast<std::size_t>(row.group)]) continue;
        const auto group = static_cast<std::size_t>(row.group);
        const auto prepare = [data = scene_.data, lanes = groups_[group].lanes] {
            return std::make_shared<const BusyCurve>(data->timeline(), lanes);
        };
        if (scene_.timeline().blockCount() <= bandedAtOnce) {
            scene_.groupCurves[group] = prepare();
            continue;
        }
        Job::once(this)->start(prepare,
                               [this, group, data = scene_.data](std::shared_ptr<const BusyCurve> curve) {
                                   if (scene_.data != data) return;
                                   scene_.groupCurves[group] = std::move(curve);
                                   nameShares();
                               });
    }
    nameShares();
}

/// The share of the time after the names of bands.
void GanttRows::nameShares() {
    for (LaneRow& row : scene_.rows) {
        if (row.group < 0) continue;
        const auto& curve = scene_.groupCurves[static_cast<std::size_t>(row.group)];
        if (!curve || row.label.endsWith('%')) continue;
        row.label +=
            QStringLiteral(" · %1").arg(shownShare(curve->share(sharedRange().first, sharedRange().second)));
    }
    emit sharesKnown();
}

const LaneGroup* GanttRows::groupOf(int index) const {
    const int group = index < 0 ? -1 : scene_.rows[static_cast<std::size_t>(index)].group;
    return group < 0 ? nullptr : &groups_[static_cast<std::size_t>(group)];
}

QString GanttRows::shareText(int index, double t0S, double t1S) const {
    const auto& curve =
        scene_.groupCurves[static_cast<std::size_t>(scene_.rows[static_cast<std::size_t>(index)].group)];
    if (!curve) return {};
    const LaneGroup& group = *groupOf(index);
    const auto [fromS, toS] = sharedRange();
    const QString where = marked_ ? QStringLiteral("in the marked range")
                          : scene_.data->steady
                              ? (scene_.data->steady->repeats ? QStringLiteral("in the steady state")
                                                              : QStringLiteral("in the later half"))
                          : warmedUp(*scene_.data) ? QStringLiteral("after the warm-up")
                                                   : QStringLiteral("over all");
    return QStringLiteral("<b>%1</b><br>%2 of the time of its %3 lanes is busy here<br>%4 %5")
        .arg(group.servers.toHtmlEscaped(), QString::fromStdString(formatPercent(curve->share(t0S, t1S))))
        .arg(group.lanes.size())
        .arg(QString::fromStdString(formatPercent(curve->share(fromS, toS))), where);
}

}  // namespace stagecraft::views::timeline
