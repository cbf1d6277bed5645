#include "views/play/play_data.h"

#include "core/analysis/packet_routes.h"
#include "core/cost/stage_layout.h"
#include "views/topology/link_tracks.h"

#include <QLineF>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace stagecraft::views::play {

namespace {
// Of a host's sign, in scene units.
constexpr double hostWidth = 46, hostHeight = 20, hostMargin = 6;
/// A limit of at most so many times what is used is within the scale.
constexpr double limitNear = 1.3;
}  // namespace

PacketTrack::PacketTrack(QPolygonF line, int fromDevice) : line_(std::move(line)), fromDevice_(fromDevice) {
    double length = 0;
    for (qsizetype i = 0; i < line_.size(); ++i) {
        if (i > 0) length += QLineF(line_[i - 1], line_[i]).length();
        lengths_.push_back(length);
    }
}

QPointF PacketTrack::at(double part) const {
    const double way = std::clamp(part, 0.0, 1.0) * lengths_.back();
    const auto after = std::upper_bound(lengths_.begin(), lengths_.end(), way);
    if (after == lengths_.end()) return line_.back();
    const auto next = static_cast<std::size_t>(after - lengths_.begin());
    if (next == 0) return line_.front();
    const double piece = lengths_[next] - lengths_[next - 1];
    return QLineF(line_[static_cast<qsizetype>(next) - 1], line_[static_cast<qsizetype>(next)])
        .pointAt((way - lengths_[next - 1]) / piece);
}

PlayData::PlayData(std::shared_ptr<const PlanRun> planRun, const std::stop_token& stop)
    : run(std::move(planRun)),
      chart(std::make_shared<const ChartData>(run)),
      // Each GPU lights up by itself.
      scene(std::make_shared<TopologyScene>(run->costs->problem().cluster, nullptr, std::set<std::string>{},
                                            FoldChoice{.folds = false})),
      playback(run->evaluation->timeline, run->evaluation->memory),
      graph(run->evaluation->graph, run->evaluation->timeline),
      tracks(run->evaluation->timeline.lanes.size()) {
    double leastLimit = 0;
    for (const MemoryCurve& curve : run->evaluation->memory) {
        const double limit = curve.limitBytes, peak = curve.peakBytes();
        limitBytes.push_back(limit);
        fullBytes = std::max(fullBytes, peak);
        if (limit > 0 && peak > 0 && (leastLimit == 0 || limit < leastLimit)) leastLimit = limit;
    }
    if (leastLimit <= limitNear * fullBytes) fullBytes = std::max(fullBytes, leastLimit);
    hosts.resize(scene->layout().servers.size());
    const LinkTracks lines(*scene);
    Routes routes(run->costs->interconnect());
    for (std::size_t lane = 0; lane < tracks.size() && !stop.stop_requested(); ++lane) {
        const Lane& it = run->evaluation->timeline.lanes[lane];
        if (it.blockCount() == 0) continue;
        if (it.kind == LaneKind::hostLink) addHostTracks(lane);
        for (const PacketRoute& route : packetRoutes(routes, run->result.plan, it))
            if (QPolygonF line = lines.along(route.from, route.links); line.size() > 1)
                tracks[lane].emplace_back(std::move(line), route.from);
    }
    if (chart->inside.any() && !stop.stop_requested()) addInsideTracks(routes, lines);
}

void PlayData::addInsideTracks(Routes& routes, const LinkTracks& lines) {
    const Plan& plan = run->result.plan;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const Stage& own = plan.stages[static_cast<std::size_t>(stage)];
        const StageLayout layout(own);
        const InsideSends sends =
            run->costs->insideSends(own, layout.ranksOf(0), own.firstLayer, own.lastLayer);
        const auto add = [&](InsideKind kind, const std::vector<std::vector<int>>& lists,
                             CollectiveAlgorithm by, bool severalRings) {
            std::set<std::tuple<int, int, int>> seen;
            for (const std::vector<int>& ranks : lists)
                for (const RankHop& hop :
                     collectiveHops(by, ranks, run->costs->interconnect(), severalRings, 1)) {
                    if (!seen.emplace(hop.from, hop.to, hop.way).second) continue;
                    QPolygonF line =
                        lines.along(hop.from, linksOf(routes.onceBetween(hop.from, hop.to, hop.way)));
                    if (line.size() > 1) insideTracks[{stage, kind}].emplace_back(std::move(line), hop.from);
                }
        };
        const InsideSend& tensor = sends.tensor;
        add(InsideKind::tensor, layout.tensorRings(),
            tensor.forwardBytes > 0 ? tensor.forwardBy : tensor.backwardBy, tensor.severalRings);
        add(InsideKind::context, layout.contextRings(), CollectiveAlgorithm::ring, false);
        // From each to each would be too many to follow.
        add(InsideKind::expert, layout.expertGroups(), CollectiveAlgorithm::ring, false);
    }
}

std::optional<PlayData::Sending> PlayData::sendingIn(std::uint32_t block, double timeS) const {
    const double at = playback.progress(block, timeS);
    const Timeline& timeline = chart->timeline();
    for (const InsideStep& step : chart->inside.of(timeline, block)) {
        if (step.kind == InsideKind::computing || at < step.from || at >= step.to) continue;
        const auto found = insideTracks.find({timeline.stage[block], step.kind});
        if (found == insideTracks.end()) return std::nullopt;
        return Sending{&found->second, (at - step.from) / (step.to - step.from)};
    }
    return std::nullopt;
}

/// Clusters have no hosts as things of their own: one is in the strip with its server's name, at the
/// right.
void PlayData::addHostTracks(std::size_t lane) {
    const TopologyLayout& layout = scene->layout();
    for (const int device : run->evaluation->timeline.lanes[lane].devices) {
        const auto server = static_cast<std::size_t>(layout.serverOfDevice[static_cast<std::size_t>(device)]);
        const QRectF& box = layout.servers[server].box;
        hosts[server] = QRectF(box.right() - hostMargin - hostWidth,
                               box.top() + (serverHeader - hostHeight) / 2, hostWidth, hostHeight);
        const QPointF from = layout.devices[static_cast<std::size_t>(device)].center();
        tracks[lane].emplace_back(QPolygonF({from, hosts[server].center()}), device);
    }
}

}  // namespace stagecraft::views::play
