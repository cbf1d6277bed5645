#pragma once

#include "core/model/plan.h"
#include "tests/support/every_room.h"
#include "core/model/problem.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"

#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace stagecraft {

inline void PrintTo(Rule rule, std::ostream* out) { *out << ruleName(rule); }

}  // namespace stagecraft

namespace stagecraft::test {

/// `layers` equal layers (forward 1 s, backward 2 s of which 0.5 s weight gradient, 100 bytes of parameters,
/// 10 bytes passed on, 50 kept) and `devices` equal devices around one switch at `bandwidth` bytes per
/// second.
inline Problem smallProblem(int layers, int devices, int microbatches, double bandwidth = 10) {
    Problem problem;
    for (int i = 0; i < layers; ++i)
        problem.profile.layers.push_back({"layer " + std::to_string(i), 1, 2, 100, 10, 10, 50, 0.5});
    problem.cluster.switches.push_back({"hub", ""});
    for (int i = 0; i < devices; ++i) {
        Device device;
        device.id = "g" + std::to_string(i);
        device.memoryBytes = 1e6;
        device.hostBandwidthBps = 100;
        problem.cluster.devices.push_back(device);
        problem.cluster.links.push_back({device.id, "hub", bandwidth, 0, "pcie"});
    }
    problem.setup.microbatches = microbatches;
    return problem;
}

/// One stage for each device set, layers dealt out evenly from the front.
inline Plan smallPlan(const Problem& problem, std::vector<std::vector<int>> deviceSets,
                      const std::string& policy = "1f1b") {
    Plan plan;
    const int layers = problem.profile.layerCount(), stages = static_cast<int>(deviceSets.size());
    for (int s = 0; s < stages; ++s) {
        Stage stage;
        stage.firstLayer = layers * s / stages;
        stage.lastLayer = layers * (s + 1) / stages - 1;
        stage.devices = deviceSets[static_cast<std::size_t>(s)];
        plan.stages.push_back(stage);
    }
    plan.schedule.order = FamilySchedule{policy, {}};
    return plan;
}

inline std::set<Rule> rulesOf(const std::vector<Violation>& violations) {
    std::set<Rule> rules;
    for (const Violation& violation : violations) rules.insert(violation.rule);
    return rules;
}

inline std::string textOf(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& violation : violations)
        text += std::string(ruleName(violation.rule)) + ": " + violation.message + "\n";
    return text;
}

inline void move(Timeline& timeline, std::uint32_t block, double bySeconds) {
    timeline.startS[block] += bySeconds;
    timeline.endS[block] += bySeconds;
}

/// Rebuilds the columns with `copies` copies of block `target`: 0 drops it, 2 repeats it.
inline void editBlocks(Timeline& timeline, std::uint32_t target, int copies) {
    const Timeline before = timeline;
    std::vector<std::uint32_t> kept;
    for (Lane& lane : timeline.lanes) {
        const std::uint32_t first = lane.firstBlock, end = lane.endBlock;
        lane.firstBlock = static_cast<std::uint32_t>(kept.size());
        for (std::uint32_t block = first; block < end; ++block)
            kept.insert(kept.end(), block == target ? static_cast<std::size_t>(copies) : 1, block);
        lane.endBlock = static_cast<std::uint32_t>(kept.size());
    }
    timeline.resize(static_cast<std::uint32_t>(kept.size()));
    for (std::size_t i = 0; i < kept.size(); ++i) {
        timeline.startS[i] = before.startS[kept[i]];
        timeline.endS[i] = before.endS[kept[i]];
        timeline.kind[i] = before.kind[kept[i]];
        timeline.stage[i] = before.stage[kept[i]];
        timeline.microbatch[i] = before.microbatch[kept[i]];
        timeline.iteration[i] = before.iteration[kept[i]];
        timeline.waitedFor[i] = noBlock;
        timeline.waitReason[i] = before.waitReason[kept[i]];
    }
}
inline void dropBlock(Timeline& timeline, std::uint32_t block) { editBlocks(timeline, block, 0); }
inline void repeatBlock(Timeline& timeline, std::uint32_t block) { editBlocks(timeline, block, 2); }

struct Case {
    Problem problem;
    Plan plan;
    Timeline timeline;

