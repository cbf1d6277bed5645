#include "core/analysis/inside_pass.h"

#include "core/cost/stage_layout.h"

#include <algorithm>

namespace stagecraft::analysis {

std::vector<InsidePart> insideOf(const CostModel& costs, const Plan& plan, int index, bool backward) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const StageLayout layout(stage);
    const StageCost cost = costs.stage(plan, index);
    const double parts = costs.dividedBy(layout.sharers()) * plan.schedule.slices();
    std::vector<InsidePart> inside = {{"computing", backward ? cost.backwardS : cost.forwardS, 0, 0}};
    const auto add = [&](const InsideSend& send, const std::string& what) {
        const double bytes = (backward ? send.backwardBytes : send.forwardBytes) / parts;
        if (bytes == 0) return;
        inside.push_back({what, bytes / send.bandwidthBps, bytes, send.bandwidthBps});
        inside.front().seconds -= inside.back().seconds;
    };
    const InsideSends sends = costs.insideSends(stage, layout.ranksOf(0), stage.firstLayer, stage.lastLayer);
    const Group& group = stage.group;
    const auto among = [](int ranks, const char* kind) {
        return " among " + std::to_string(ranks) + " " + kind + "-parallel GPUs";
    };
    add(sends.tensor, (group.sequenceParallel ? "AllGathers and ReduceScatters" : "AllReduces") +
                          among(group.tensor, "tensor"));
    add(sends.context, "keys and values" + among(group.context, "context"));
    add(sends.expert, "tokens" + among(group.expert, "expert"));
    return inside;
}

namespace {

/// Of one layer in a pass, in seconds for a microbatch or a slice of it.
double computingS(const StageCost& cost, BlockKind kind) {
    if (kind == BlockKind::recompute) return cost.recomputeS;
    if (kind == BlockKind::forward) return cost.forwardS;
    return kind == BlockKind::inputGradient ? cost.backwardS - cost.weightGradientS : cost.backwardS;
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

}  // namespace

double insideSentS(const CostModel& costs, const Plan& plan, int index, BlockKind kind) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const bool again = kind == BlockKind::recompute, forward = again || kind == BlockKind::forward;
    if (!stage.group.dividesLayers() ||
        (!forward && kind != BlockKind::backward && kind != BlockKind::inputGradient))
        return 0;
    const StageLayout layout(stage);
    double seconds = 0;
    const auto add = [&](int first, int last) {
        const InsideSends sends = costs.insideSends(stage, layout.ranksOf(0), first, last);
        seconds += forward ? sends.forwardS() : sends.backwardS();
    };
    if (!again) add(stage.firstLayer, stage.lastLayer);
    if (again)
        for (const int layer : layersOf(plan, stage, kind))
            if (plan.layerMemory(layer) != LayerMemory::selective) add(layer, layer);
    return seconds / (costs.dividedBy(layout.sharers()) * plan.schedule.slices());
}

std::vector<InsideStep> insideSteps(const CostModel& costs, const Plan& plan, int index, BlockKind kind) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const bool forward = kind == BlockKind::forward || kind == BlockKind::recompute;
    const bool backward = kind == BlockKind::backward || kind == BlockKind::inputGradient;
    if (!stage.group.dividesLayers() || (!forward && !backward)) return {};
    const StageLayout layout(stage);
    const std::vector<int> ranks = layout.ranksOf(0);
    const double parts = costs.dividedBy(layout.sharers()) * plan.schedule.slices();
    std::vector<InsideStep> steps;
    double at = 0;
    const auto add = [&](int layer, InsideKind what, double seconds) {
        if (seconds <= 0) return;
        steps.push_back({layer, what, at, at + seconds});
        at += seconds;
    };
    Plan alone;
    alone.schedule = plan.schedule;
    alone.memory = plan.memory;
    alone.stages = {stage};
    for (const int layer : layersOf(plan, stage, kind)) {
        // The stage with that layer alone: what a pass costs besides its layers counts at each then.
        Stage& single = alone.stages.front();
        single.firstLayer = single.lastLayer = layer;
        const InsideSends sends = costs.insideSends(stage, ranks, layer, layer);
        const bool sendsAgain =
            kind != BlockKind::recompute || plan.layerMemory(layer) != LayerMemory::selective;
        const auto seconds = [&](const InsideSend& send) {
            return sendsAgain ? (forward ? send.forwardS() : send.backwardS()) / parts : 0;
        };
        const double sentS = seconds(sends.tensor) + seconds(sends.context) + seconds(sends.expert);
        const double overheadS = steps.empty() ? 0 : costs.problem().setup.passOverheadS;
        add(layer, InsideKind::computing, computingS(costs.stage(alone, 0), kind) - sentS - overheadS);
        add(layer, InsideKind::tensor, seconds(sends.tensor));
        add(layer, InsideKind::context, seconds(sends.context));
        add(layer, InsideKind::expert, seconds(sends.expert));
    }
    for (InsideStep& step : steps) step.from /= at, step.to /= at;
    return steps;
}

}  // namespace stagecraft::analysis
