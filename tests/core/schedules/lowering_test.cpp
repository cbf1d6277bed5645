// What lowering gives is what the engine runs: the kept orders against the timeline.
#include "core/schedules/lowering.h"

#include "core/analysis/evaluation.h"
#include "core/base/indices.h"
#include "core/model/lane_stages.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "tests/core/support/random_problem.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

using random_problem::upTo;

/// A pass and its iteration.
using Run = std::pair<Pass, int>;

struct Setting {
    explicit Setting(std::uint32_t seed) : random(seed) {
        Problem problem = random_problem::problem(random, 1 + upTo(random, 8), 1 + upTo(random, 6));
        if (seed % 4 == 0) problem.setup.mode = TrainingMode::asynchronous;
        plan = random_problem::plan(random, problem);
        if (seed % 3 == 0) random_problem::takeTurns(plan);
        iterations = 1 + upTo(random, 3);
        costs.emplace(std::move(problem));
    }
    int microbatches() const { return costs->problem().setup.microbatches; }

    std::mt19937 random;
    std::optional<CostModel> costs;
    Plan plan;
    int iterations = 1;
};

/// Recomputation left out, which the orders of families leave to whoever runs them.
std::vector<Run> runsOn(const Timeline& timeline, const Lane& lane) {
    std::vector<Run> runs;
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
        timeline.eachPass(block, [&](const Pass& pass) {
            if (isPass(pass.kind)) runs.push_back({pass, timeline.iteration[block]});
        });
    return runs;
}

/// What a task is on the timeline.
void addPasses(std::vector<Run>& runs, const Task& task, int iteration, bool splitsWhole) {
    const auto add = [&](BlockKind kind) {
        runs.push_back({{kind, task.stage, task.microbatch, task.slice}, iteration});
    };
    switch (task.kind) {
        case TaskKind::forward:
            return add(BlockKind::forward);
        case TaskKind::weightGradient:
            return add(BlockKind::weightGradient);
        case TaskKind::inputGradient:
            return add(BlockKind::inputGradient);
        case TaskKind::backward:
            add(splitsWhole ? BlockKind::inputGradient : BlockKind::backward);
            if (splitsWhole) add(BlockKind::weightGradient);
            return;
        default:
            return;
    }
}

/// Of a stage's order, on its replica of that number.
std::vector<Run> orderedOn(const Setting& it, const LoweredPlan& lowered, int stage, int replica) {
    const StageOrder& order = lowered.stages[at(stage)];
    const bool turns = it.plan.stages[at(stage)].replication == Replication::roundRobin;
    const int replicas = turns ? static_cast<int>(it.plan.stages[at(stage)].devices.size()) : 1;
    const int rounds = lowered.streams ? 1 : it.iterations;
    const int perRound = it.microbatches() * (lowered.streams ? it.iterations : 1);
    std::vector<Run> runs;
    for (int round = 0; round < rounds; ++round)
        for (std::size_t first = 0; first < order.ofReplicas.size(); ++first)
            for (const StageOp& op : order.ofReplicas[first]) {
                const int number = round * perRound + static_cast<int>(first) + op.microbatch * order.step;
                if (number % replicas != replica) continue;
                addPasses(runs, {op.kind, stage, number % it.microbatches()}, number / it.microbatches(),
                          it.plan.schedule.splits());
            }
    return runs;
}

std::vector<Run> orderedOn(const Setting& it, const LoweredPlan& lowered, int device) {
    std::vector<Run> runs;
    const bool splitsWhole = it.plan.schedule.splits() && !lowered.namesPasses;
    for (int iteration = 0; iteration < it.iterations; ++iteration)
        for (const Task& task : lowered.devices.orders.at(device))
            addPasses(runs, task, iteration, splitsWhole);
    return runs;
}

