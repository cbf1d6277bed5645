#include "core/cost/inside_steps.h"

#include "core/cost/stage_layout.h"

#include <algorithm>

namespace stagecraft::cost {

namespace {

/// Of one layer in a pass, in seconds for a microbatch or a slice of it.
double computingS(const StageCost& cost, BlockKind kind) {
    if (kind == BlockKind::recompute) return cost.recomputeS;
    if (kind == BlockKind::forward) return cost.forwardS;
    return kind == BlockKind::inputGradient ? cost.backwardS - cost.weightGradientS : cost.backwardS;
}

double sentS(const StageCost& cost, BlockKind kind) {
    if (kind == BlockKind::recompute) return cost.sentAgainS;
    if (kind == BlockKind::forward) return cost.sentForwardS;
    return kind == BlockKind::backward || kind == BlockKind::inputGradient ? cost.sentBackwardS : 0;
}

/// The layers that a pass goes through, in order.
std::vector<int> layersOf(const Plan& plan, const Stage& stage, BlockKind kind) {
    std::vector<int> layers;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
        const LayerMemory memory = plan.layerMemory(layer);
        if (kind != BlockKind::recompute || (memory != LayerMemory::keep && memory != LayerMemory::swap))
            layers.push_back(layer);
    }
    if (kind != BlockKind::forward && kind != BlockKind::recompute)
        std::reverse(layers.begin(), layers.end());
    return layers;
}

/// What a pass of that kind sends for a layer.
InsideSends sendsOf(const CostModel& costs, const Plan& plan, const Stage& stage, int layer, BlockKind kind) {
    if (kind == BlockKind::recompute && plan.layerMemory(layer) == LayerMemory::selective) return {};
    const StageLayout layout(stage);
    return costs.insideSends(stage, layout.ranksOf(0), layer, layer,
                             costs.dividedBy(layout.sharers()) * plan.schedule.slices());
}

/// Seconds of a pass, whatever is computed meanwhile.
double sentInLayers(const CostModel& costs, const Plan& plan, int index, BlockKind kind) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const bool forward = kind == BlockKind::forward || kind == BlockKind::recompute;
    double seconds = 0;
    for (const int layer : layersOf(plan, stage, kind)) {
        const InsideSends sends = sendsOf(costs, plan, stage, layer, kind);
        seconds += forward ? sends.forwardS() : sends.backwardS();
    }
    return seconds;
}

}  // namespace

double insideSentS(const CostModel& costs, const Plan& plan, int index, BlockKind kind) {
    if (!plan.stages[static_cast<std::size_t>(index)].group.dividesLayers()) return 0;
    return sentS(costs.stage(plan, index), kind);
}

std::vector<InsideStep> insideSteps(const CostModel& costs, const Plan& plan, int index, BlockKind kind) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const bool forward = kind == BlockKind::forward || kind == BlockKind::recompute;
    const bool backward = kind == BlockKind::backward || kind == BlockKind::inputGradient;
    if (!stage.group.dividesLayers() || (!forward && !backward)) return {};
    std::vector<InsideStep> steps;
    double at = 0;
    const auto add = [&](InsideStep step, double seconds) {
        if (seconds <= 0) return;
        step.from = at;
        step.to = at += seconds;
        steps.push_back(step);
    };
    // What is sent beside computing shows as computing.
    const double wholeS = sentInLayers(costs, plan, index, kind);
    const double bare = wholeS > 0 ? sentS(costs.stage(plan, index), kind) / wholeS : 0;
    Plan alone;
    alone.schedule = plan.schedule;
    alone.memory = plan.memory;
    alone.stages = {stage};
    // A whole backward where others are split has that of both parts.
    const double overheadS = costs.problem().setup.passOverheadS *
                             (kind == BlockKind::backward && plan.schedule.splits() ? 2 : 1);
    for (const int layer : layersOf(plan, stage, kind)) {
        // The stage with that layer alone: what a pass costs besides its layers counts at each then.
        Stage& single = alone.stages.front();
        single.firstLayer = single.lastLayer = layer;
        const InsideSends sends = sendsOf(costs, plan, stage, layer, kind);
        const auto addSent = [&](InsideKind what, const InsideSend& send) {
            const double bytes = forward ? send.forwardBytes : send.backwardBytes;
            add({layer, what, 0, 0, forward ? send.forwardBy : send.backwardBy, bytes * bare,
                 send.severalRings},
                (forward ? send.forwardS() : send.backwardS()) * bare);
        };
        const double besidesS = steps.empty() ? 0 : overheadS;
        const StageCost cost = costs.stage(alone, 0);
        add({layer, InsideKind::computing}, computingS(cost, kind) - sentS(cost, kind) - besidesS);
        addSent(InsideKind::tensor, sends.tensor);
        addSent(InsideKind::context, sends.context);
        addSent(InsideKind::expert, sends.expert);
    }
    for (InsideStep& step : steps) step.from /= at, step.to /= at;
    return steps;
}

std::vector<RankHop> hopsOfStep(const CostModel& costs, const Stage& stage, const InsideStep& step) {
    const StageLayout layout(stage);
    const bool isExpert = step.kind == InsideKind::expert;
    const double bytes = isExpert ? step.bytes / costs.problem().setup.imbalanceOf(stage.group) : step.bytes;
    std::vector<RankHop> hops;
    for (const std::vector<int>& ranks : isExpert                           ? layout.expertGroups()
                                         : step.kind == InsideKind::context ? layout.contextRings()
                                                                            : layout.tensorRings())
        for (const RankHop& hop :
             collectiveHops(step.by, ranks, costs.interconnect(), step.severalRings, bytes))
            hops.push_back(hop);
    return hops;
}

}  // namespace stagecraft::cost
