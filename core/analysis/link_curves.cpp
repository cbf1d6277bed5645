#include "core/analysis/link_curves.h"

#include "core/analysis/alone_clock.h"
#include "core/analysis/inside_links.h"
#include "core/base/indices.h"
#include "core/cost/exposed_syncs.h"
#include "core/cost/inside_steps.h"
#include "core/cost/routes.h"
#include "core/cost/stage_layout.h"
#include "core/cost/vocabulary_cost.h"
#include "core/simulation/transfer_edges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace stagecraft::analysis {

namespace {

using WayKey = std::tuple<bool, int, bool>;  ///< host link?, link or device, back

/// What one block of a lane sends where.
class SourceFinder {
public:
    SourceFinder(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                 const Timeline& timeline)
        : costs_(costs),
          plan_(plan),
          timeline_(timeline),
          edges_(costs, plan, edges),
          groups_(costs.dataParallelGroups(plan)),
          vocabulary_(vocabularyCost(costs, plan)),
          routes_(costs.interconnect()),
          hidesSyncs_(costs.problem().setup.zeroOverlap > 0),
          sharesLinks_(costs.problem().setup.network == LinkSharing::shared &&
                       !std::holds_alternative<PeriodicSchedule>(plan.schedule.order)) {}

    std::map<WayKey, std::vector<LoadSource>> find() {
        for (int lane = 0; lane < static_cast<int>(timeline_.lanes.size()); ++lane) addLane(lane);
        return std::move(sources_);
    }

private:
    void addLane(int index) {
        const Lane& lane = timeline_.lanes[at(index)];
        addTogether(index);
        if (lane.kind == LaneKind::compute) return addPasses(index);
        std::set<std::pair<BlockKind, int>> seen;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            const std::pair source(timeline_.kind[block], timeline_.stage[block]);
            if (loadKindOf(source.first) < 0 || timeline_.durationS(block) <= 0) continue;
            if (isOfVocabulary(source.first) || !seen.insert(source).second) continue;
            switch (source.first) {
                case BlockKind::allReduce:
                case BlockKind::reduceScatter:
                case BlockKind::allGather:
                    addSyncs(index, source.first, source.second);
                    break;
                case BlockKind::swapOut:
                case BlockKind::swapIn:
                    add({index, source.first, source.second},
                        lane.kind == LaneKind::channel
                            ? evictionOf(source.second, source.first == BlockKind::swapIn)
                            : swapOf(lane, source.second));
                    break;
                default:
                    addTransfers(index, source.second, source.first == BlockKind::transferBackward);
            }
        }
    }

    /// What all who share a vocabulary's layers send to each other: round a ring of each copy's, a broadcast
    /// from the first or the last stage on. On the lane of a stage that is what its devices send themselves.
    void addTogether(int index) {
        const Lane& lane = timeline_.lanes[at(index)];
        std::set<BlockKind> seen;
        for (std::uint32_t block = lane.firstBlock; vocabulary_.isShared() && block < lane.endBlock;
             ++block) {
            const BlockKind kind = timeline_.kind[block];
            if (!isOfVocabulary(kind) || loadKindOf(kind) < 0 || timeline_.durationS(block) <= 0) continue;
            if (!seen.insert(kind).second) continue;
            const int stage = timeline_.stage[block];
            std::map<WayKey, double> bytes;
            for (const RankHop& hop : vocabulary_.hopsOf(kind, plan_.stages[at(stage)].devices))
                if (lane.kind != LaneKind::compute || std::ranges::count(lane.devices, hop.from) > 0)
                    send(hop.from, hop.to, hop.bytes, bytes);
            add({index, kind, stage}, bytes);
        }
    }

