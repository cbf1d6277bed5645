#include "core/analysis/link_curves.h"

#include "core/base/indices.h"
#include "core/simulation/transfer_edges.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace stagecraft::analysis {

namespace {

using WayKey = std::tuple<bool, int, bool>;  ///< host link?, link or device, back

/// What one block of a lane sends where.
class SourceFinder {
public:
    SourceFinder(const CostModel& costs, const Plan& plan, const Timeline& timeline)
        : costs_(costs),
          cluster_(costs.problem().cluster),
          plan_(plan),
          timeline_(timeline),
          edges_(costs, plan),
          groups_(costs.allReduceGroups(plan)) {}

    std::map<WayKey, std::vector<LoadSource>> find() {
        for (int lane = 0; lane < static_cast<int>(timeline_.lanes.size()); ++lane) addLane(lane);
        return std::move(sources_);
    }

private:
    void addLane(int index) {
        const Lane& lane = timeline_.lanes[at(index)];
        if (lane.kind == LaneKind::compute) return;
        std::set<std::pair<BlockKind, int>> seen;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            const std::pair source(timeline_.kind[block], timeline_.stage[block]);
            if (loadKindOf(source.first) < 0 || timeline_.durationS(block) <= 0) continue;
            if (!seen.insert(source).second) continue;
            std::map<WayKey, double> bytes;
            switch (source.first) {
                case BlockKind::allReduce:
                    sendAllReduce(source.second, bytes);
                    break;
                case BlockKind::swapOut:
                case BlockKind::swapIn:
                    swap(lane, source.second, bytes);
                    break;
                default:
                    sendTransfer(lane, source.second, source.first == BlockKind::transferBackward, bytes);
            }
            for (const auto& [way, amount] : bytes)
                sources_[way].push_back({index, source.first, source.second, amount});
        }
    }

    void sendTransfer(const Lane& lane, int sender, bool gradient, std::map<WayKey, double>& bytes) {
        const StageEdge* edge = edges_.of(lane, sender, gradient);
        if (!edge) return;
        const std::vector<int> from = edges_.devicesOn(gradient ? edge->to : edge->from, lane);
        const std::vector<int> to = edges_.devicesOn(gradient ? edge->from : edge->to, lane);
        const double each = (gradient ? edge->backwardBytes : edge->forwardBytes) /
                            static_cast<double>(from.size() * to.size());
        for (const int a : from)
            for (const int b : to) send(a, b, each, bytes);
    }

    void sendAllReduce(int stage, std::map<WayKey, double>& bytes) {
        for (const AllReduceGroup& group : groups_)
            if (group.stages.front() == stage)
                for (std::size_t position = 0; position < group.devices.size(); ++position)
                    send(group.devices[position], group.devices[(position + 1) % group.devices.size()],
                         group.bytesPerDevice, bytes);
    }

    void swap(const Lane& lane, int stage, std::map<WayKey, double>& bytes) {
        const std::vector<int>& devices = plan_.stages[at(stage)].devices;
        for (std::size_t replica = 0; replica < devices.size(); ++replica)
            if (std::find(lane.devices.begin(), lane.devices.end(), devices[replica]) != lane.devices.end())
                bytes[{true, devices[replica], false}] +=
                    costs_.stage(plan_, stage, static_cast<int>(replica)).swapBytes;
    }

    void send(int from, int to, double amount, std::map<WayKey, double>& bytes) {
        if (from == to || amount == 0) return;
        const auto [path, isNew] = paths_.try_emplace({from, to});
        if (isNew) path->second = costs_.interconnect().path(from, to);
        std::string node = cluster_.devices[at(from)].id;
        for (const int index : path->second) {
            const Link& link = cluster_.links[at(index)];
            const bool back = link.a != node;
            bytes[{false, index, back}] += amount;
            node = back ? link.a : link.b;
        }
    }

    const CostModel& costs_;
    const Cluster& cluster_;
    const Plan& plan_;
    const Timeline& timeline_;
    TransferEdges edges_;
    std::vector<AllReduceGroup> groups_;
    std::map<std::pair<int, int>, std::vector<int>> paths_;
    std::map<WayKey, std::vector<LoadSource>> sources_;
};

}  // namespace

int loadKindOf(BlockKind kind) {
    const auto found = std::find(loadKinds.begin(), loadKinds.end(), kind);
    return found == loadKinds.end() ? -1 : static_cast<int>(found - loadKinds.begin());
}

