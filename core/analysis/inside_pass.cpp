#include "core/analysis/inside_pass.h"

#include "core/analysis/alone_clock.h"
#include "core/base/units.h"
#include "core/cost/stage_layout.h"
#include "core/model/rank_measurements.h"

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

std::vector<InsideStep> stepsOf(const std::vector<InsideStep>& steps, const Timeline& timeline,
                                std::uint32_t block) {
    if (steps.empty() || !timeline.sharedRunOf(block)) return steps;
    const AloneClock clock(timeline, block);
    const auto share = [&](double ofAlone) {
        return (clock.instantOf(ofAlone * clock.aloneS()) - timeline.startS[block]) /
               timeline.durationS(block);
    };
    std::vector<InsideStep> stretched = steps;
    for (InsideStep& step : stretched) step.from = share(step.from), step.to = share(step.to);
    return stretched;
}

}  // namespace stagecraft::analysis
