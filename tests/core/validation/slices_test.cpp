// Plans that cut sequences into slices: the engine's times and memory, and what the validator says of them.
#include "core/analysis/block_query.h"
#include "core/analysis/metrics.h"
#include "core/memory/memory.h"
#include "core/model/chart_note.h"
#include "core/schedules/families.h"
#include "core/simulation/block_graph.h"
#include "core/simulation/execution_graph.h"
#include "core/simulation/instants.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/golden_cases.h"
#include "tests/core/support/graph_of.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

using random_problem::upTo;

Plan seq1f1b(int stages, int slices) {
    Plan plan;
    for (int stage = 0; stage < stages; ++stage) plan.stages.push_back({stage, stage, {stage}});
    plan.schedule.order = FamilySchedule{"seq1f1b", {{slicesParameter, slices}}};
    return plan;
}

/// A layer for each stage, with the times of whole microbatches; activations of one byte a slice.
Problem chainOf(const std::vector<double>& forwardS, const std::vector<double>& backwardS, int microbatches,
                int slices) {
    Problem problem;
    for (std::size_t i = 0; i < forwardS.size(); ++i) {
        const std::string id = "g" + std::to_string(i);
        problem.profile.layers.push_back(
            {"l", slices * forwardS[i], slices * backwardS[i], 0, 0, 0, double(slices), 0});
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 32});
        if (i > 0) problem.cluster.links.push_back({"g" + std::to_string(i - 1), id, 1e12, 0, ""});
    }
    problem.setup.microbatches = microbatches;
    return problem;
}

TEST(Slices, RunAsTheReferenceDoes) {
    const auto golden = testing::goldenCase("sched-20-seq1f1b");
    const nlohmann::json &durations = golden.input.at("durations"), &expected = golden.expected;
    const int slices = golden.input.at("parameters").at("k"), stages = golden.input.at("stages");
    const Problem problem =
        chainOf(durations.at("F").get<std::vector<double>>(), durations.at("B").get<std::vector<double>>(),
                golden.input.at("microbatches"), slices);
    const CostModel costs(problem);
    const Plan plan = seq1f1b(stages, slices);
    const Timeline timeline = simulate(costs, plan);
    EXPECT_EQ(timeline.lastEndS(), expected.at("makespan").get<double>());
    const std::vector<MemoryCurve> curves = memoryCurves(costs, plan, stageEdges(costs, plan), timeline);
    for (int stage = 0; stage < stages; ++stage) {
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.computeLaneOf(stage))];
        std::vector<double> starts;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            if (isPass(timeline.kind[block])) starts.push_back(timeline.startS[block]);
        EXPECT_EQ(starts, expected.at("starts")[static_cast<std::size_t>(stage)].get<std::vector<double>>());
        EXPECT_NEAR(curves[static_cast<std::size_t>(stage)].peakBytes() / slices,
                    expected.at("peak")[static_cast<std::size_t>(stage)].get<double>(), 1e-12);
    }
    EXPECT_EQ(test::textOf(validate(problem, plan, timeline)), "");
}

TEST(Slices, OfOneAreWholeMicrobatches) {
    const Problem problem = chainOf({1, 2, 1}, {2, 3, 2}, 5, 1);
    Plan whole = seq1f1b(3, 1);
    const Timeline cut = simulate(CostModel(problem), whole);
    whole.schedule.order = FamilySchedule{"1f1b", {}};
    const Timeline same = simulate(CostModel(problem), whole);
    EXPECT_TRUE(cut.slice.empty());
    EXPECT_EQ(cut.startS, same.startS);
    EXPECT_EQ(cut.microbatch, same.microbatch);
}

