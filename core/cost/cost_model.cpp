#include "core/cost/cost_model.h"

#include "core/cost/stage_layout.h"
#include "core/model/lane_stages.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace stagecraft::cost {

namespace {

template <typename Part, typename Get>
std::vector<double> prefixSums(const std::vector<Part>& layers, Get get) {
    std::vector<double> prefix{0};
    for (const Part& layer : layers) prefix.push_back(prefix.back() + get(layer));
    return prefix;
}

/// A producer's tensor crosses the cut after `layer` if any consumer is beyond; it is sent once.
std::vector<double> cutBytes(const LayerProfile& profile, double Layer::*bytes) {
    std::vector<int> lastReader(profile.layers.size());
    std::iota(lastReader.begin(), lastReader.end(), 0);
    for (const LayerEdge& edge : profile.dependencies()) {
        int& last = lastReader[static_cast<std::size_t>(edge.from)];
        last = std::max(last, edge.to);
    }
    std::vector<double> cuts(profile.layers.size(), 0);
    for (std::size_t producer = 0; producer < cuts.size(); ++producer)
        for (std::size_t cut = producer; cut < static_cast<std::size_t>(lastReader[producer]); ++cut)
            cuts[cut] += profile.layers[producer].*bytes;
    return cuts;
}

/// What comes into each layer, a tensor once.
std::vector<double> inputBytes(const LayerProfile& profile) {
    std::vector<double> inputs(profile.layers.size(), 0);
    std::set<std::pair<int, int>> counted;
    for (const LayerEdge& edge : profile.dependencies())
        if (counted.emplace(edge.from, edge.to).second)
            inputs[static_cast<std::size_t>(edge.to)] +=
                profile.layers[static_cast<std::size_t>(edge.from)].outputBytes;
    return inputs;
}

}  // namespace

CostModel::CostModel(Problem problem)
    : problem_(std::make_shared<const Problem>(std::move(problem))),
      interconnect_(std::make_shared<const Interconnect>(problem_->cluster)) {
    const LayerProfile& profile = problem_->profile;
    own_.forward = prefixSums(profile.layers, [](const Layer& layer) { return layer.forwardS; });
    own_.backward = prefixSums(profile.layers, [](const Layer& layer) { return layer.backwardS; });
    own_.weightGradient =
        prefixSums(profile.layers, [](const Layer& layer) { return layer.weightGradientS; });
    if (!profile.otherSizes.empty()) addSizes();
    parameters_ = prefixSums(profile.layers, [](const Layer& layer) { return layer.parameterBytes; });
    stored_ = prefixSums(profile.layers, [](const Layer& layer) { return layer.storedActivationBytes; });
    deferred_ = prefixSums(profile.layers, [](const Layer& layer) { return layer.keptForWeightGradient(); });
    cutForward_ = cutBytes(profile, &Layer::outputBytes);
    cutBackward_ = cutBytes(profile, &Layer::outputGradientBytes);
    inputs_ = inputBytes(profile);
    takeSetup();
}

double CostModel::keptBytes(int layer, LayerMemory memory) const {
    const Layer& own = problem_->profile.layers[static_cast<std::size_t>(layer)];
    switch (memory) {
        case LayerMemory::keep:
            return own.storedActivationBytes;
        case LayerMemory::selective:
            return own.storedActivationBytes - storedBytes(own, ActivationCause::scores);
        case LayerMemory::checkpoint:
            return std::min(inputs_[static_cast<std::size_t>(layer)], own.storedActivationBytes);
        case LayerMemory::recompute:
        case LayerMemory::swap:
            break;
    }
    return 0;
}

double CostModel::broughtBackBytes(int layer, LayerMemory memory) const {
    const bool byItself = memory == LayerMemory::selective || memory == LayerMemory::checkpoint;
    return byItself ? storedActivationBytes(layer, layer) - keptBytes(layer, memory) : 0;
}

