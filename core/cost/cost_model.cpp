#include "core/cost/cost_model.h"

#include "core/cost/stage_layout.h"
#include "core/model/lane_stages.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <set>

namespace stagecraft::cost {

struct CostModel::Check {
    std::once_flag done;
    std::optional<std::string> whyUnplannable;
};

CostModel::CostModel(Problem problem)
    : problem_(std::make_shared<const Problem>(std::move(problem))),
      interconnect_(std::make_shared<const Interconnect>(problem_->cluster)),
      layers_(problem_->profile),
      kinds_(KindSums::of(problem_->profile, problem_->cluster)),
      groups_(std::make_shared<GroupSums>()) {
    takeSetup();
}

const std::optional<std::string>& CostModel::whyUnplannable() const {
    std::call_once(check_->done, [this] { check_->whyUnplannable = model::whyUnplannable(*problem_); });
    return check_->whyUnplannable;
}

double CostModel::keptBytes(int layer, LayerMemory memory, const Group& group) const {
    const LayerSums& sums = sumsOf(group);
    const auto index = static_cast<std::size_t>(layer);
    const double stored = group.dividesLayers() ? sumOf(sums.stored, layer, layer)
                                                : problem_->profile.layers[index].storedActivationBytes;
    switch (memory) {
        case LayerMemory::keep:
            return stored;
        case LayerMemory::selective:
            return stored - sums.scores[index];
        case LayerMemory::checkpoint:
            return std::min(sums.inputs[index], stored);
        case LayerMemory::recompute:
        case LayerMemory::swap:
            break;
    }
    return 0;
}

double CostModel::broughtBackBytes(int layer, LayerMemory memory, const Group& group) const {
    const bool byItself = memory == LayerMemory::selective || memory == LayerMemory::checkpoint;
    return byItself ? storedActivationBytes(layer, layer, group) - keptBytes(layer, memory, group) : 0;
}

void CostModel::takeSetup() {
    const LayerProfile& profile = problem_->profile;
    const int samples = profile.microbatchSize;
    check_ = std::make_shared<Check>();
    synchronised_ = cost::synchronisedBytes(*problem_);
    wholeShares_.clear();
    if (problem_->setup.wholeSamples) {
        wholeShares_.push_back(1);  // nothing runs on no replica
        for (int replicas = 1; replicas <= deviceCount(); ++replicas)
            wholeShares_.push_back(double((samples + replicas - 1) / replicas) * replicas / samples);
        if (std::ranges::all_of(wholeShares_, [](double share) { return share == 1; })) wholeShares_.clear();
    }
    if (layers_.bySize.empty()) return;
    ofReplicas_.assign(1, {});  // nothing runs on no replica
    for (int replicas = 1; replicas <= deviceCount(); ++replicas)
        ofReplicas_.push_back(weightsOf(layers_.sizes, replicas));
}

SizeWeights CostModel::weightsOf(const std::vector<int>& sizes, int replicas) const {
    SizeWeights weights = weightsAtSize(sizes, problem_->profile.microbatchSize / dividedBy(replicas));
    weights.lowWeight *= replicas;
    weights.highWeight *= replicas;
    return weights;
}

CostModel CostModel::withSetup(const TrainingSetup& setup) const {
    CostModel costs = *this;
    Problem problem = *problem_;
    problem.setup = setup;
    costs.problem_ = std::make_shared<const Problem>(std::move(problem));
    costs.takeSetup();
    return costs;
}

CostModel CostModel::withProfile(LayerProfile profile, const TrainingSetup& setup) const {
    CostModel costs = *this;
    costs.problem_ = std::make_shared<const Problem>(Problem{std::move(profile), problem_->cluster, setup});
    costs.layers_ = LayerSums(costs.problem_->profile);
    costs.kinds_ = KindSums::of(costs.problem_->profile, costs.problem_->cluster);
    costs.groups_ = std::make_shared<GroupSums>();
    costs.takeSetup();
    return costs;
}

CostModel CostModel::withCopies(const RankCopies& copies) const {
    CostModel costs = *this;
    costs.copies_ = std::make_shared<const RankCopies>(copies);
    return costs;
}

double CostModel::speedOf(int device) const {
    const ComputePace pace = paceOf(device);
    return pace.kind > 0 ? kinds_->speed(pace.kind) : pace.speed;
}

double CostModel::slowestSpeed(const std::vector<int>& devices) const {
    double slowest = std::numeric_limits<double>::infinity();
    for (const int device : devices) slowest = std::min(slowest, speedOf(device));
    return slowest;
}

ComputePace CostModel::paceOf(int device) const {
    const int kind = kinds_ ? kinds_->kindOf(device) : 0;
    return {kind, kind > 0 ? 1 : problem_->cluster.devices[static_cast<std::size_t>(device)].speed};
}

std::vector<ComputePace> CostModel::slowestPaces(const std::vector<int>& devices) const {
    std::vector<ComputePace> paces;
    for (const int device : devices) {
        const ComputePace own = paceOf(device);
        const auto place = std::ranges::lower_bound(paces, own.kind, {}, &ComputePace::kind);
        if (place == paces.end() || place->kind != own.kind)
            paces.insert(place, own);
        else
            place->speed = std::min(place->speed, own.speed);
    }
    return paces;
}

ComputedTimes CostModel::computedAt(const ComputePace& pace, int first, int last, int replicas) const {
    const LayerSums& sums = sumsOf({}, pace.kind);
    return {work(sums, &TimeSums::forward, first, last, replicas) / pace.speed,
            work(sums, &TimeSums::backward, first, last, replicas) / pace.speed,
            work(sums, &TimeSums::weightGradient, first, last, replicas) / pace.speed};
}

ComputedTimes CostModel::computedBy(const std::vector<int>& devices, int first, int last,
                                    int replicas) const {
    ComputedTimes slowest;
    for (const ComputePace& pace : slowestPaces(devices))
        slowest.takeLonger(computedAt(pace, first, last, replicas));
    return slowest;
}

StageCost CostModel::stage(const Plan& plan, int stageIndex, int replica) const {
    return partOfMicrobatch(plan, stageIndex, replica, plan.schedule.slices());
}

StageCost CostModel::wholeMicrobatch(const Plan& plan, int stageIndex) const {
    return partOfMicrobatch(plan, stageIndex, 0, 1);
}

InsideSends CostModel::insideSends(const Stage& stage, const std::vector<int>& ranks, int first, int last,
                                   double parts) const {
    const LayerSums& sums = sumsOf(stage.group);
    if (sums.sent.empty()) return {};
    const auto between = [&](int from, int to) {
        SentInside sent =
            sums.sent[static_cast<std::size_t>(to) + 1] - sums.sent[static_cast<std::size_t>(from)];
        sent.divideBytes(parts);
        return sent;
    };
    const SentInside sent = between(first, last);
    Stage working = stage;
    working.devices = ranks;
    const StageLayout layout(working);
    InsideRanks of{
        stage.group, problem_->setup.imbalanceOf(stage.group), problem_->setup.collectiveStartS, {}, {}, {}};
    if (sent.tensorForward + sent.tensorBackward > 0) of.tensor = slowestOf(layout.tensorRings(), true);
    if (sent.contextForward > 0) of.context = slowestOf(layout.contextRings(), false);
    if (sent.expert > 0) of.expert = slowestOf(layout.expertGroups(), false);
    if (of.costsBytesAlone()) return insideSendsOf(sent, of);
    InsideSends all;
    for (int layer = first; layer <= last; ++layer) all += insideSendsOf(between(layer, layer), of);
    return all;
}

CollectiveRanks CostModel::slowestOf(const std::vector<std::vector<int>>& rings, bool severalRings) const {
    CollectiveRanks slowest{1, std::numeric_limits<double>::infinity(), 0, true};
    double ringsBps = slowest.bandwidthBps;  // along links or not
    for (const std::vector<int>& ring : rings) {
        slowest.count = static_cast<int>(ring.size());
        const double oneBps = interconnect_->minBandwidthBps(ring, ring),
                     ownBps = severalRings ? interconnect_->ringsBandwidthBps(ring, oneBps) : oneBps;
        if (ownBps < slowest.bandwidthBps) slowest.severalRings = ownBps > oneBps;
        slowest.bandwidthBps = std::min(slowest.bandwidthBps, ownBps);
        if (severalRings)
            ringsBps = std::min(ringsBps, std::max(ownBps, interconnect_->laidBps(ring, ownBps)));
        slowest.latencyS = std::max(slowest.latencyS, interconnect_->maxLatencyS(ring, ring));
        slowest.switchSums = slowest.switchSums && interconnect_->shareSummingSwitch(ring);
    }
    if (severalRings && ringsBps > slowest.bandwidthBps) slowest.laidBps = ringsBps;
    return slowest;
}

double CostModel::exposedShare(double sentS, double computedS) const {
    const double overlap = problem_->setup.insideOverlap;
    return overlap > 0 && sentS > 0 ? 1 - std::min(overlap, computedS / sentS) : 1;
}

ComputedTimes CostModel::computedOn(const LayerSums& sums, const Plan& plan, LayerSpan layers, int replicas,
                                    double rate) const {
    const auto workS = [&](std::vector<double> TimeSums::*part, int first, int last) {
        return work(sums, part, first, last, replicas);
    };
    ComputedTimes times{workS(&TimeSums::forward, layers.first, layers.last) / rate,
                        workS(&TimeSums::backward, layers.first, layers.last) / rate,
                        workS(&TimeSums::weightGradient, layers.first, layers.last) / rate};
    double recomputed = 0;
    for (const auto& [layer, memory] : plan.memory.layers) {
        if (!layers.contains(layer)) continue;
        const auto index = static_cast<std::size_t>(layer);
        if (memory == LayerMemory::recompute || memory == LayerMemory::checkpoint) {
            const bool evenly = splitsEvenly() && sums.bySize.empty();
            recomputed += evenly ? sums.forward[index] : workS(&TimeSums::forward, layer, layer);
        }
        if (memory == LayerMemory::selective && sums.forward[index] > 0)
            recomputed += sums.scoresRecompute[index] *
                          (workS(&TimeSums::forward, layer, layer) / sumOf(sums.own.forward, layer, layer));
    }
    times.recomputeS = recomputed / rate;
    return times;
}

ComputedTimes CostModel::computedTimes(const Plan& plan, int index, const std::vector<int>& devices,
                                       int replicas, int parts) const {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const LayerSpan layers = passLayers(problem_->profile, plan, index);
    const std::vector<ComputePace> paces = slowestPaces(devices);
    const auto slowest = [&](LayerSpan some) {
        ComputedTimes times;
        double inputS = 0;
        for (const ComputePace& pace : paces) {
            const ComputedTimes own = computedOn(sumsOf(stage.group, pace.kind), plan, some, replicas,
                                                 replicas * pace.speed * parts);
            inputS = std::max(inputS, own.backwardS - own.weightGradientS);
            times.takeLonger(own);
        }
        // Each of the two passes of a split backward waits for the slowest.
        if (plan.schedule.splits() && paces.size() > 1) times.backwardS = inputS + times.weightGradientS;
        return times;
    };
    if (paces.size() == 1 || !stage.group.dividesLayers()) return slowest(layers);
    // Ranks that divide layers wait for each other in each of them.
    ComputedTimes all;
    for (int layer = layers.first; layer <= layers.last; ++layer) {
        const ComputedTimes own = slowest({layer, layer});
        all.forwardS += own.forwardS;
        all.backwardS += own.backwardS;
        all.weightGradientS += own.weightGradientS;
        all.recomputeS += own.recomputeS;
    }
    return all;
}

StageCost CostModel::partOfMicrobatch(const Plan& plan, int stageIndex, int replica, int parts) const {
    const Stage& stage = plan.stages[static_cast<std::size_t>(stageIndex)];
    const StageLayout layout(stage);
    const std::vector<int> devices = layout.ranksOf(replica);
    const int replicas = layout.sharers();
    const ComputedTimes computed = computedTimes(plan, stageIndex, devices, replicas, parts);
    const LayerSpan own = passLayers(problem_->profile, plan, stageIndex);
    StageCost cost;
    cost.forwardS = computed.forwardS;
    cost.backwardS = computed.backwardS;
    cost.weightGradientS = computed.weightGradientS;
    const double sentParts = dividedBy(replicas) * parts;
    double swapped = 0, sentAgainS = 0;
    for (const auto& [layer, memory] : plan.memory.layers) {
        if (!own.contains(layer)) continue;
        if (memory == LayerMemory::recompute || memory == LayerMemory::checkpoint)
            sentAgainS += insideSends(stage, devices, layer, layer, sentParts).forwardS();
        if (memory == LayerMemory::swap) swapped += keptBytes(layer, LayerMemory::keep, stage.group);
    }
    cost.sentAgainS = sentAgainS * exposedShare(sentAgainS, computed.recomputeS);
    cost.recomputeS = computed.recomputeS + cost.sentAgainS;
    const InsideSends inside = insideSends(stage, devices, own.first, own.last, sentParts);
    // What is deferred computes at another time.
    const double besideBackwardS =
        plan.schedule.splits() ? cost.backwardS - cost.weightGradientS : cost.backwardS;
    const double exposedForward = exposedShare(inside.forwardS(), cost.forwardS),
                 exposedBackward = exposedShare(inside.backwardS(), besideBackwardS);
    cost.sentForwardS = inside.forwardS() * exposedForward;
    cost.sentBackwardS = inside.backwardS() * exposedBackward;
    cost.expertForwardS = inside.expert.forwardS() * exposedForward;
    cost.expertBackwardS = inside.expert.backwardS() * exposedBackward;
    cost.forwardS += cost.sentForwardS;
    cost.backwardS += cost.sentBackwardS;
    cost.swapBytes = swapped / sentParts;
    if (swapped > 0) {
        double slowestHost = std::numeric_limits<double>::infinity();
        for (const int device : devices)
            slowestHost = std::min(
                slowestHost, problem_->cluster.devices[static_cast<std::size_t>(device)].hostBandwidthBps);
        cost.swapS = cost.swapBytes / slowestHost;
    }
    // A backward of two parts has one for each.
    const double overheadS = problem_->setup.passOverheadS;
    cost.forwardS += overheadS;
    cost.backwardS += plan.schedule.splits() ? 2 * overheadS : overheadS;
    cost.weightGradientS += overheadS;
    if (computed.recomputeS > 0) cost.recomputeS += overheadS;
    return cost;
}

double CostModel::keptActivationBytes(const Plan& plan, int index) const {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const StageLayout layout(stage);
    double kept = 0;
    bool recomputes = false;
    const LayerSpan own = passLayers(problem_->profile, plan, index);
    for (int layer = own.first; layer <= own.last; ++layer) {
        const LayerMemory memory = plan.layerMemory(layer);
        kept += keptBytes(layer, memory, stage.group);
        recomputes |= memory == LayerMemory::recompute && storedActivationBytes(layer, layer) > 0;
    }
    if (recomputes)
        for (const StageEdge& edge : stageEdges(plan))
            if (edge.to == index) kept += edge.forwardBytes / layout.boundaryDivision();
    return kept / dividedBy(layout.copies());
}

double CostModel::evictionS(const Plan& plan, int from, int to) const {
    const Stage &own = plan.stages[static_cast<std::size_t>(from)],
                &lender = plan.stages[static_cast<std::size_t>(to)];
    const StageLayout sends(own), receives(lender);
    // Each rank to its counterparts: as many bytes as one of each copy has, over the lanes between copies.
    const double bytes = keptActivationBytes(plan, from) * sends.copies();
    const double lanes = static_cast<double>(sends.copies() * receives.copies()) *
                         interconnect_->minBandwidthBps(own.devices, lender.devices);
    const double latency =
        interconnect_->maxLatencyS(own.devices, lender.devices) + problem_->setup.transferOverheadS;
    return bytes / lanes + latency;
}

std::vector<StageEdge> CostModel::stageEdges(const Plan& plan) const {
    std::vector<StageEdge> edges;
    const std::vector<LayerEdge> layerEdges = problem_->profile.dependencies();
    for (int pipeline = 0; pipeline < plan.pipelineCount(); ++pipeline) {
        std::vector<int> stageOf(static_cast<std::size_t>(layerCount()), -1);
        for (int stage = 0; stage < plan.stageCount(); ++stage) {
            const Stage& holder = plan.stages[static_cast<std::size_t>(stage)];
            if (holder.pipeline != pipeline) continue;
            for (int layer = holder.firstLayer; layer <= holder.lastLayer; ++layer)
                stageOf[static_cast<std::size_t>(layer)] = stage;
        }
        // A tensor travels to each stage that reads it once, however many of its layers do.
        std::set<std::pair<int, int>> sent;
        std::map<std::pair<int, int>, StageEdge> found;
        for (const LayerEdge& edge : layerEdges) {
            const int from = stageOf[static_cast<std::size_t>(edge.from)];
            const int to = stageOf[static_cast<std::size_t>(edge.to)];
            if (from == to || from < 0 || to < 0 || !sent.emplace(edge.from, to).second) continue;
            StageEdge& stageEdge = found[{from, to}];
            stageEdge.from = from;
            stageEdge.to = to;
            stageEdge.forwardBytes +=
                problem_->profile.layers[static_cast<std::size_t>(edge.from)].outputBytes;
            stageEdge.backwardBytes +=
                problem_->profile.layers[static_cast<std::size_t>(edge.from)].outputGradientBytes;
        }
        for (auto& [ends, edge] : found) {
            std::vector<int> from = plan.stages[static_cast<std::size_t>(edge.from)].devices;
            std::vector<int> to = plan.stages[static_cast<std::size_t>(edge.to)].devices;
            std::sort(from.begin(), from.end());
            std::sort(to.begin(), to.end());
            edge.needsTransfer = from != to;
            edge.forwardBytes /= plan.schedule.slices();
            edge.backwardBytes /= plan.schedule.slices();
            edges.push_back(edge);
        }
    }
    return edges;
}

TransferCost CostModel::transfer(double forwardBytes, double backwardBytes, const std::vector<int>& from,
                                 const std::vector<int>& to) const {
    const double lanes =
        static_cast<double>(from.size() * to.size()) * interconnect_->minBandwidthBps(from, to);
    const double latency = interconnect_->maxLatencyS(from, to) + problem_->setup.transferOverheadS;
    return {forwardBytes / lanes + latency, backwardBytes / lanes + latency, forwardBytes, backwardBytes,
            latency};
}

TransferCost CostModel::transfer(double forwardBytes, double backwardBytes, const Stage& sender,
                                 const std::vector<int>& from, const Stage& receiver,
                                 const std::vector<int>& to) const {
    const StageLayout sends(sender), receives(receiver);
    if (sends.ranksOfCopy() == 1 && receives.ranksOfCopy() == 1)
        return transfer(forwardBytes, backwardBytes, from, to);
    const auto fromCopies = static_cast<double>(from.size()) / sends.ranksOfCopy();
    const auto toCopies = static_cast<double>(to.size()) / receives.ranksOfCopy();
    const double lanes = fromCopies * toCopies *
                         std::min(sends.boundaryDivision(), receives.boundaryDivision()) *
                         interconnect_->minBandwidthBps(from, to);
    const double latency = interconnect_->maxLatencyS(from, to) + problem_->setup.transferOverheadS;
    return {forwardBytes / lanes + latency, backwardBytes / lanes + latency, forwardBytes, backwardBytes,
            latency};
}

double CostModel::allReduceS(double bytes, const std::vector<int>& devices) const {
    const double k = static_cast<double>(devices.size());
    if (devices.size() < 2) return 0;
    return 2 * (k - 1) / k * bytes / interconnect_->minBandwidthBps(devices, devices);
}

double CostModel::heldParameterBytes(const Plan& plan, int index) const {
    const LayerSpan own = passLayers(problem_->profile, plan, index);
    const double bytes =
        parameterBytes(own.first, own.last, plan.stages[static_cast<std::size_t>(index)].group);
    return bytes + bytesOfWords(plan);
}

double CostModel::bytesOfWords(const Plan& plan) const {
    if (!plan.schedule.sharesVocabulary()) return 0;
    const VocabularyLayers shared = vocabularyLayers(problem_->profile);
    double words = 0;
    for (const int layer : {shared.embedding, shared.head})
        if (layer >= 0) words += parameterBytes(layer, layer);
    return words / plan.stageCount();
}

double CostModel::sharedParameterBytes(const Plan& plan, int index) const {
    const Stage& own = plan.stages[static_cast<std::size_t>(index)];
    if (copies_) {
        const double experts = sumOf(layers_.expertParameters, own.firstLayer, own.lastLayer);
        return (parameterBytes(own.firstLayer, own.lastLayer) - experts) / copies_->dense.count +
               experts / copies_->experts.count;
    }
    double shared = 0;
    for (int layer = own.firstLayer; layer <= own.lastLayer; ++layer) {
        std::set<int> holders;
        for (const Stage& stage : plan.stages)
            if (stage.firstLayer <= layer && layer <= stage.lastLayer)
                holders.insert(stage.devices.begin(), stage.devices.end());
        const double bytes = parameterBytes(layer, layer, own.group);
        const auto count = static_cast<double>(holders.size());
        if (!own.group.dividesLayers()) {
            shared += bytes / count;
            continue;
        }
        const double experts = sumOf(sumsOf(own.group).expertParameters, layer, layer);
        shared += (bytes - experts) * own.group.tensor / count + experts * own.group.expert / count;
    }
    return shared;
}

/// The parameters of layers that these stages hold: each part of them round its own holders.
void CostModel::addRings(const Plan& plan, const std::vector<int>& stages, LayerSpan layers, double words,
                         DataParallelGroup& group) const {
    const Group& divided = plan.stages[static_cast<std::size_t>(stages.front())].group;
    const double experts =
        divided.dividesLayers() ? sumOf(sumsOf(divided).expertParameters, layers.first, layers.last) : 0;
    const double shared = parameterBytes(layers.first, layers.last, divided) - experts + words;
    const auto add = [&](double bytes, auto ringsOf) {
        std::vector<std::set<int>> holders;
        for (const int stage : stages) {
            const std::vector<std::vector<int>> rings =
                ringsOf(StageLayout(plan.stages[static_cast<std::size_t>(stage)]));
            holders.resize(std::max(holders.size(), rings.size()));
            for (std::size_t ring = 0; ring < rings.size(); ++ring)
                holders[ring].insert(rings[ring].begin(), rings[ring].end());
        }
        for (const std::set<int>& ring : holders) {
            const auto k = static_cast<double>(ring.size());
            group.rings.push_back({{ring.begin(), ring.end()}, (k - 1) / k * bytes});
        }
    };
    add(shared, [](const StageLayout& layout) { return layout.parameterRings(); });
    if (experts > 0) add(experts, [](const StageLayout& layout) { return layout.expertRings(); });
}

SyncCost DataParallelGroup::costOf(const StateSync& sync) const {
    if (collectives.empty()) return {sync.roundBytes * roundS, sync.roundBytes * roundBytes};
    SyncCost cost;
    std::map<int, double> seconds, bytes;  // by device, which takes part in one after the other
    double longestS = 0;
    for (const ParameterCollective& each : collectives) {
        const CollectiveCost own = costOf(each, sync);
        if (own.seconds() > longestS) cost.algorithm = own.algorithm;
        longestS = std::max(longestS, own.seconds());
        for (const int device : each.ring.devices) {
            cost.seconds = std::max(cost.seconds, seconds[device] += own.seconds());
            cost.bytes = std::max(cost.bytes, bytes[device] += own.bytes);
        }
    }
    return cost;
}

std::vector<RankHop> DataParallelGroup::hopsOf(const StateSync& sync, const Interconnect& net) const {
    std::vector<RankHop> all;
    const auto add = [&](CollectiveAlgorithm algorithm, const ParameterRing& ring, bool several,
                         double bytes) {
        const std::vector<RankHop> own = collectiveHops(algorithm, ring.devices, net, several, bytes);
        all.insert(all.end(), own.begin(), own.end());
    };
    if (collectives.empty())
        for (const ParameterRing& ring : rings)
            add(CollectiveAlgorithm::ring, ring, false, sync.roundBytes * ring.roundBytes);
    for (const ParameterCollective& each : collectives) {
        const CollectiveCost cost = costOf(each, sync);
        add(cost.algorithm, each.ring, each.ranks.severalRings, cost.bytes);
    }
    return all;
}

/// What each device sends round its rings, and what those take where collectives have a start.
void CostModel::sumUpRings(DataParallelGroup& group) const {
    std::map<int, double> seconds, bytes;  // by device
    std::map<std::vector<int>, double> byHolders;
    // Of differences of sums: what is no parameter has no collective that would start.
    const double rounding = 1e-12 * parameterBytes(0, layerCount() - 1);
    group.startS = problem_->setup.collectiveStartS;
    for (const ParameterRing& ring : group.rings) {
        const double bandwidth = interconnect_->minBandwidthBps(ring.devices, ring.devices);
        for (const int device : ring.devices) {
            if (ring.devices.size() > 1) seconds[device] += ring.roundBytes / bandwidth;
            bytes[device] += ring.roundBytes;
        }
        if (ring.roundBytes > rounding) byHolders[ring.devices] += ring.roundBytes;
    }
    // What has the same holders goes together, and starts once.
    group.rings.clear();
    for (const auto& [devices, sent] : byHolders) group.rings.push_back({devices, sent});
    if (group.startS > 0)
        for (const ParameterRing& ring : group.rings)
            group.collectives.push_back({ring, slowestOf({ring.devices}, true)});
    for (const auto& [device, sent] : bytes) {
        group.devices.push_back(device);
        group.roundS = std::max(group.roundS, seconds[device]);
        group.roundBytes = std::max(group.roundBytes, sent);
    }
}

DataParallelGroup CostModel::groupOfCopies(int index, const Stage& stage) const {
    DataParallelGroup group;
    group.startS = problem_->setup.collectiveStartS;
    const auto add = [&](double bytes, const CollectiveRanks& ranks) {
        if (ranks.count < 2) return;
        group.stages = {index};
        group.devices = {stage.devices.front()};
        const double roundBytes = (ranks.count - 1.0) / ranks.count * bytes;
        if (group.startS <= 0) {
            group.roundS += roundBytes / ranks.bandwidthBps;
            group.roundBytes += roundBytes;
        } else if (roundBytes > 1e-12 * parameterBytes(0, layerCount() - 1)) {  // as in sumUpRings()
            group.collectives.push_back({{group.devices, roundBytes}, ranks});
        }
    };
    const double bytes = parameterBytes(stage.firstLayer, stage.lastLayer),
                 experts = sumOf(layers_.expertParameters, stage.firstLayer, stage.lastLayer);
    add(copies_->sameHolders ? bytes : bytes - experts, copies_->dense);
    if (!copies_->sameHolders && experts > 0) add(experts, copies_->experts);
    return group;
}

std::vector<DataParallelGroup> CostModel::dataParallelGroups(const Plan& plan) const {
    std::vector<DataParallelGroup> groups;
    for (int index = 0; copies_ && index < plan.stageCount(); ++index) {
        DataParallelGroup group = groupOfCopies(index, plan.stages[static_cast<std::size_t>(index)]);
        if (!group.devices.empty()) groups.push_back(std::move(group));
    }
    if (copies_) return groups;
    const double words = bytesOfWords(plan);
    for (const std::vector<int>& stages : stagesSharingLayers(plan)) {
        std::set<int> cuts;  // where the set of holders can change
        for (const int stage : stages) {
            cuts.insert(plan.stages[static_cast<std::size_t>(stage)].firstLayer);
            cuts.insert(plan.stages[static_cast<std::size_t>(stage)].lastLayer + 1);
        }
        DataParallelGroup group;
        group.stages = stages;
        for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
            std::vector<int> holding;
            for (const int stage : stages) {
                const Stage& holder = plan.stages[static_cast<std::size_t>(stage)];
                if (holder.firstLayer <= *cut && *cut <= holder.lastLayer) holding.push_back(stage);
            }
            // Stages that share a vocabulary out are in one pipeline, and no two have a layer in common.
            const LayerSpan layers = plan.schedule.sharesVocabulary()
                                         ? passLayers(problem_->profile, plan, stages.front())
                                         : LayerSpan{*cut, *std::next(cut) - 1};
            addRings(plan, holding, layers, words, group);
        }
        if (std::ranges::all_of(group.rings,
                                [](const ParameterRing& ring) { return ring.devices.size() < 2; }))
            continue;
        sumUpRings(group);
        groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace stagecraft::cost