TEST(Lowering, WhatIsKeptIsWhatEveryDeviceRan) {
    std::map<OrderRule, int> seen;
    int streams = 0, ownOrders = 0;
    for (std::uint32_t seed = 0; seed < 600; ++seed) {
        const Setting it(seed);
        SimulatedRun run;
        try {
            run = simulatedRun(*it.costs, it.plan, {it.iterations, {}});
        } catch (const SimulationError&) {
            continue;  // the family does not suit the stages
        }
        const LoweredPlan& lowered = run.lowered();
        ++seen[lowered.rule];
        streams += lowered.streams;
        if (lowered.rule == OrderRule::greedy) continue;
        for (int stage = 0; stage < it.plan.stageCount(); ++stage) {
            const std::vector<int>& devices = it.plan.stages[at(stage)].devices;
            for (std::size_t replica = 0; replica < devices.size(); ++replica) {
                const Lane& lane = run.timeline.lanes[at(run.timeline.computeLaneOf(devices[replica]))];
                const bool turns = it.plan.stages[at(stage)].replication == Replication::roundRobin;
                ownOrders += lowered.rule == OrderRule::ofStages && lowered.stages[at(stage)].step > 1;
                EXPECT_EQ(runsOn(run.timeline, lane),
                          lowered.rule == OrderRule::ofDevices
                              ? orderedOn(it, lowered, devices[replica])
                              : orderedOn(it, lowered, stage, turns ? static_cast<int>(replica) : 0))
                    << "seed " << seed << ", stage " << stage;
            }
        }
    }
    EXPECT_GT(seen[OrderRule::ofStages], 100);
    EXPECT_GT(seen[OrderRule::ofDevices], 50);
    EXPECT_GT(seen[OrderRule::greedy], 5);
    EXPECT_GT(streams, 10);
    EXPECT_GT(ownOrders, 10);
}

/// Each family's own words against what is kept, in the plan's numbers.
RC_GTEST_PROP(Lowering, OrdersKeptAreThoseThatTheFamilySpellsOut, (std::uint32_t seed)) {
    const Setting it(seed);
    const auto& policy = std::get<FamilySchedule>(it.plan.schedule.order);
    const ScheduleFamily& family = *findScheduleFamily(policy.name);
    std::optional<LoweredPlan> made;
    try {
        made = lower(*it.costs, it.plan, it.iterations);
    } catch (const std::invalid_argument&) {
        RC_DISCARD("the family does not suit the stages");
    }
    const LoweredPlan& lowered = *made;
    if (family.deviceOrders) {
        const std::vector<PassTimes> times = passTimes(*it.costs, it.plan, StageEdges(*it.costs, it.plan));
        RC_ASSERT(lowered.devices ==
                  spelledOut(family, it.plan.stages, it.microbatches(), policy.parameters, times));
        RC_ASSERT(lowered.stages.empty());
        return;
    }
    RC_ASSERT(lowered.devices.orders.empty());
    if (!family.order) RC_ASSERT(lowered.rule == OrderRule::greedy);
    const int stages = it.plan.stageCount();
    const int passes = it.microbatches() * (lowered.streams ? it.iterations : 1);
    for (int stage = 0; family.order && !family.replicaOrder && stage < stages; ++stage)
        RC_ASSERT(lowered.stages[at(stage)] ==
                  (StageOrder{{family.order(stage, stages, passes, policy.parameters)}, 1}));
    for (const ChannelOrder& channel : lowered.channels)
        RC_ASSERT(channel.ops == family.channelOrder(channel.from, stages, it.microbatches()));
    const bool ordersChannels =
        family.channelOrder && it.costs->problem().setup.channel == ChannelMode::halfDuplex;
    RC_ASSERT(lowered.channels.empty() || ordersChannels);
}

TEST(Lowering, ChannelsBetweenNeighboursHaveAnOrderOnHalfDuplex) {
    int ordered = 0;
    for (std::uint32_t seed = 1; seed < 40; ++seed) {
        Setting it(seed);
        Problem problem = it.costs->problem();
        problem.setup.channel = ChannelMode::halfDuplex;
        problem.setup.mode = TrainingMode::synchronous;
        for (Stage& stage : it.plan.stages) stage.replication = Replication::split;
        it.plan.schedule = {FamilySchedule{"pe", {}}};
        const LoweredPlan lowered = lower(CostModel(problem), it.plan);
        EXPECT_EQ(lowered.channels.size(), at(it.plan.stageCount() - 1)) << "seed " << seed;
        ordered += static_cast<int>(lowered.channels.size());
    }
    EXPECT_GT(ordered, 20);
}

/// Whoever asks an evaluation gets the order that was run, be it one that a search preferred.
TEST(Lowering, AnEvaluationKeepsTheOrderThatWasRun) {
    int searched = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        Setting it(4 * seed + 1);
        it.plan.schedule = {FamilySchedule{"zb-search", {}}, true};
        Evaluation evaluation;
        try {
            evaluation = evaluate(*it.costs, it.plan, {it.iterations, {}});
        } catch (const SimulationError&) {
            continue;
        }
        ++searched;
        for (const Lane& lane : evaluation.timeline.lanes)
            if (lane.kind == LaneKind::compute) {
                EXPECT_EQ(runsOn(evaluation.timeline, lane),
                          orderedOn(it, evaluation.lowered(), lane.devices.front()))
                    << "seed " << seed;
            }
    }
    EXPECT_GT(searched, 10);
}

}  // namespace
}  // namespace stagecraft