void CostModel::takeSetup() {
    const LayerProfile& profile = problem_->profile;
    const int samples = profile.microbatchSize;
    synchronised_ = cost::synchronisedBytes(*problem_);
    wholeShares_.clear();
    if (problem_->setup.wholeSamples) {
        wholeShares_.push_back(1);  // nothing runs on no replica
        for (int replicas = 1; replicas <= deviceCount(); ++replicas)
            wholeShares_.push_back(double((samples + replicas - 1) / replicas) * replicas / samples);
        if (std::ranges::all_of(wholeShares_, [](double share) { return share == 1; })) wholeShares_.clear();
    }
    if (bySize_.empty()) return;
    const std::vector<int> sizes = measuredSizes(profile);
    ofReplicas_.assign(1, {});  // nothing runs on no replica
    for (int replicas = 1; replicas <= deviceCount(); ++replicas) {
        SizeWeights weights = weightsAtSize(sizes, samples / dividedBy(replicas));
        weights.lowWeight *= replicas;
        weights.highWeight *= replicas;
        ofReplicas_.push_back(weights);
    }
}

CostModel CostModel::withSetup(const TrainingSetup& setup) const {
    CostModel costs = *this;
    Problem problem = *problem_;
    problem.setup = setup;
    costs.problem_ = std::make_shared<const Problem>(std::move(problem));
    costs.takeSetup();
    return costs;
}

void CostModel::addSizes() {
    const LayerProfile& profile = problem_->profile;
    const std::vector<int> sizes = measuredSizes(profile);
    for (const int size : sizes) {
        std::vector<LayerTimes> times;
        for (int layer = 0; layer < layerCount(); ++layer)
            times.push_back(measuredTimes(profile, layer, size));
        bySize_.push_back({prefixSums(times, [](const LayerTimes& layer) { return layer.forwardS; }),
                           prefixSums(times, [](const LayerTimes& layer) { return layer.backwardS; }),
                           prefixSums(times, [](const LayerTimes& layer) { return layer.weightGradientS; })});
    }
}

double CostModel::slowestSpeed(const std::vector<int>& devices) const {
    double slowest = std::numeric_limits<double>::infinity();
    for (const int device : devices)
        slowest = std::min(slowest, problem_->cluster.devices[static_cast<std::size_t>(device)].speed);
    return slowest;
}

StageCost CostModel::stage(const Plan& plan, int stageIndex, int replica) const {
    return partOfMicrobatch(plan, stageIndex, replica, plan.schedule.slices());
}

StageCost CostModel::wholeMicrobatch(const Plan& plan, int stageIndex) const {
    return partOfMicrobatch(plan, stageIndex, 0, 1);
}

StageCost CostModel::partOfMicrobatch(const Plan& plan, int stageIndex, int replica, int parts) const {
    const Stage& stage = plan.stages[static_cast<std::size_t>(stageIndex)];
    const std::vector<int> devices = StageLayout(stage).ranksOf(replica);
    const int replicas = static_cast<int>(devices.size());
    const double share = replicas;
    const double rate = share * slowestSpeed(devices) * parts;

    StageCost cost;
    cost.forwardS = forwardS(stage.firstLayer, stage.lastLayer, replicas) / rate;
    cost.backwardS = backwardS(stage.firstLayer, stage.lastLayer, replicas) / rate;
    cost.weightGradientS = weightGradientS(stage.firstLayer, stage.lastLayer, replicas) / rate;
    double recomputed = 0, swapped = 0;
    for (const auto& [layer, memory] : plan.memory.layers) {
        if (layer < stage.firstLayer || layer > stage.lastLayer) continue;
        const Layer& numbers = problem_->profile.layers[static_cast<std::size_t>(layer)];
        if (memory == LayerMemory::recompute || memory == LayerMemory::checkpoint)
            recomputed += splitsEvenly() ? numbers.forwardS : forwardS(layer, layer, replicas);
        if (memory == LayerMemory::selective && numbers.forwardS > 0)
            recomputed +=
                numbers.scoresRecomputeS * (forwardS(layer, layer, replicas) / forwardS(layer, layer));
        if (memory == LayerMemory::swap) swapped += numbers.storedActivationBytes;
    }
    cost.recomputeS = recomputed / rate;
    cost.swapBytes = swapped / (dividedBy(replicas) * parts);
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
    if (recomputed > 0) cost.recomputeS += overheadS;
    return cost;
}

