// Activations that a stage puts into the memory of the one that mirrors it (BPipe): orders, times, memory,
// and what the validator says of them.
#include "core/analysis/link_load.h"
#include "core/editing/plan_edit.h"
#include "core/memory/block_bytes.h"
#include "core/memory/memory.h"
#include "core/memory/memory_holders.h"
#include "core/memory/memory_saved.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "core/simulation/block_graph.h"
#include "core/simulation/execution_graph.h"
#include "core/simulation/instants.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/graph_of.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace stagecraft {
namespace {

using random_problem::upTo;

constexpr double kept = 50;  // bytes of a microbatch on each stage of pipelineOf()

/// A layer and a device for each stage, with weightless layers, so that devices hold activations alone.
Problem pipelineOf(int stages, int microbatches, double bandwidth) {
    Problem problem = test::smallProblem(stages, stages, microbatches, bandwidth);
    for (Layer& layer : problem.profile.layers)
        layer.parameterBytes = layer.outputBytes = layer.outputGradientBytes = 0;
    return problem;
}

Plan planOf(const Problem& problem, const std::string& family) {
    std::vector<std::vector<int>> devices;
    for (int device = 0; device < problem.cluster.deviceCount(); ++device) devices.push_back({device});
    return test::smallPlan(problem, devices, family);
}

TEST(Evictions, OfBPipeBoundTheMemoryOf1F1BInItsTime) {
    for (int p = 1; p <= 16; ++p)
        for (int m = 1; m <= 64; m += m < 20 ? 1 : 11) {
            SCOPED_TRACE(std::to_string(p) + " stages, " + std::to_string(m) + " microbatches");
            const Problem problem = pipelineOf(p, m, 1e15);
            const CostModel costs(problem);
            const Plan plan = planOf(problem, "bpipe");
            const Timeline timeline = simulate(costs, plan);
            EXPECT_NEAR(timeline.lastEndS(), simulate(costs, planOf(problem, "1f1b")).lastEndS(), 1e-9);
            double peak = 0;
            for (const MemoryCurve& curve : memoryCurves(costs, plan, stageEdges(costs, plan), timeline))
                peak = std::max(peak, curve.peakBytes());
            EXPECT_NEAR(peak / kept, std::min({m, p, (p + 3) / 2}), 1e-9);
            EXPECT_EQ(test::textOf(validate(problem, plan, timeline)), "");
        }
}

TEST(Evictions, BeginWithATaskAndEndBeforeTheNext) {
    using enum TaskKind;
    Problem problem = pipelineOf(4, 6, 25);  // 2 s for what is kept
    const Plan plan = planOf(problem, "bpipe");
    const CostModel costs(problem);
    const auto orders = schedules::spelledOut(*findScheduleFamily("bpipe"), plan.stages, 6, {}).orders;
    const std::vector<Task> expected = {{forward, 0, 0},  {forward, 0, 1},  {forward, 0, 2},  {evict, 0, 1},
                                        {forward, 0, 3},  {backward, 0, 0}, {evict, 0, 2},    {forward, 0, 4},
                                        {load, 0, 1},     {backward, 0, 1}, {evict, 0, 4},    {forward, 0, 5},
                                        {load, 0, 2},     {backward, 0, 2}, {backward, 0, 3}, {load, 0, 4},
                                        {backward, 0, 4}, {backward, 0, 5}};
    EXPECT_EQ(orders.at(0), expected);
    for (int device = 1; device < 4; ++device)
        EXPECT_TRUE(std::all_of(orders.at(device).begin(), orders.at(device).end(),
                                [](const Task& task) { return isComputed(task.kind); }));

    const Timeline timeline = simulate(costs, plan);
    const std::uint32_t out = timeline.find(BlockKind::swapOut, 0, 1, 0);
    ASSERT_NE(out, noBlock);
    EXPECT_EQ(timeline.startS[out], 2);  // with the forward of microbatch 2
    EXPECT_NEAR(timeline.endS[out], 4, 1e-12);
    EXPECT_NEAR(timeline.startS[timeline.find(BlockKind::forward, 0, 3, 0)], 4, 1e-12);
    const std::uint32_t in = timeline.find(BlockKind::swapIn, 0, 1, 0);
    EXPECT_EQ(timeline.startS[in], timeline.startS[timeline.find(BlockKind::forward, 0, 4, 0)]);
    EXPECT_GE(timeline.startS[timeline.find(BlockKind::backward, 0, 1, 0)], timeline.endS[in]);

    // Three microbatches go there and come back.
    const Traffic loaned = traffic(costs, plan, lower(costs, plan), 1).at(1);
    EXPECT_EQ(loaned.stages, (std::vector{0, 3}));
    EXPECT_EQ(loaned.bytes, 2 * 3 * kept);

    const int lane = timeline.laneOf(out);
    const BlockBytes bytes(costs, plan, stageEdges(costs, plan));
    EXPECT_EQ(bytes.of(timeline, lane, out), kept);
    EXPECT_EQ(bytes.of(timeline, lane, out, 3), kept);
    // While it is away the other device has it, under its own name.
    const double away = (timeline.endS[out] + timeline.startS[in]) / 2;
    const auto heldOf = [&](int device) {
        for (const MemoryHolder& holder :
             MemoryLedger(costs, plan, stageEdges(costs, plan), timeline).holders(device, away))
            if (holder.stage == 0 && holder.microbatch == 1)
                return std::pair(holder.bytes, holder.savedBySwap);
        return std::pair(-1.0, -1.0);
    };
    EXPECT_EQ(heldOf(0), std::pair(0.0, kept));
    EXPECT_EQ(heldOf(3), std::pair(kept, -kept));
    const SavedMemories saved = savedMemory(costs, plan, stageEdges(costs, plan), timeline,
                                            memoryCurves(costs, plan, stageEdges(costs, plan), timeline));
    EXPECT_EQ(saved[0]->keptPeakBytes(), 4 * kept);
    EXPECT_EQ(saved[3]->keptPeakBytes(), kept);
}

std::string refusalOf(const Problem& problem, const Plan& plan) {
    try {
        simulate(CostModel(problem), plan);
    } catch (const SimulationError& error) {
        return error.what();
    }
    return "";
}

TEST(Evictions, ThatCannotBeAreRefusedInWords) {
    using enum TaskKind;
    Problem problem = pipelineOf(3, 1, 25);
    Plan plan = planOf(problem, "1f1b");
    const auto with = [&](std::vector<Task> order) {
        ExplicitSchedule schedule;
        const int stage = order.front().stage;
        for (int s = 0; s < 3; ++s) schedule.orders[s] = {{forward, s, 0}, {backward, s, 0}};
        schedule.orders[stage] = std::move(order);
        Plan spelled = plan;
        spelled.schedule = {schedule};
        return refusalOf(problem, spelled);
    };
    EXPECT_EQ(with({{forward, 0, 0}, {evict, 0, 0}, {load, 0, 0}, {backward, 0, 0}}), "");
    EXPECT_EQ(with({{forward, 1, 0}, {evict, 1, 0}, {load, 1, 0}, {backward, 1, 0}}),
              "stage 1 evicts activations, but it is in the middle of its pipeline: no stage mirrors it");
    EXPECT_EQ(with({{forward, 0, 0}, {evict, 0, 0}, {backward, 0, 0}}),
              "the order of device g0 evicts microbatch 0 of stage 0 and never loads it");
    EXPECT_EQ(with({{forward, 0, 0}, {load, 0, 0}, {backward, 0, 0}}),
              "the order of device g0 loads, without having evicted, microbatch 0 of stage 0");
    EXPECT_EQ(with({{forward, 0, 0}, {evict, 0, 0}, {load, 0, 0}, {load, 0, 0}, {backward, 0, 0}}),
              "the order of device g0 loads microbatch 0 of stage 0 twice");
    EXPECT_EQ(with({{forward, 0, 0}, {evict, 0, 0}, {backward, 0, 0}, {load, 0, 0}}),
              "the order of device g0 loads microbatch 0 of stage 0 at another time than between its forward "
              "and its backward");
    problem.setup.microbatches = 6;
    problem.cluster.devices.resize(3);
    problem = pipelineOf(4, 6, 25);
    plan = planOf(problem, "bpipe");
    plan.memory.layers[0] = LayerMemory::swap;
    EXPECT_EQ(refusalOf(problem, plan),
              "stage 0 evicts activations, but it swaps layers to the host's memory, too");
    plan.memory.layers.clear();
    problem.setup.mode = TrainingMode::asynchronous;
    EXPECT_EQ(refusalOf(problem, plan),
              "stage 0 evicts activations, but evictions are for synchronous training only");
}

/// Some of what each stage keeps goes away for a while, wherever the order allows it.
void addRandomEvictions(std::mt19937& random, const Plan& plan, ExplicitSchedule& schedule) {
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        if (plan.mirroredStage(stage) == stage) continue;
        const std::vector<int>& devices = plan.stages[static_cast<std::size_t>(stage)].devices;
        std::vector<Task> order = schedule.orders.at(devices.front());
        std::vector<int> microbatches;
        for (const Task& task : order)
            if (task.kind == TaskKind::forward && random() % 3 == 0) microbatches.push_back(task.microbatch);
        for (const int microbatch : microbatches) {
            const auto placeOf = [&](bool isForward) {
                return static_cast<int>(std::find_if(order.begin(), order.end(),
                                                     [&](const Task& task) {
                                                         return task.microbatch == microbatch &&
                                                                isComputed(task.kind) &&
                                                                (task.kind == TaskKind::forward) == isForward;
                                                     }) -
                                        order.begin());
            };
            const int from = placeOf(true) + 1, until = placeOf(false);
            const int out = from + upTo(random, until - from), in = out + upTo(random, until - out);
            order.insert(order.begin() + in, {TaskKind::load, stage, microbatch});
            order.insert(order.begin() + out, {TaskKind::evict, stage, microbatch});
        }
        for (const int device : devices) schedule.orders[device] = order;
    }
}