TEST(Slices, EachTransferCarriesItsPartAndWaitsOutTheWholeLatency) {
    Problem problem = chainOf({1, 1}, {1, 1}, 2, 4);
    problem.profile.layers[0].outputBytes = problem.profile.layers[0].outputGradientBytes = 8;
    problem.cluster.links[0].bandwidthBps = 2;
    problem.cluster.links[0].latencyS = 0.25;
    const Timeline timeline = simulate(CostModel(problem), seq1f1b(2, 4));
    int transfers = 0;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
        if (timeline.kind[block] == BlockKind::transferForward) {
            EXPECT_NEAR(timeline.durationS(block), 8.0 / 4 / 2 + 0.25, 1e-12);
            ++transfers;
        }
    EXPECT_EQ(transfers, 8);
}

TEST(Slices, AreFoundNamedAndNoted) {
    const Problem problem = chainOf({1, 2}, {2, 1}, 3, 3);
    const Plan plan = seq1f1b(2, 3);
    const Timeline timeline = simulate(CostModel(problem), plan);
    const BlockQuery query("slice:1 kind:forward -kind:transfer stage:1", problem.cluster, plan, timeline);
    const std::vector<std::uint32_t> found = query.find(timeline, {});
    ASSERT_EQ(found.size(), 3u);
    for (std::size_t microbatch = 0; microbatch < 3; ++microbatch) {
        const std::string name =
            "forward of slice 1 of microbatch " + std::to_string(microbatch) + " on stage 1";
        EXPECT_EQ(describeBlock(timeline, found[microbatch]), name);
        const BlockName noted = nameOfBlock(timeline, found[microbatch]);
        EXPECT_EQ(blockNameText(noted), name);
        EXPECT_EQ(timeline.find(noted.kind, noted.stage, noted.microbatch, noted.iteration, noted.slice),
                  found[microbatch]);
        const Neighbours around =
            neighbours(*graphOf(CostModel(problem), plan, timeline), timeline, found[microbatch]);
        const std::uint32_t before = timeline.find(BlockKind::forward, 1, static_cast<int>(microbatch), 0, 0);
        EXPECT_NE(std::find(around.predecessors.begin(), around.predecessors.end(), before),
                  around.predecessors.end());
    }
}

TEST(Slices, ThatCannotBeAreRefusedInWords) {
    const auto refusal = [](const Problem& problem, const Plan& plan) -> std::string {
        try {
            simulate(CostModel(problem), plan);
        } catch (const SimulationError& error) {
            return error.what();
        }
        return "";
    };
    Problem problem = chainOf({1, 1}, {1, 1}, 2, 2);
    Plan plan = seq1f1b(2, 2);
    std::get<FamilySchedule>(plan.schedule.order).name = "1f1b";
    EXPECT_EQ(
        refusal(problem, plan),
        "the schedule '1f1b': no parameter 'slices'; expected one of extra_in_flight, prediction_s_per_byte");
    problem.setup.mode = TrainingMode::asynchronous;
    EXPECT_EQ(refusal(problem, seq1f1b(2, 2)),
              "the plan cuts sequences into slices, which is for synchronous training only");
    problem.setup.mode = TrainingMode::synchronous;

    using enum TaskKind;
    ExplicitSchedule orders;
    orders.slices = 2;
    problem.setup.microbatches = 1;
    plan.stages = {{0, 1, {0}}};
    orders.orders[0] = {
        {forward, 0, 0, false, 1}, {forward, 0, 0}, {backward, 0, 0, false, 1}, {backward, 0, 0}};
    plan.schedule.order = orders;
    EXPECT_EQ(
        refusal(problem, plan),
        "the plan deadlocks: forward of slice 1 of microbatch 0 on stage 0 waits for forward of slice 0 of "
        "microbatch 0 on stage 0 waits for forward of slice 1 of microbatch 0 on stage 0");
}