double CostModel::keptActivationBytes(const Plan& plan, int index) const {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    double kept = 0;
    bool recomputes = false;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
        const LayerMemory memory = plan.layerMemory(layer);
        kept += keptBytes(layer, memory);
        recomputes |= memory == LayerMemory::recompute && storedActivationBytes(layer, layer) > 0;
    }
    if (recomputes)
        for (const StageEdge& edge : stageEdges(plan))
            if (edge.to == index) kept += edge.forwardBytes;
    return kept / dividedBy(StageLayout(stage).rankCount());
}

double CostModel::evictionS(const Plan& plan, int from, int to) const {
    const std::vector<int>& devices = plan.stages[static_cast<std::size_t>(from)].devices;
    const double bytes = keptActivationBytes(plan, from) * static_cast<double>(devices.size());
    return transfer(bytes, 0, devices, plan.stages[static_cast<std::size_t>(to)].devices).forwardS;
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
    return {forwardBytes / lanes + latency, backwardBytes / lanes + latency, forwardBytes, backwardBytes};
}

double CostModel::allReduceS(double bytes, const std::vector<int>& devices) const {
    const double k = static_cast<double>(devices.size());
    if (devices.size() < 2) return 0;
    return 2 * (k - 1) / k * bytes / interconnect_->minBandwidthBps(devices, devices);
}

double CostModel::sharedParameterBytes(const Plan& plan, int index) const {
    const Stage& own = plan.stages[static_cast<std::size_t>(index)];
    double shared = 0;
    for (int layer = own.firstLayer; layer <= own.lastLayer; ++layer) {
        std::set<int> holders;
        for (const Stage& stage : plan.stages)
            if (stage.firstLayer <= layer && layer <= stage.lastLayer)
                holders.insert(stage.devices.begin(), stage.devices.end());
        shared += parameterBytes(layer, layer) / static_cast<double>(holders.size());
    }
    return shared;
}

std::vector<DataParallelGroup> CostModel::dataParallelGroups(const Plan& plan) const {
    std::vector<DataParallelGroup> groups;
    for (const std::vector<int>& stages : stagesSharingLayers(plan)) {
        std::set<int> cuts;  // where the set of holders can change
        for (const int stage : stages) {
            cuts.insert(plan.stages[static_cast<std::size_t>(stage)].firstLayer);
            cuts.insert(plan.stages[static_cast<std::size_t>(stage)].lastLayer + 1);
        }
        std::map<int, double> seconds, bytes;  // by device
        bool replicated = false;
        for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
            std::set<int> holders;
            for (const int stage : stages) {
                const Stage& holder = plan.stages[static_cast<std::size_t>(stage)];
                if (holder.firstLayer <= *cut && *cut <= holder.lastLayer)
                    holders.insert(holder.devices.begin(), holder.devices.end());
            }
            const std::vector<int> devices(holders.begin(), holders.end());
            const double k = static_cast<double>(devices.size());
            const double weight = parameterBytes(*cut, *std::next(cut) - 1);
            replicated = replicated || devices.size() > 1;
            for (const int device : devices) {
                seconds[device] += allReduceS(weight, devices) / 2;
                bytes[device] += (k - 1) / k * weight;
            }
        }
        if (!replicated) continue;
        DataParallelGroup group;
        group.stages = stages;
        for (const auto& [device, taken] : seconds) {
            group.devices.push_back(device);
            group.roundS = std::max(group.roundS, taken);
            group.roundBytes = std::max(group.roundBytes, bytes[device]);
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace stagecraft::cost
