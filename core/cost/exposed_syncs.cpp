#include "core/cost/exposed_syncs.h"

#include <algorithm>
#include <limits>

namespace stagecraft::cost {

namespace {

/// Seconds that a pass computes its layers, on the replica that has done first.
struct ComputedS {
    double forward = std::numeric_limits<double>::infinity(), backward = forward;
};

ComputedS computedS(const CostModel& costs, const Plan& plan, int index) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const int replicas =
        stage.replication == Replication::roundRobin ? static_cast<int>(stage.devices.size()) : 1;
    const double overheadS = costs.problem().setup.passOverheadS;
    ComputedS least;
    for (int replica = 0; replica < replicas; ++replica) {
        const StageCost cost = costs.stage(plan, index, replica);
        double backwardS = cost.backwardS - cost.sentBackwardS - overheadS;
        if (plan.schedule.splits()) backwardS -= cost.weightGradientS;
        if (cost.recomputeS > 0) backwardS += cost.recomputeS - cost.sentAgainS - overheadS;
        least.forward = std::min(least.forward, cost.forwardS - cost.sentForwardS - overheadS);
        least.backward = std::min(least.backward, backwardS);
    }
    return least;
}

}  // namespace

ExposedSyncs exposedSyncs(const CostModel& costs, const Plan& plan, const DataParallelGroup& group,
                          int stage) {
    ExposedSyncs exposed;
    const double overlap = costs.problem().setup.zeroOverlap;
    if (!(overlap > 0)) return exposed;
    double gatherS = 0, scatterS = 0;
    for (const StateSync& sync : stateSyncs(costs.problem())) {
        if (sync.trigger == SyncTrigger::beforePass) gatherS = group.secondsOf(sync);
        if (sync.trigger == SyncTrigger::afterBackward) scatterS = group.secondsOf(sync);
    }
    const auto bare = [&](double sentS, double besideS) {
        return sentS > 0 ? 1 - std::min(overlap, besideS / sentS) : 1;
    };
    const bool splits = plan.schedule.splits();
    const auto ofBackward = [&](int each) {
        return bare(gatherS + (splits ? 0 : scatterS), computedS(costs, plan, each).backward);
    };
    exposed.beforeForward = bare(gatherS, computedS(costs, plan, stage).forward);
    exposed.beforeBackward = ofBackward(stage);
    if (splits) return exposed;
    exposed.afterBackward = exposed.beforeBackward;
    for (const int each : group.stages)
        if (each != stage) exposed.afterBackward = std::max(exposed.afterBackward, ofBackward(each));
    return exposed;
}

}  // namespace stagecraft::cost