    /// What the groups of the lane's stages send inside of passes.
    void addPasses(int index) {
        if (!plan_.dividesLayers() && !hidesSyncs_) return;
        const Lane& lane = timeline_.lanes[at(index)];
        std::set<std::tuple<BlockKind, int, int>> seen;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            LoadSource source{index, timeline_.kind[block], timeline_.stage[block]};
            if (loadKindOf(source.kind) < 0 || timeline_.durationS(block) <= 0) continue;
            if (const PairedBackward* pair = timeline_.pairedWith(block)) source.backwardStage = pair->stage;
            if (!seen.insert({source.kind, source.stage, source.backwardStage}).second) continue;
            std::map<WayKey, double> bytes;
            addHidden(lane, source, bytes);
            if (source.kind == BlockKind::recompute)
                sendInside(lane, source.stage, &InsideHop::recomputeBytes, bytes);
            if (source.kind == BlockKind::forward || source.kind == BlockKind::pair)
                sendInside(lane, source.stage, &InsideHop::forwardBytes, bytes);
            if (source.kind == BlockKind::backward || source.kind == BlockKind::inputGradient)
                sendInside(lane, source.stage, &InsideHop::backwardBytes, bytes);
            if (source.kind == BlockKind::pair)
                sendInside(lane, source.backwardStage, &InsideHop::backwardBytes, bytes);
            if (sharesLinks_ && source.backwardStage < 0)
                addInParts(lane, source, bytes);
            else
                add(source, bytes);
        }
    }

    /// What is sent in steps of the pass goes then; what computing hides is spread over it with all else.
    /// @param all bytes of the source, by way
    void addInParts(const Lane& lane, LoadSource source, const std::map<WayKey, double>& all) {
        std::map<WayKey, std::vector<SentPart>> parts;
        for (const InsideStep& step : insideSteps(costs_, plan_, source.stage, source.kind)) {
            if (step.kind == InsideKind::computing) continue;
            std::map<WayKey, double> bytes;
            for (const RankHop& hop : hopsOfStep(costs_, plan_.stages[at(source.stage)], step))
                if (std::ranges::find(lane.devices, hop.from) != lane.devices.end())
                    send(hop.from, hop.to, hop.bytes, bytes, hop.way);
            for (const auto& [way, amount] : bytes)
                parts[way].push_back({step.from, step.to, amount / all.at(way)});
        }
        for (const auto& [way, amount] : all) {
            source.bytes = amount;
            source.parts = nullptr;
            if (const auto own = parts.find(way); own != parts.end()) {
                auto& known = parts_[own->second];
                if (!known) known = std::make_shared<const std::vector<SentPart>>(own->second);
                source.parts = known;
            }
            if (amount > 0) sources_[way].push_back(source);
        }
    }

    /// What the lane's ranks of the stage send for one slice of a microbatch.
    void sendInside(const Lane& lane, int stage, double InsideHop::*sent, std::map<WayKey, double>& bytes) {
        const auto [hops, isNew] = hops_.try_emplace(stage);
        if (isNew) hops->second = insideHops(costs_, plan_, stage);
        for (const InsideHop& hop : hops->second)
            if (std::ranges::find(lane.devices, hop.from) != lane.devices.end())
                send(hop.from, hop.to, hop.*sent / plan_.schedule.slices(), bytes, hop.way);
    }

    void add(LoadSource source, const std::map<WayKey, double>& bytes) {
        for (const auto& [way, amount] : bytes) {
            source.bytes = amount;
            if (amount > 0) sources_[way].push_back(source);
        }
    }

    void addTransfers(int index, int sender, bool gradient) {
        const Lane& lane = timeline_.lanes[at(index)];
        const std::vector<const StageEdge*> edges = edges_.between(lane, sender, gradient);
        std::set<double> lasting;
        for (const StageEdge* edge : edges) {
            double eachS = 0;
            if (edges.size() > 1) {
                eachS = edges_.durationS(*edge, lane, gradient);
                // Those that last equally long are of the same bytes, and one source.
                if (eachS <= 0 || !lasting.insert(eachS).second) continue;
            }
            std::map<WayKey, double> bytes;
            const int from = gradient ? edge->to : edge->from, to = gradient ? edge->from : edge->to;
            const double all = gradient ? edge->backwardBytes : edge->forwardBytes;
            const Stage &sends = plan_.stages[at(from)], &receives = plan_.stages[at(to)];
            const bool inTurn = sends.replication == Replication::roundRobin ||
                                receives.replication == Replication::roundRobin;
            if (!inTurn && (sends.group.dividesLayers() || receives.group.dividesLayers()))
                for (const HandOver& pair : handOvers(sends, receives))
                    send(pair.from, pair.to, pair.share * all, bytes);
            else
                spread(edges_.devicesOn(from, lane), edges_.devicesOn(to, lane), all, bytes);
            add({index, gradient ? BlockKind::transferBackward : BlockKind::transferForward, sender, 0,
                 eachS},
                bytes);
        }
    }

    /// Of a microbatch's activations to the devices of the mirrored stage, or back.
    std::map<WayKey, double> evictionOf(int stage, bool back) {
        std::map<WayKey, double> bytes;
        const Stage &own = plan_.stages[at(stage)], &lender = plan_.stages[at(plan_.mirroredStage(stage))];
        const double all = costs_.keptActivationBytes(plan_, stage) * static_cast<double>(own.devices.size());
        for (const HandOver& pair : evictionPairs(own, lender))
            send(back ? pair.to : pair.from, back ? pair.from : pair.to, pair.share * all, bytes);
        return bytes;
    }

    /// Evenly over the pairs of devices.
    void spread(const std::vector<int>& from, const std::vector<int>& to, double all,
                std::map<WayKey, double>& bytes) {
        const double each = all / static_cast<double>(from.size() * to.size());
        for (const int a : from)
            for (const int b : to) send(a, b, each, bytes);
    }

    /// What is gathered before passes is of each stage of a group, all else of the lowest. Where passes hide
    /// some of it, as much as is sent in the time of a block.
    void addSyncs(int index, BlockKind kind, int stage) {
        for (const DataParallelGroup& group : groups_) {
            if (std::ranges::find(group.stages, stage) == group.stages.end()) continue;
            const ExposedSyncs exposed = exposedSyncs(costs_, plan_, group, stage);
            for (const StateSync& sync : stateSyncs(costs_.problem())) {
                if (sync.kind != kind) continue;
                std::set<double> shares;
                if (sync.trigger == SyncTrigger::beforePass)
                    shares = {exposed.beforeForward, exposed.beforeBackward};
                else
                    shares = {sync.trigger == SyncTrigger::afterBackward ? exposed.afterBackward : 1};
                for (const double share : shares) {
                    const double eachS = shares.size() > 1 ? group.secondsOf(sync) * share : 0;
                    std::map<WayKey, double> bytes;
                    sendSync(group, sync, share, stage, nullptr, bytes);
                    add({index, kind, stage, 0, eachS}, bytes);
                }
            }
        }
    }

    /// @param lane of whose devices what they send is wanted, with that of others than the stage's on the
    /// lane of its first; nullptr: of all
    void sendSync(const DataParallelGroup& group, const StateSync& sync, double share, int stage,
                  const Lane* lane, std::map<WayKey, double>& bytes) {
        const std::vector<int>& own = plan_.stages[at(stage)].devices;
        const auto isOn = [](const std::vector<int>& devices, int device) {
            return std::ranges::find(devices, device) != devices.end();
        };
        for (const RankHop& hop : group.hopsOf(sync, costs_.interconnect()))
            if (!lane || isOn(lane->devices, isOn(own, hop.from) ? hop.from : own.front()))
                send(hop.from, hop.to, share * hop.bytes, bytes, hop.way);
    }

    /// What copies send each other while the passes of such a block compute, spread evenly over them; of a
    /// backward and what is computed again for it, by the time of each.
    void addHidden(const Lane& lane, const LoadSource& source, std::map<WayKey, double>& bytes) {
        if (!hidesSyncs_) return;
        if (source.kind == BlockKind::forward || source.kind == BlockKind::pair)
            sendHidden(lane, source.stage, true, 1, bytes);
        if (source.kind == BlockKind::forward) return;
        const int stage = source.kind == BlockKind::pair ? source.backwardStage : source.stage;
        const StageCost cost = costs_.stage(plan_, stage);
        const double againS = cost.recomputeS,
                     backwardS = cost.backwardS - (plan_.schedule.splits() ? cost.weightGradientS : 0);
        const double part = source.kind == BlockKind::recompute ? againS : backwardS;
        sendHidden(lane, stage, false, part / (againS + backwardS), bytes);
    }
    void sendHidden(const Lane& lane, int stage, bool forward, double part, std::map<WayKey, double>& bytes) {
        for (const DataParallelGroup& group : groups_) {
            if (std::ranges::find(group.stages, stage) == group.stages.end()) continue;
            const ExposedSyncs exposed = exposedSyncs(costs_, plan_, group, stage);
            for (const StateSync& sync : stateSyncs(costs_.problem())) {
                double share = 1;
                if (sync.trigger == SyncTrigger::beforePass)
                    share = forward ? exposed.beforeForward : exposed.beforeBackward;
                if (sync.trigger == SyncTrigger::afterBackward && !forward) share = exposed.afterBackward;
                if (share < 1) sendSync(group, sync, (1 - share) * part, stage, &lane, bytes);
            }
        }
    }

    std::map<WayKey, double> swapOf(const Lane& lane, int stage) const {
        std::map<WayKey, double> bytes;
        const std::vector<int>& devices = plan_.stages[at(stage)].devices;
        for (std::size_t replica = 0; replica < devices.size(); ++replica)
            if (std::find(lane.devices.begin(), lane.devices.end(), devices[replica]) != lane.devices.end())
                bytes[{true, devices[replica], false}] +=
                    costs_.stage(plan_, stage, static_cast<int>(replica)).swapBytes;
        return bytes;
    }

    void send(int from, int to, double amount, std::map<WayKey, double>& bytes, int way = -1) {
        if (from == to || amount == 0) return;
        const std::vector<LinkStep>& route =
            way < 0 ? routes_.between(from, to) : routes_.onceBetween(from, to, way);
        for (const LinkStep& step : route) bytes[{false, step.link, step.back}] += amount;
    }

    const CostModel& costs_;
    const Plan& plan_;
    const Timeline& timeline_;
    TransferEdges edges_;
    std::vector<DataParallelGroup> groups_;
    VocabularyCost vocabulary_;
    Routes routes_;
    const bool hidesSyncs_, sharesLinks_;
    std::map<int, std::vector<InsideHop>> hops_;  ///< by stage
    std::map<std::vector<SentPart>, std::shared_ptr<const std::vector<SentPart>>> parts_;
    std::map<WayKey, std::vector<LoadSource>> sources_;
};

}  // namespace

