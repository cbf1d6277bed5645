#pragma once

#include "core/base/units.h"
#include "core/runs/plan_run.h"
#include "core/simulation/build_graph.h"
#include "tests/support/window_rooms.h"

namespace stagecraft::sample {

struct Block {
    BlockKind kind;
    int stage, microbatch;
    double startS, endS;
};

inline void addLane(Timeline& timeline, Lane lane, const std::vector<Block>& blocks) {
    std::uint32_t next = timeline.blockCount();
    lane.firstBlock = next;
    timeline.resize(next + static_cast<std::uint32_t>(blocks.size()));
    for (const Block& block : blocks) {
        timeline.startS[next] = block.startS;
        timeline.endS[next] = block.endS;
        timeline.kind[next] = block.kind;
        timeline.stage[next] = block.stage;
        timeline.microbatch[next] = block.microbatch;
        timeline.iteration[next] = 0;
        timeline.waitedFor[next] = noBlock;
        timeline.waitReason[next] = WaitReason::start;
        ++next;
    }
    lane.endBlock = next;
    timeline.lanes.push_back(std::move(lane));
}

/// Three devices on one switch, four layers of 10 ms forward and 20 ms backward, two microbatches.
inline std::shared_ptr<const CostModel> costs() {
    Problem problem;
    for (int i = 0; i < 4; ++i)
        problem.profile.layers.push_back(
            {"layer " + std::to_string(i), 0.010, 0.020, 1e8, 1e7, 1e7, 1e7, 0.010});
    problem.profile.microbatchSize = 8;
    for (int i = 0; i < 3; ++i) {
        const std::string id = "s0g" + std::to_string(i);
        problem.cluster.devices.push_back({id, "s0", "V100", 16 * gib, 1, 1e10});
        problem.cluster.links.push_back({id, "s0pcie", 12e9, 0, "pcie"});
    }
    problem.cluster.switches.push_back({"s0pcie", "s0"});
    problem.setup.microbatches = 2;
    return std::make_shared<const CostModel>(problem);
}

/// A plan of two stages, the first on s0g0 and s0g1 with an AllReduce at its end, with a timeline laid out by
/// hand; every number of its evaluation is written here and comes from no simulator.
inline std::shared_ptr<PlanRun> run(double iterationTimeS = 0.25) {
    auto result = std::make_shared<PlanRun>();
    result->costs = costs();
    result->result.planningTimeS = 0.004;
    result->result.status = PlanStatus::ok;
    Plan& plan = result->result.plan;
    plan.planner = "sample";
    plan.name = "By hand";
    plan.stages = {{0, 1, {0, 1}}, {2, 3, {2}}};

    auto evaluation = std::make_shared<Evaluation>();
    using enum BlockKind;
    Timeline& timeline = evaluation->timeline;
    addLane(timeline, {LaneKind::compute, {0, 1}},
            {{forward, 0, 0, 0, 0.02},
             {forward, 0, 1, 0.02, 0.04},
             {backward, 0, 0, 0.11, 0.15},
             {backward, 0, 1, 0.19, 0.23}});
    addLane(timeline, {LaneKind::compute, {2}},
            {{forward, 1, 0, 0.03, 0.05},
             {backward, 1, 0, 0.05, 0.09},
             {forward, 1, 1, 0.09, 0.11},
             {backward, 1, 1, 0.11, 0.15}});
    addLane(timeline, {LaneKind::channel, {0, 1, 2}, 0, 1, Direction::both},
            {{transferForward, 0, 0, 0.02, 0.03},
             {transferForward, 0, 1, 0.04, 0.05},
             {transferBackward, 0, 0, 0.09, 0.10},
             {transferBackward, 0, 1, 0.15, 0.16}});
    addLane(timeline, {LaneKind::allReduce, {0, 1}, 0}, {{allReduce, 0, -1, 0.23, 0.25}});

    evaluation->graph = std::make_shared<const ExecutionGraph>(buildExecutionGraph(*result->costs, plan, 1));

    for (int device = 0; device < 3; ++device) {
        MemoryCurve curve;
        curve.device = device;
        curve.limitBytes = 16 * gib;
        MemorySteps steps;
        steps.timeS = {0, 0.04, 0.15};
        for (auto& series : steps.bytes) series = {0, 0, 0};
        steps.bytes[int(MemoryKind::parameters)] = {4 * gib, 4 * gib, 4 * gib};
        steps.bytes[int(MemoryKind::activations)] = {2 * gib, (5.4 - device) * gib, 1 * gib};
        curve.steps = std::make_shared<const MemorySteps>(std::move(steps));
        evaluation->memory.push_back(curve);
    }
    Metrics& metrics = evaluation->metrics;
    metrics.iterationTimeS = iterationTimeS;
    metrics.throughputSamplesPerS = 16 / iterationTimeS;
    metrics.bubbleFraction = 0.52;
    metrics.spanBubbleFraction = 0.25;
    for (int device = 0; device < 3; ++device)
        metrics.devices.push_back({device, 0.12, 0.52, 0.25, (9.4 - device) * gib, 16 * gib, 0.04, 2});
    metrics.criticalPath = {{0, 8, 4, 5, 6, 7, 11, 3, 12}, 0.2, 0.04, 0, 0.01};
    metrics.planBound = {0.2, "stage 0: 0.12 s of work and what comes before and after it"};
    metrics.problemBound = {0.08, "all work over the sum of speeds"};
    result->evaluation = std::move(evaluation);
    return result;
}

}  // namespace stagecraft::sample
