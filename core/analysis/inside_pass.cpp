#include "core/analysis/inside_pass.h"

#include "core/cost/stage_layout.h"

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

}  // namespace stagecraft::analysis