std::pair<std::string, std::string> endsOf(const Cluster& cluster, const LinkWay& way) {
    if (way.device >= 0) return {"host", cluster.devices[at(way.device)].id};
    const Link& link = cluster.links[at(way.link)];
    return way.back ? std::pair(link.b, link.a) : std::pair(link.a, link.b);
}

std::string nameOf(const Cluster& cluster, const LinkWay& way) {
    const auto [from, to] = endsOf(cluster, way);
    return way.device >= 0 ? "host of " + to : from + " \u2192 " + to;
}

bool LinkUse::carries(const Timeline& timeline, int lane, std::uint32_t block) const {
    return std::any_of(sources.begin(), sources.end(), [&](const LoadSource& source) {
        return source.lane == lane && source.kind == timeline.kind[block] &&
               source.stage == timeline.stage[block];
    });
}

std::vector<LinkUse> linkUses(const CostModel& costs, const Plan& plan, const Timeline& timeline) {
    const Cluster& cluster = costs.problem().cluster;
    std::vector<LinkUse> uses;
    for (auto& [key, sources] : SourceFinder(costs, plan, timeline).find()) {
        const auto [host, index, back] = key;
        LinkWay way;
        (host ? way.device : way.link) = index;
        way.back = back;
        way.bandwidthBps =
            host ? cluster.devices[at(index)].hostBandwidthBps : cluster.links[at(index)].bandwidthBps;
        const auto same = std::find_if(
            uses.begin(), uses.end(), [&way, host = host, &sources = sources](const LinkUse& use) {
                return use.bandwidthBps() == way.bandwidthBps && (use.ways.front().device >= 0) == host &&
                       use.sources == sources;
            });
        if (same != uses.end())
            same->ways.push_back(way);
        else
            uses.push_back({{way}, std::move(sources)});
    }
    return uses;
}

double LoadCurve::totalAt(std::size_t step) const {
    double total = 0;
    for (const std::vector<double>& series : bps) total += series[step];
    return total;
}

std::size_t LoadCurve::stepAt(double instantS) const {
    const auto after = std::upper_bound(timeS.begin(), timeS.end(), instantS);
    return after == timeS.begin() ? 0 : static_cast<std::size_t>(after - timeS.begin()) - 1;
}

double LoadCurve::peakBps() const {
    double peak = 0;
    for (std::size_t step = 0; step < timeS.size(); ++step) peak = std::max(peak, totalAt(step));
    return peak;
}

double LoadCurve::bytesOf(std::size_t kind) const {
    double sum = 0;
    for (std::size_t step = 0; step + 1 < timeS.size(); ++step)
        sum += bps[kind][step] * (timeS[step + 1] - timeS[step]);
    return sum;
}

double LoadCurve::bytes() const {
    double sum = 0;
    for (std::size_t kind = 0; kind < loadKindCount; ++kind) sum += bytesOf(kind);
    return sum;
}

LoadCurve loadCurve(const Timeline& timeline, const LinkUse& use) {
    struct Change {
        double atS;
        int kind;
        double bps;
    };
    std::vector<Change> changes;
    for (const LoadSource& source : use.sources) {
        const Lane& lane = timeline.lanes[at(source.lane)];
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            const double durationS = timeline.durationS(block);
            if (timeline.kind[block] != source.kind || timeline.stage[block] != source.stage ||
                durationS <= 0)
                continue;
            const double bps = source.bytes / durationS;
            changes.push_back({timeline.startS[block], loadKindOf(source.kind), bps});
            changes.push_back({timeline.endS[block], loadKindOf(source.kind), -bps});
        }
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.atS < b.atS; });
    LoadCurve curve;
    std::array<double, loadKindCount> level{};
    const auto addStep = [&](double atS) {
        curve.timeS.push_back(atS);
        for (std::size_t kind = 0; kind < loadKindCount; ++kind) curve.bps[kind].push_back(level[kind]);
    };
    if (changes.empty() || changes.front().atS > 0) addStep(0);
    for (std::size_t next = 0; next < changes.size();) {
        const double atS = changes[next].atS;
        for (; next < changes.size() && changes[next].atS == atS; ++next) {
            double& series = level[at(changes[next].kind)];
            series += changes[next].bps;
            if (std::abs(series) < 1e-9 * std::abs(changes[next].bps)) series = 0;  // rounding left over
        }
        addStep(atS);
    }
    return curve;
}

}  // namespace stagecraft::analysis
