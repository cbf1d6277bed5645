#include "core/simulation/steady_state.h"

#include "core/analysis/evaluation.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/support/graph_of.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <map>

namespace stagecraft {
namespace {

/// Seconds of work that the busiest resource has in a mini-batch on the average, counted on a timeline of
/// whole turns: devices, channels, AllReduce.
double busiestS(const Timeline& timeline, int miniBatches) {
    double most = 0;
    for (const Lane& lane : timeline.lanes) {
        double busy = 0;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            busy += timeline.durationS(block);
        most = std::max(most, busy / miniBatches);
    }
    return most;
}

/// A random plan of stages, some replicated, whose replicas take turns, under 1F1B.
struct SteadyPlan {
    Problem problem;
    Plan plan;
};

SteadyPlan madeFrom(unsigned seed, int extraInFlight) {
    std::mt19937 random(seed);
    SteadyPlan made;
    made.problem = random_problem::problem(random, 6, 6);
    made.problem.profile.otherSizes.clear();
    made.problem.profile.microbatchSize = 1;
    made.problem.setup.mode = TrainingMode::asynchronous;
    made.plan = random_problem::plan(random, made.problem);
    made.plan.memory.layers.clear();
    made.plan.schedule = {};
    FamilySchedule schedule{"1f1b", {}};
    if (extraInFlight > 0) schedule.parameters["extra_in_flight"] = extraInFlight;
    made.plan.schedule.order = schedule;
    for (Stage& stage : made.plan.stages)
        stage.replication =
            stage.devices.size() > 1 && random() % 2 ? Replication::roundRobin : Replication::split;
    made.plan.weights = {WeightPolicyKind::stashing, {}, VersionDifference::exact};
    made.plan.miniBatch.microbatches = 1 + static_cast<int>(random() % 3);
    made.problem.setup = setupOf(made.plan, made.problem.setup);
    return made;
}

int miniBatchesOf(const Timeline& timeline) {
    return 1 + *std::max_element(timeline.iteration.begin(), timeline.iteration.end());
}

/// A multiple of all turns that six devices can make.
constexpr int wholeTurns = 60;

TEST(SteadyState, IsTheLoadOfTheBusiestResourceWhereNothingElseBinds) {
    int replicated = 0, byNetwork = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        const SteadyPlan made = madeFrom(seed, 12);
        const CostModel costs(made.problem);
        const Evaluation evaluation = evaluate(costs, made.plan);
        EXPECT_TRUE(evaluation.valid()) << "seed " << seed << ": " << evaluation.violations.front().message;
        const double load = busiestS(simulate(costs, made.plan, {wholeTurns, {}}), wholeTurns);
        EXPECT_NEAR(evaluation.metrics.iterationTimeS, load, 1e-9 * load) << "seed " << seed;
        EXPECT_NEAR(evaluation.metrics.planBound.seconds, load, 1e-9 * load) << "seed " << seed;
        // Of the whole of a long run: what waits for an AllReduce may pile up in one half of it and be worked
        // off in the other.
        const std::vector<double> done = completionsS(simulate(costs, made.plan, {20 * wholeTurns, {}}));
        EXPECT_NEAR(done.back() / (20.0 * wholeTurns), load, 0.04 * load) << "seed " << seed;
        for (const Stage& stage : made.plan.stages)
            replicated += stage.replication == Replication::roundRobin ? 1 : 0;
        double compute = 0;
        for (const DeviceMetrics& device : evaluation.metrics.devices)
            compute = std::max(compute, device.busyS);
        byNetwork += compute < load * 0.9 ? 1 : 0;
    }
    EXPECT_GT(replicated, 50);
    EXPECT_GT(byNetwork, 30);
}

TEST(SteadyState, IsNeverShorterThanThatLoadAndMoreInFlightNeverHurts) {
    int bound = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        const SteadyPlan tight = madeFrom(seed, 0), loose = madeFrom(seed, 3);
        const double tightS = evaluate(CostModel(tight.problem), tight.plan).metrics.iterationTimeS;
        const Evaluation more = evaluate(CostModel(loose.problem), loose.plan);
        const double load = more.metrics.planBound.seconds;
        EXPECT_GE(tightS, load * (1 - 1e-9)) << "seed " << seed;
        EXPECT_GE(more.metrics.iterationTimeS, load * (1 - 1e-9)) << "seed " << seed;
        bound += tightS > load * (1 + 1e-9) ? 1 : 0;
    }
    EXPECT_GT(bound, 20);  // NOAM leaves no time for transfers
}

TEST(SteadyState, WithoutTransfersNoamIsEnough) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        SteadyPlan made = madeFrom(seed, 0);
        for (Layer& layer : made.problem.profile.layers) layer.outputBytes = layer.outputGradientBytes = 0;
        for (Link& link : made.problem.cluster.links) link.latencyS = 0;
        for (Device& device : made.problem.cluster.devices) device.speed = 1;
        made.plan.miniBatch.microbatches = made.problem.setup.microbatches = 1;
        made.problem.setup.allreduceOverlaps = true;
        for (Stage& stage : made.plan.stages) stage.replication = Replication::split;
        const Evaluation evaluation = evaluate(CostModel(made.problem), made.plan);
        const double load = evaluation.metrics.planBound.seconds;
        EXPECT_NEAR(evaluation.metrics.iterationTimeS, load, 1e-9 * load) << "seed " << seed;
    }
}