RC_GTEST_PROP(Evictions, EngineAndValidatorAgreeOnThem, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int stages = 2 + upTo(random, 5);
    Problem problem = random_problem::problem(random, stages + upTo(random, 3), stages + upTo(random, 3));
    problem.setup.microbatches = 1 + upTo(random, 8);
    Plan plan;
    const int layers = problem.profile.layerCount(), devices = problem.cluster.deviceCount();
    for (int s = 0; s < stages; ++s) {
        plan.stages.push_back({layers * s / stages, layers * (s + 1) / stages - 1, {}});
        for (int device = devices * s / stages; device < devices * (s + 1) / stages; ++device)
            plan.stages.back().devices.push_back(device);
    }
    if (random() % 3 == 0) plan.memory.layers[upTo(random, layers - 1)] = LayerMemory::recompute;
    plan.claims.fitsMemory = true;
    for (Device& device : problem.cluster.devices) device.memoryBytes = 1e15;
    plan.schedule.order = FamilySchedule{"bpipe", {}};
    const bool own = random() % 2 == 0;
    if (own) {
        ExplicitSchedule schedule =
            schedules::spelledOut(*findScheduleFamily("bpipe"), plan.stages, problem.setup.microbatches, {});
        for (auto& [device, order] : schedule.orders)
            std::erase_if(order, [](const Task& task) { return !isComputed(task.kind); });
        addRandomEvictions(random, plan, schedule);
        plan.schedule = {schedule};
    }
    const CostModel costs(problem);
    SimulationOptions options;
    options.iterations = 1 + upTo(random, 1);
    Timeline timeline = simulate(costs, plan, options);
    RC_ASSERT(test::textOf(validate(problem, plan, timeline)) == "");
    const std::vector<double> slack = slacksS(BlockGraph(graphOf(costs, plan, timeline), timeline));
    RC_ASSERT(*std::min_element(slack.begin(), slack.end()) >= 0);
    if (!own && options.iterations == 1) {
        Plan spelled = editing::spelledOut(plan, timeline);
        RC_ASSERT(
            std::get<ExplicitSchedule>(spelled.schedule.order).orders ==
            schedules::spelledOut(*findScheduleFamily("bpipe"), plan.stages, problem.setup.microbatches, {})
                .orders);
        RC_ASSERT(simulate(costs, spelled).startS == timeline.startS);
    }
    joinInstants(timeline);
    for (const MemoryCurve& curve : memoryCurves(costs, plan, stageEdges(costs, plan), timeline)) {
        if (curve.peakBytes() <= 0) continue;
        double& limit = problem.cluster.devices[static_cast<std::size_t>(curve.device)].memoryBytes;
        limit = curve.peakBytes();
        RC_ASSERT(test::textOf(validate(problem, plan, timeline)) == "");
        limit = curve.peakBytes() * (1 - 1e-6);
        RC_ASSERT(test::rulesOf(validate(problem, plan, timeline)) == std::set{Rule::memoryLimit});
        limit = 1e15;
    }
    // What is used before it is back, or evicted before it is there, is found.
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const BlockKind kind = timeline.kind[block];
        if ((kind != BlockKind::swapOut && kind != BlockKind::swapIn) || timeline.durationS(block) <= 0)
            continue;
        for (const double by : {-1.0, 1.0}) {
            Timeline wrong = timeline;
            wrong.startS[block] += by * timeline.lastEndS();
            wrong.endS[block] += by * timeline.lastEndS();
            RC_ASSERT(!validate(problem, plan, wrong).empty());
        }
        break;
    }
}

TEST(Evictions, ThatBPipeLeavesOutAreMissed) {
    const Problem problem = pipelineOf(6, 8, 1e15);
    const Plan evicting = planOf(problem, "bpipe"), plain = planOf(problem, "1f1b");
    const Timeline timeline = simulate(CostModel(problem), plain);
    EXPECT_EQ(test::textOf(validate(problem, plain, timeline)), "");
    const std::vector<Violation> found = validate(problem, evicting, timeline);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().rule, Rule::orderRespected);
    EXPECT_NE(found.front().message.find("5 microbatches in memory; bpipe has 4 at most"), std::string::npos)
        << found.front().message;
}

}  // namespace
}  // namespace stagecraft