    std::vector<Violation> check() const { return validate(problem, plan, timeline); }
    std::uint32_t find(BlockKind kind, int stage, int microbatch, int iteration = 0) const {
        return timeline.find(kind, stage, microbatch, iteration);
    }
};

struct Drawn {
    BlockKind kind;
    int stage, microbatch;
    double startS, endS;
};

inline void addLane(Timeline& timeline, Lane lane, const std::vector<Drawn>& blocks) {
    lane.firstBlock = timeline.blockCount();
    lane.endBlock = lane.firstBlock + static_cast<std::uint32_t>(blocks.size());
    timeline.resize(lane.endBlock);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::size_t at = lane.firstBlock + i;
        timeline.startS[at] = blocks[i].startS;
        timeline.endS[at] = blocks[i].endS;
        timeline.kind[at] = blocks[i].kind;
        timeline.stage[at] = blocks[i].stage;
        timeline.microbatch[at] = blocks[i].microbatch;
        timeline.iteration[at] = 0;
    }
    timeline.lanes.push_back(lane);
}

/// Two stages of one layer, two microbatches, 1F1B, drawn on paper: forward 1 s, backward 2 s, transfer 1 s.
inline Case byHand() {
    using enum BlockKind;
    Case c{smallProblem(2, 2, 2), {}, {}};
    c.plan = smallPlan(c.problem, {{0}, {1}});
    addLane(c.timeline, {LaneKind::compute, {0}},
            {{forward, 0, 0, 0, 1},
             {forward, 0, 1, 1, 2},
             {backward, 0, 0, 6, 8},
             {backward, 0, 1, 9, 11},
             {update, 0, -1, 11, 11}});
    addLane(c.timeline, {LaneKind::compute, {1}},
            {{forward, 1, 0, 2, 3},
             {backward, 1, 0, 3, 5},
             {forward, 1, 1, 5, 6},
             {backward, 1, 1, 6, 8},
             {update, 1, -1, 8, 8}});
    addLane(c.timeline, {LaneKind::channel, {0, 1}, 0, 1, Direction::forward},
            {{transferForward, 0, 0, 1, 2}, {transferForward, 0, 1, 2, 3}});
    addLane(c.timeline, {LaneKind::channel, {0, 1}, 0, 1, Direction::backward},
            {{transferBackward, 1, 0, 5, 6}, {transferBackward, 1, 1, 8, 9}});
    return c;
}

inline Case simulated(Problem problem, Plan plan, int iterations = 1) {
    SimulationOptions options;
    options.iterations = iterations;
    Timeline timeline = simulate(CostModel(problem), plan, options);
    return {std::move(problem), std::move(plan), std::move(timeline)};
}

/// Stage 0 on device 0, stage 1 split over devices 1 and 2, so that it needs an AllReduce.
inline Case replicated(int iterations = 1, bool overlaps = true) {
    Problem problem = smallProblem(4, 3, 3);
    problem.setup.allreduceOverlaps = overlaps;
    const Plan plan = smallPlan(problem, {{0}, {1, 2}});
    return simulated(problem, plan, iterations);
}

inline Case asynchronous(WeightPolicyKind kind) {
    Problem problem = smallProblem(2, 2, 2);
    problem.setup.mode = TrainingMode::asynchronous;
    Plan plan = smallPlan(problem, {{0}, {1}});
    plan.weights.kind = kind;
    return simulated(problem, plan, 4);
}

/// One stage per device; forward, transfer, backward and transfer back of one microbatch per period of 6 s.
inline Case periodic() {
    Problem problem = smallProblem(2, 2, 1);
    problem.setup.mode = TrainingMode::asynchronous;
    Plan plan = smallPlan(problem, {{0}, {1}});
    plan.weights = {WeightPolicyKind::doubleBuffer, {2, 2}};
    plan.schedule.order = PeriodicSchedule{6,
                                           {{BlockKind::forward, 0, 0, 0},
                                            {BlockKind::transferForward, 0, 1, 0},
                                            {BlockKind::forward, 1, 2, 0},
                                            {BlockKind::backward, 1, 3, 0},
                                            {BlockKind::transferBackward, 0, 5, 0},
                                            {BlockKind::backward, 0, 1, 1}}};
    return simulated(problem, plan, 5);
}

}  // namespace stagecraft::test