TEST(SteadyState, SpansWholeTurnsOfReplicasOfUnequalSpeed) {
    Problem problem;
    problem.profile.layers.assign(1, Layer{"l", 1, 2, 0, 0, 0, 4, 1});
    for (const double speed : {1.0, 1.0, 0.5})
        problem.cluster.devices.push_back(
            {"d" + std::to_string(problem.cluster.devices.size()), "s", "", 1e9, speed, 0});
    for (int other : {1, 2}) problem.cluster.links.push_back({"d0", "d" + std::to_string(other), 8, 0, ""});
    problem.setup.mode = TrainingMode::asynchronous;
    Plan plan;
    plan.stages = {{0, 0, {0, 1, 2}, 0, Replication::roundRobin}};
    plan.weights.kind = WeightPolicyKind::stashing;
    plan.miniBatch.microbatches = 1;
    const Evaluation evaluation = evaluate(CostModel(problem), plan);
    // The slow one takes 6 s for one mini-batch of three.
    EXPECT_NEAR(evaluation.metrics.iterationTimeS, 2, 1e-12);
    const auto state = steadyState(evaluation.timeline);
    ASSERT_TRUE(state);
    EXPECT_EQ(miniBatchesOf(evaluation.timeline) % 3, 0);
}

/// Four stages of whole seconds on a mesh, one microbatch to a mini-batch. Transfers after the first stage
/// are slow, so that a stage in the middle waits while the last has several microbatches to live on.
SteadyPlan chain(std::vector<std::pair<double, double>> passes, double firstOutputBytes) {
    SteadyPlan made;
    for (const auto& [forwardS, backwardS] : passes)
        made.problem.profile.layers.push_back({"l", forwardS, backwardS, 0, 0, 0, 0, backwardS / 2});
    Layer& first = made.problem.profile.layers.front();
    first.outputBytes = first.outputGradientBytes = firstOutputBytes;
    const int count = static_cast<int>(passes.size());
    for (int device = 0; device < count; ++device) {
        made.problem.cluster.devices.push_back({"d" + std::to_string(device), "s", "", 1e9, 1, 0});
        for (int other = 0; other < device; ++other)
            made.problem.cluster.links.push_back(
                {"d" + std::to_string(other), "d" + std::to_string(device), 6, 0, ""});
        made.plan.stages.push_back({device, device, {device}});
    }
    made.problem.setup.mode = TrainingMode::asynchronous;
    made.plan.schedule.order = FamilySchedule{"1f1b", {}};
    made.plan.weights.kind = WeightPolicyKind::stashing;
    made.plan.miniBatch.microbatches = 1;
    made.problem.setup = setupOf(made.plan, made.problem.setup);
    return made;
}

TEST(SteadyState, IsThatOfTheStagesThatWaitWhileTheLastLivesOnItsLead) {
    // The last stage works without a pause for its 41 s a microbatch; what comes to it, 84 s for two.
    const SteadyPlan made = chain({{17, 12}, {3, 32}, {20, 4}, {14, 27}}, 60);
    const Evaluation evaluation = evaluate(CostModel(made.problem), made.plan);
    EXPECT_NEAR(evaluation.metrics.planBound.seconds, 41, 1e-9);
    EXPECT_NEAR(evaluation.metrics.iterationTimeS, 42, 1e-9);
}

TEST(SteadyState, IsWhatALongRunComesTo) {
    int waiting = 0;
    std::mt19937 random(5);
    for (int round = 0; round < 400; ++round) {
        std::vector<std::pair<double, double>> passes(2 + random() % 4);
        for (auto& [forwardS, backwardS] : passes)
            forwardS = 1.0 + random_problem::upTo(random, 24),
            backwardS = 1.0 + random_problem::upTo(random, 34);
        const SteadyPlan made = chain(passes, 6.0 * random_problem::upTo(random, 12));
        const CostModel costs(made.problem);
        const double foundS = evaluate(costs, made.plan).metrics.iterationTimeS;
        constexpr std::size_t halfRun = 600;
        const std::vector<double> done = completionsS(simulate(costs, made.plan, {2 * halfRun + 20, {}}));
        const double longS = (done[2 * halfRun] - done[halfRun]) / halfRun;
        EXPECT_NEAR(foundS, longS, 2e-3 * longS) << "round " << round;
        waiting +=
            foundS > planLowerBound(costs, made.plan, buildExecutionGraph(costs, made.plan, 1)).seconds *
                         (1 + 1e-9)
                ? 1
                : 0;
    }
    EXPECT_GT(waiting, 40);
}

TEST(SteadyState, KeepsToItsBlocks) {
    const SteadyPlan made = madeFrom(3, 0);
    const CostModel costs(made.problem);
    EXPECT_LE(steadyStateMiniBatches(costs, made.plan, 100), 100);
    EXPECT_GE(steadyStateMiniBatches(costs, made.plan, 100), 8);
    EXPECT_GE(steadyStateMiniBatches(costs, made.plan, 100000),
              steadyStateMiniBatches(costs, made.plan, 100));
}

}  // namespace
}  // namespace stagecraft
