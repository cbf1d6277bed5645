#include "core/analysis/inside_pass.h"

#include "core/base/units.h"
#include "core/cost/stage_layout.h"
#include "core/model/rank_measurements.h"

#include <algorithm>

namespace stagecraft::analysis {

std::vector<InsidePart> insideOf(const CostModel& costs, const Plan& plan, int index, bool backward) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const StageLayout layout(stage);
    const StageCost cost = costs.stage(plan, index);
    const double parts = costs.dividedBy(layout.sharers()) * plan.schedule.slices();
    const bool isTimed = isTimedOn(costs.problem().profile, stage.firstLayer, stage.lastLayer, stage.group);
    const double exposedS = backward ? cost.sentBackwardS : cost.sentForwardS;
    std::vector<InsidePart> inside = {
        {isTimed ? "computing, with what is sent in measured times" : "computing",
         (backward ? cost.backwardS : cost.forwardS) - exposedS}};
    const InsideSends sends =
        costs.insideSends(stage, layout.ranksOf(0), stage.firstLayer, stage.lastLayer, parts);
    const double sentS = backward ? sends.backwardS() : sends.forwardS();
    const auto add = [&](const InsideSend& send, const std::string& what) {
        const double bytes = backward ? send.backwardBytes : send.forwardBytes;
        if (bytes == 0) return;
        const double wholeS = backward ? send.backwardS() : send.forwardS(),
                     bareS = wholeS * exposedS / sentS;
        inside.push_back({what, bareS, wholeS - bareS, bytes, backward ? send.backwardBps : send.forwardBps,
                          algorithmText(backward ? send.backwardBy : send.forwardBy)});
    };
    const Group& group = stage.group;
    const auto among = [](int ranks, const char* kind) {
        return " among " + std::to_string(ranks) + " " + kind + "-parallel GPUs";
    };
    add(sends.tensor, (group.sequenceParallel ? "AllGathers and ReduceScatters" : "AllReduces") +
                          among(group.tensor, "tensor"));
    add(sends.context, "keys and values" + among(group.context, "context"));
    const double imbalance = costs.problem().setup.imbalanceOf(group);
    add(sends.expert,
        "tokens" + among(group.expert, "expert") +
            (imbalance > 1 ? ", of the busiest, with " + formatNumber(imbalance) + " times the mean" : ""));
    return inside;
}

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
    const auto add = [&](int layer, InsideKind what, double seconds, CollectiveAlgorithm by = {}) {
        if (seconds <= 0) return;
        steps.push_back({layer, what, at, at + seconds, by});
        at += seconds;
    };
    // What is sent beside computing shows as computing.
    const double wholeS = sentInLayers(costs, plan, index, kind);
    const double bare = wholeS > 0 ? sentS(costs.stage(plan, index), kind) / wholeS : 0;
    Plan alone;
    alone.schedule = plan.schedule;
    alone.memory = plan.memory;
    alone.stages = {stage};
    for (const int layer : layersOf(plan, stage, kind)) {
        // The stage with that layer alone: what a pass costs besides its layers counts at each then.
        Stage& single = alone.stages.front();
        single.firstLayer = single.lastLayer = layer;
        const InsideSends sends = sendsOf(costs, plan, stage, layer, kind);
        const auto addSent = [&](InsideKind what, const InsideSend& send) {
            add(layer, what, (forward ? send.forwardS() : send.backwardS()) * bare,
                forward ? send.forwardBy : send.backwardBy);
        };
        const double overheadS = steps.empty() ? 0 : costs.problem().setup.passOverheadS;
        const StageCost cost = costs.stage(alone, 0);
        add(layer, InsideKind::computing, computingS(cost, kind) - sentS(cost, kind) - overheadS);
        addSent(InsideKind::tensor, sends.tensor);
        addSent(InsideKind::context, sends.context);
        addSent(InsideKind::expert, sends.expert);
    }
    for (InsideStep& step : steps) step.from /= at, step.to /= at;
    return steps;
}

}  // namespace stagecraft::analysis