/// Orders in which everything that a pass needs comes before it, on devices of all kinds of stages.
ExplicitSchedule randomOrders(std::mt19937& random, const Plan& plan, int microbatches, int slices) {
    using enum TaskKind;
    const int stages = plan.stageCount(), passes = microbatches * slices;
    std::vector<std::vector<int>> forwards(plan.stages.size()), gradients(plan.stages.size());
    const auto done = [](const std::vector<int>& list, int pass) {
        return std::find(list.begin(), list.end(), pass) != list.end();
    };
    const unsigned salt = static_cast<unsigned>(random());
    ExplicitSchedule schedule;
    schedule.slices = slices;
    for (int left = 2 * stages * passes; left > 0;) {
        const auto s = static_cast<std::size_t>(upTo(random, stages - 1));
        const int pass = upTo(random, passes - 1), slice = pass % slices;
        const bool isForward = random() % 2 == 0;
        const bool isDone = done(isForward ? forwards[s] : gradients[s], pass);
        const bool isReady =
            isForward
                ? (s == 0 || done(forwards[s - 1], pass)) && (slice == 0 || done(forwards[s], pass - 1))
                : done(forwards[s], pass) && (s + 1 == plan.stages.size() || done(gradients[s + 1], pass)) &&
                      (slice == slices - 1 || done(gradients[s], pass + 1));
        if (isDone || !isReady) continue;
        (isForward ? forwards[s] : gradients[s]).push_back(pass);
        --left;
        const bool splits = (static_cast<unsigned>(pass * 7 + static_cast<int>(s)) ^ salt) % 3 == 0;
        const Task task{isForward ? forward
                        : splits  ? inputGradient
                                  : backward,
                        static_cast<int>(s), pass / slices, false, slice};
        for (const int device : plan.stages[s].devices) {
            schedule.orders[device].push_back(task);
            if (!isForward && splits)
                schedule.orders[device].push_back(
                    {weightGradient, task.stage, task.microbatch, false, slice});
        }
    }
    return schedule;
}

RC_GTEST_PROP(Slices, EngineAndValidatorAgreeOnOrdersOfThem, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 2 + upTo(random, 6), 1 + upTo(random, 3));
    problem.setup.microbatches = 1 + upTo(random, 3);
    Plan plan;
    for (int first = 0; first < problem.profile.layerCount();) {
        const int last = std::min(problem.profile.layerCount() - 1, first + upTo(random, 2));
        std::vector<int> devices(problem.cluster.devices.size());
        std::iota(devices.begin(), devices.end(), 0);
        std::shuffle(devices.begin(), devices.end(), random);
        devices.resize(1 + random() % devices.size());
        plan.stages.push_back({first, last, devices});
        first = last + 1;
    }
    if (random() % 3 == 0) plan.memory.layers[0] = LayerMemory::recompute;
    plan.schedule = {randomOrders(random, plan, problem.setup.microbatches, 2 + upTo(random, 2))};
    plan.claims.fitsMemory = true;
    for (Device& device : problem.cluster.devices) device.memoryBytes = 1e12;
    const CostModel costs(problem);
    SimulationOptions options;
    options.iterations = 1 + upTo(random, 2);
    Timeline timeline = simulate(costs, plan, options);
    RC_ASSERT(test::textOf(validate(problem, plan, timeline)) == "");
    const std::vector<double> slack = slacksS(BlockGraph(graphOf(costs, plan, timeline), timeline));
    RC_ASSERT(*std::min_element(slack.begin(), slack.end()) >= 0);
    joinInstants(timeline);
    for (const MemoryCurve& curve : memoryCurves(costs, plan, stageEdges(costs, plan), timeline)) {
        if (curve.peakBytes() <= 0) continue;
        double& limit = problem.cluster.devices[static_cast<std::size_t>(curve.device)].memoryBytes;
        limit = curve.peakBytes();
        RC_ASSERT(test::textOf(validate(problem, plan, timeline)) == "");
        limit = curve.peakBytes() * (1 - 1e-6);
        RC_ASSERT(test::rulesOf(validate(problem, plan, timeline)) == std::set{Rule::memoryLimit});
        limit = 1e12;
    }
    // A slice that starts before the one that it reads is found.
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
        if (timeline.kind[block] == BlockKind::forward && timeline.slice[block] == 1 &&
            timeline.durationS(block) > 0) {
            Timeline wrong = timeline;
            wrong.startS[block] -= wrong.lastEndS();
            RC_ASSERT(!validate(problem, plan, wrong).empty());
            break;
        }
}

}  // namespace
}  // namespace stagecraft
