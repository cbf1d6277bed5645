#include "core/planners/automatic/plan_bound.h"

#include "core/base/indices.h"
#include "core/cost/stage_edges.h"
#include "core/planners/automatic/rank_layers.h"

#include <algorithm>
#include <map>
#include <vector>

namespace stagecraft::planners {

namespace {

struct StagePasses {
    double forwardS = 0, inputGradientS = 0, weightGradientS = 0;
    double reachedS = 0;  ///< from the start of an iteration, before its first forward
    double leftS = 0;     ///< of a microbatch, after its input gradient here
};

/// In turn: stages send forward to later ones.
std::vector<StagePasses> passesOfStages(const CostModel& costs, const Plan& plan) {
    const bool splits = plan.schedule.splits();
    std::vector<StagePasses> stages(at(plan.stageCount()));
    for (int index = 0; index < plan.stageCount(); ++index) {
        const StageCost cost = costs.stage(plan, index);
        StagePasses& own = stages[at(index)];
        own.forwardS = cost.forwardS;
        own.weightGradientS = splits ? cost.weightGradientS : 0;
        own.inputGradientS = cost.backwardS - own.weightGradientS + cost.recomputeS;
    }
    // By (from, to), so that all that reaches a stage is known before what it sends on.
    const cost::StageEdges edges(costs, plan);
    for (const StageEdge& edge : edges.all()) {
        const Stage &sender = plan.stages[at(edge.from)], &receiver = plan.stages[at(edge.to)];
        const TransferCost sent = edge.needsTransfer
                                      ? costs.transfer(edge.forwardBytes, edge.backwardBytes, sender,
                                                       sender.devices, receiver, receiver.devices)
                                      : TransferCost{};
        const StagePasses& from = stages[at(edge.from)];
        StagePasses& to = stages[at(edge.to)];
        to.reachedS = std::max(to.reachedS, from.reachedS + from.forwardS + sent.forwardS);
        to.leftS = std::max(to.leftS, sent.backwardS + from.inputGradientS + from.leftS);
    }
    return stages;
}

/// What a device has of all stages on it.
struct DeviceShare {
    double workS = 0, chainS = 0;  ///< of a microbatch; chainS: without weight gradients
    double reachedS = infinity, leftS = infinity;
    double leastSyncS = infinity, syncsS = 0, updatesS = 0;
    bool isOnce = false;
};

}  // namespace

double leastOfAnyOrderS(const CostModel& costs, const Plan& plan,
                        const std::function<BesidePasses(const Stage&)>& besidePasses,
                        const std::vector<double>& againS) {
    const std::vector<StagePasses> stages = passesOfStages(costs, plan);
    std::map<int, DeviceShare> shares;
    for (int index = 0; index < plan.stageCount(); ++index) {
        const StagePasses& own = stages[at(index)];
        const Stage& stage = plan.stages[at(index)];
        DeviceShare& share = shares[stage.devices.front()];
        const BesidePasses beside = besidePasses(stage);
        const double chainS = own.forwardS + own.inputGradientS + 2 * beside.gatherS;
        share.chainS += chainS;
        share.workS += chainS + own.weightGradientS;
        share.reachedS = std::min(share.reachedS, own.reachedS);
        share.leftS = std::min(share.leftS, own.leftS);
        share.leastSyncS = std::min(share.leastSyncS, beside.syncS);
        share.syncsS += beside.syncS;
        share.updatesS += beside.updateS;
        share.isOnce = share.isOnce || beside.isOnce;
    }
    const int microbatches = costs.problem().setup.microbatches;
    double leastS = 0, passesS = 0, afterAllS = 0, leastUpdatesS = infinity;
    for (const auto& [device, share] : shares) {
        const double ownAgainS = againS.empty() ? 0 : againS[at(device)];
        const double ownS = share.reachedS + microbatches * (share.workS + ownAgainS);
        const double chainS = share.reachedS + microbatches * (share.chainS + ownAgainS) + share.leftS;
        passesS = std::max({passesS, ownS, chainS});
        leastS = std::max(leastS, ownS + share.leastSyncS + share.updatesS);
        if (share.isOnce) afterAllS = std::max(afterAllS, share.syncsS + share.updatesS);
        leastUpdatesS = std::min(leastUpdatesS, share.updatesS);
    }
    // Whichever device has the last pass updates what it has.
    passesS += costs.problem().setup.allreduceOverlaps ? leastUpdatesS : std::max(afterAllS, leastUpdatesS);
    return std::max(leastS, passesS);
}

namespace {

/// Seconds of computing again without which so many bytes do not go: a fractional knapsack.
double secondsToSave(std::vector<Saving> savings, double bytes) {
    std::ranges::sort(
        savings, [](const Saving& a, const Saving& b) { return a.bytes * b.seconds > b.bytes * a.seconds; });
    double seconds = 0;
    for (const Saving& saving : savings) {
        if (bytes <= 0) return seconds;
        seconds += std::min(1.0, bytes / saving.bytes) * saving.seconds;
        bytes -= saving.bytes;
    }
    return bytes <= 0 ? seconds : infinity;
}

/// What of a layer's activations may still be computed again, on a device of speed 1, for each microbatch.
/// @param kind of the device (ComputePace)
std::vector<Saving> savingsLeft(const CostModel& costs, int kind, int layer, LayerMemory now) {
    const LayerProfile& profile = kind > 0 ? costs.measuredKinds()->profile(kind) : costs.problem().profile;
    const Layer& own = profile.layers[at(layer)];
    const double kept = costs.keptBytes(layer, now);
    const double allBytes = kept - costs.keptBytes(layer, LayerMemory::checkpoint);
    std::vector<Saving> savings;
    Saving some{0, 0};
    if (now == LayerMemory::keep)
        some = {kept - costs.keptBytes(layer, LayerMemory::selective),
                std::min(own.scoresRecomputeS, own.forwardS)};
    if (some.bytes > 0) savings.push_back(some);
    if (now != LayerMemory::checkpoint && allBytes > std::max(0.0, some.bytes))
        savings.push_back({allBytes - std::max(0.0, some.bytes), own.forwardS - some.seconds});
    return savings;
}

}  // namespace

std::vector<double> leastAgainS(const CostModel& costs, const Plan& plan,
                                const std::vector<double>& lacksBytes, const std::vector<int>& inFlight) {
    std::vector<std::vector<Saving>> savings(lacksBytes.size());
    for (int index = 0; index < plan.stageCount(); ++index) {
        const Stage& stage = plan.stages[at(index)];
        const std::size_t rank = at(stage.devices.front());
        if (lacksBytes[rank] <= 0) continue;
        const ComputePace pace = costs.paceOf(stage.devices.front());
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
            for (Saving saving : savingsLeft(costs, pace.kind, layer, plan.layerMemory(layer))) {
                saving.bytes *= std::max(1, inFlight[at(index)]);
                saving.seconds /= pace.speed;
                savings[rank].push_back(saving);
            }
    }
    std::vector<double> againS;
    for (std::size_t rank = 0; rank < lacksBytes.size(); ++rank)
        againS.push_back(secondsToSave(std::move(savings[rank]), lacksBytes[rank] * (1 - planBoundRounding)));
    return againS;
}

}  // namespace stagecraft::planners