int loadKindOf(BlockKind kind) {
    const auto found = std::find(loadKinds.begin(), loadKinds.end(), kind);
    return found == loadKinds.end() ? -1 : static_cast<int>(found - loadKinds.begin());
}

std::string loadKindName(std::size_t kind) {
    const std::string name = blockKindName(loadKinds[kind]);
    return passKind(loadKinds[kind]).role == PassRole::computes ? "inside " + name : name;
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

bool LoadSource::operator==(const LoadSource& other) const {
    const auto same = [](const LoadSource& it) {
        return std::tie(it.lane, it.kind, it.stage, it.bytes, it.lastingS, it.backwardStage);
    };
    return same(*this) == same(other) &&
           (parts == other.parts || (parts && other.parts && *parts == *other.parts));
}

bool LoadSource::isOf(const Timeline& timeline, std::uint32_t block) const {
    if (timeline.kind[block] != kind || timeline.stage[block] != stage) return false;
    if (backwardStage >= 0) return timeline.pairedWith(block)->stage == backwardStage;
    constexpr double rounding = 1e-9;
    return lastingS == 0 ||
           std::abs(timeline.aloneS(block) - lastingS) <= rounding * (lastingS + timeline.endS[block]);
}

bool LinkUse::carries(const Timeline& timeline, int lane, std::uint32_t block) const {
    return std::any_of(sources.begin(), sources.end(), [&](const LoadSource& source) {
        return source.lane == lane && source.isOf(timeline, block);
    });
}

std::vector<LinkUse> linkUses(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                              const Timeline& timeline) {
    const Cluster& cluster = costs.problem().cluster;
    std::vector<LinkUse> uses;
    for (auto& [key, sources] : SourceFinder(costs, plan, edges, timeline).find()) {
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

std::vector<std::size_t> shownLoadKinds(const std::vector<LinkUse>& uses) {
    std::vector<std::size_t> shown;
    for (std::size_t kind = 0; kind < loadKindCount; ++kind) {
        const bool isRare = loadKinds[kind] == BlockKind::reduceScatter ||
                            loadKinds[kind] == BlockKind::allGather || isOfVocabulary(loadKinds[kind]) ||
                            passKind(loadKinds[kind]).role == PassRole::computes;
        const auto carries = [kind](const LinkUse& use) {
            return std::ranges::find(use.sources, loadKinds[kind], &LoadSource::kind) != use.sources.end();
        };
        if (!isRare || std::ranges::any_of(uses, carries)) shown.push_back(kind);
    }
    return shown;
}

namespace {

double sentIn(std::span<const Pace> paces) {
    double sent = 0;
    for (const Pace& each : paces) sent += each.rateBps * (each.toS - each.fromS);
    return sent;
}

/// `visit(fromS, toS, bytes per second if alone, speed)` for each time in which the block sends something.
template <typename Visit>
void eachStretch(const Timeline& timeline, const LoadSource& source, std::uint32_t block, Visit visit) {
    const SharedRun* run = timeline.sharedRunOf(block);
    double rest = 1;
    if (source.parts) {
        const AloneClock clock(timeline, block);
        for (const SentPart& part : *source.parts) {
            const double bps = source.bytes * part.share / ((part.to - part.from) * clock.aloneS());
            clock.eachStretch(part.from * clock.aloneS(), part.to * clock.aloneS(),
                              [&](double fromS, double toS, double speed) { visit(fromS, toS, bps, speed); });
            rest -= part.share;
        }
        if (rest < 1e-9) return;
    } else if (run && passKind(source.kind).role != PassRole::computes) {
        const double sent = sentIn(timeline.pacesOf(*run));
        for (const Pace& each : timeline.pacesOf(*run))
            visit(each.fromS, each.toS, source.bytes * each.aloneBps / sent, each.rateBps / each.aloneBps);
        return;
    }
    visit(timeline.startS[block], timeline.endS[block], rest * source.bytes / timeline.durationS(block), 1.0);
}

/// The last instant that only rounding keeps apart from that one: sums that come to the same by other ways.
double lastOf(double instantS) { return instantS * (1 + 16 * std::numeric_limits<double>::epsilon()); }

/// A step up or down of what a kind puts on a way.
struct Change {
    double atS;
    int kind;
    double bps;
};

LoadCurve curveOf(std::vector<Change> changes) {
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
        // Else what begins as another ends would stand on top of it for a moment.
        for (; next < changes.size() && changes[next].atS <= lastOf(atS); ++next) {
            double& series = level[at(changes[next].kind)];
            series += changes[next].bps;
            if (std::abs(series) < 1e-9 * std::abs(changes[next].bps)) series = 0;  // rounding left over
        }
        addStep(atS);
    }
    return curve;
}

/// `add(source, block)` for each block that takes time.
template <typename Add>
void eachSent(const Timeline& timeline, const LinkUse& use, Add add) {
    for (const LoadSource& source : use.sources) {
        const Lane& lane = timeline.lanes[at(source.lane)];
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            if (timeline.durationS(block) > 0 && source.isOf(timeline, block)) add(source, block);
    }
}

}  // namespace

LoadCurve loadCurve(const Timeline& timeline, const LinkUse& use) {
    std::vector<Change> changes;
    eachSent(timeline, use, [&](const LoadSource& source, std::uint32_t block) {
        const int kind = loadKindOf(source.kind);
        eachStretch(timeline, source, block, [&](double fromS, double toS, double aloneBps, double speed) {
            changes.push_back({fromS, kind, aloneBps * speed});
            changes.push_back({toS, kind, -aloneBps * speed});
        });
    });
    return curveOf(std::move(changes));
}

LoadCurve demandCurve(const Timeline& timeline, const LinkUse& use) {
    std::vector<Change> changes;
    eachSent(timeline, use, [&](const LoadSource& source, std::uint32_t block) {
        const int kind = loadKindOf(source.kind);
        double untilS = -1, bps = 0;
        eachStretch(timeline, source, block, [&](double fromS, double toS, double aloneBps, double) {
            // What goes on as it was is one step.
            if (fromS == untilS && aloneBps == bps)
                changes.pop_back();
            else
                changes.push_back({fromS, kind, aloneBps});
            changes.push_back({toS, kind, -aloneBps});
            untilS = toS;
            bps = aloneBps;
        });
    });
    return curveOf(std::move(changes));
}

std::vector<double> totalsAt(const LoadCurve& curve, std::span<const double> timeS) {
    std::vector<double> totals;
    totals.reserve(timeS.size());
    for (const double atS : timeS) totals.push_back(curve.totalAt(curve.stepAt(lastOf(atS))));
    return totals;
}

double partLeft(const Timeline& timeline, const LoadSource& source, std::uint32_t block, double atS) {
    double left = 0, all = 0;
    eachStretch(timeline, source, block, [&](double fromS, double toS, double aloneBps, double speed) {
        all += aloneBps * speed * (toS - fromS);
        left += aloneBps * speed * (toS - std::clamp(atS, fromS, toS));
    });
    return all > 0 ? std::clamp(left / all, 0.0, 1.0) : 0;
}

double loadAt(const Timeline& timeline, const LoadSource& source, std::uint32_t block, double atS) {
    double bps = 0;
    const double lastS = lastOf(atS);
    eachStretch(timeline, source, block, [&](double fromS, double toS, double aloneBps, double speed) {
        if (fromS <= lastS && lastS < toS) bps += aloneBps * speed;
    });
    return bps;
}

}  // namespace stagecraft::analysis
