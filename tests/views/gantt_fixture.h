#pragma once

#include "core/runs/plan_run.h"
#include "tests/support/window_rooms.h"

#include <algorithm>
#include <memory>
#include <string>

namespace stagecraft {

/// A pipeline made up for tests and benchmarks of the chart: stages of unequal length, several GPUs each.
struct MadeUpPipeline {
    int stages = 4;
    int replicas = 2;
    int microbatches = 8;
    std::string policy = "1f1b";
    double memoryLimitBytes = 16.0 * (1 << 30);
    double linkBps = 12e9;  ///< 0: links so fast that transfers take no time worth showing
    /// Mini-batches that follow each other without a barrier, under `weights`; 0: one, with a barrier.
    int miniBatches = 0;
    WeightPolicyKind weights = WeightPolicyKind::predicted;
    ChannelMode channel = ChannelMode::fullDuplex;
};

inline Problem madeUpProblem(const MadeUpPipeline& wanted) {
    Problem problem;
    problem.profile.name = "made up";
    problem.profile.microbatchSize = 4;
    for (int layer = 0; layer < wanted.stages; ++layer) {
        Layer it;
        it.name = "layer " + std::to_string(layer);
        it.forwardS = 0.004 * wanted.replicas * (1 + 0.25 * ((layer * 7) % 4));
        it.backwardS = 2 * it.forwardS;
        it.parameterBytes = 4e8;
        it.outputBytes = it.outputGradientBytes = 48e6;
        it.storedActivationBytes = 6e8 * wanted.replicas;
        problem.profile.layers.push_back(it);
    }
    const int devices = wanted.stages * wanted.replicas;
    for (int device = 0; device < devices; ++device) {
        Device it;
        it.server = "s" + std::to_string(device / 4);
        it.id = it.server + "g" + std::to_string(device % 4);
        it.gpu = "V100-SXM2-16GB";
        it.memoryBytes = wanted.memoryLimitBytes;
        it.hostBandwidthBps = 12e9;
        problem.cluster.devices.push_back(it);
        problem.cluster.links.push_back({it.id, "switch", wanted.linkBps, 0, "ethernet"});
    }
    problem.cluster.switches.push_back({"switch", ""});
    problem.setup.microbatches = wanted.microbatches;
    problem.setup.optimizer = Optimizer::adam;
    problem.setup.channel = wanted.channel;
    if (wanted.miniBatches > 0) problem.setup.mode = TrainingMode::asynchronous;
    return problem;
}

inline Plan madeUpPlan(const MadeUpPipeline& wanted) {
    Plan plan;
    plan.planner = "made-up";
    for (int s = 0; s < wanted.stages; ++s) {
        Stage stage;
        stage.firstLayer = stage.lastLayer = s;
        for (int replica = 0; replica < wanted.replicas; ++replica)
            stage.devices.push_back(s * wanted.replicas + replica);
        plan.stages.push_back(stage);
    }
    FamilySchedule policy;
    policy.name = wanted.policy;
    plan.schedule.order = policy;
    if (wanted.miniBatches > 0) plan.weights = {wanted.weights, {}, VersionDifference::counted};
    return plan;
}

/// Simulated and measured, but not validated: the chart is what is tested.
inline std::shared_ptr<PlanRun> madeUpRun(const MadeUpPipeline& wanted = {}) {
    auto run = std::make_shared<PlanRun>();
    run->costs = std::make_shared<CostModel>(madeUpProblem(wanted));
    run->result.status = PlanStatus::ok;
    run->result.plan = madeUpPlan(wanted);
    run->evaluation = std::make_shared<const Evaluation>(
        measureRun(*run->costs, run->result.plan,
                   simulatedRun(*run->costs, run->result.plan, {std::max(1, wanted.miniBatches), {}})));
    return run;
}

}  // namespace stagecraft
