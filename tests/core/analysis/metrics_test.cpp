#include "core/analysis/evaluation.h"
#include "tests/support/every_room.h"
#include "tests/core/support/random_problem.h"

#include <gtest/gtest.h>

#include <limits>

using namespace stagecraft;

namespace {

struct EvaluatedPlan {
    CostModel costs;
    Plan plan;
    Evaluation evaluation;
};

EvaluatedPlan randomRun(unsigned seed) {
    std::mt19937 random(seed);
    CostModel costs(random_problem::problem(random, 1 + random_problem::upTo(random, 6),
                                            1 + random_problem::upTo(random, 5)));
    Plan plan = random_problem::plan(random, costs.problem());
    Evaluation evaluation = evaluate(costs, plan);
    return {std::move(costs), std::move(plan), std::move(evaluation)};
}

constexpr unsigned rounds = 400;

/// Bytes of activations on a device at an instant, block by block.
double activationsAt(const EvaluatedPlan& run, int device, double atS) {
    double bytes = 0;
    const Timeline& timeline = run.evaluation.timeline;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute ||
            std::find(lane.devices.begin(), lane.devices.end(), device) == lane.devices.end())
            continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (timeline.kind[block] != BlockKind::forward || timeline.startS[block] > atS) continue;
            const Stage& stage = run.plan.stages[static_cast<std::size_t>(timeline.stage[block])];
            const auto end = [&](BlockKind kind) {
                const std::uint32_t found =
                    timeline.find(kind, timeline.stage[block], timeline.microbatch[block], 0);
                return timeline.endS[found];
            };
            const double whole = run.costs.storedActivationBytes(stage.firstLayer, stage.lastLayer) /
                                 static_cast<double>(stage.devices.size());
            if (!run.plan.schedule.splitBackward) {
                bytes += atS < end(BlockKind::backward) ? whole : 0;
            } else {
                bytes += atS < end(BlockKind::backward) ? whole / 2 : 0;
                bytes += atS < end(BlockKind::weightGradient) ? whole / 2 : 0;
            }
        }
    }
    return bytes;
}

}  // namespace

TEST(Metrics, NoScheduleBeatsTheLowerBounds) {
    for (unsigned seed = 0; seed < rounds; ++seed) {
        const EvaluatedPlan run = randomRun(seed);
        const Metrics& metrics = run.evaluation.metrics;
        const double slack = 1e-9 * metrics.iterationTimeS;
        EXPECT_LE(metrics.planBound.seconds, metrics.iterationTimeS + slack)
            << "seed " << seed << ": " << metrics.planBound.because;
        EXPECT_LE(metrics.problemBound.seconds, metrics.iterationTimeS + slack) << "seed " << seed;
    }
}

/// Several parts of the network on all devices, each with an AllReduce of its own: whatever the order of
/// their passes, in which each microbatch goes through the parts and back.
TEST(Metrics, NoOrderOfPartsOnAllDevicesBeatsTheLowerBoundWithTheirAllReduces) {
    int reached = 0;
    for (unsigned seed = 0; seed < rounds; ++seed) {
        std::mt19937 random(seed);
        const int parts = 2 + random_problem::upTo(random, 2);
        Problem problem = random_problem::problem(random, parts, 2 + random_problem::upTo(random, 2));
        problem.setup.mode = TrainingMode::synchronous;
        problem.setup.microbatches = 1 + random_problem::upTo(random, 3);
        Plan plan;
        std::vector<int> devices;
        for (int device = 0; device < problem.cluster.deviceCount(); ++device) devices.push_back(device);
        for (int part = 0; part < parts; ++part) plan.stages.push_back({part, part, devices});
        const CostModel costs(problem);
        double least = std::numeric_limits<double>::infinity(), boundS = 0;
        for (int attempt = 0; attempt < 20; ++attempt) {
            std::vector<int> done(static_cast<std::size_t>(problem.setup.microbatches), 0);
            std::vector<Task> order;
            while (order.size() < done.size() * 2 * static_cast<std::size_t>(parts)) {
                const int microbatch = static_cast<int>(random() % done.size());
                int& pass = done[static_cast<std::size_t>(microbatch)];
                if (pass == 2 * parts) continue;
                const bool forward = pass < parts;
                order.push_back({forward ? TaskKind::forward : TaskKind::backward,
                                 forward ? pass : 2 * parts - 1 - pass, microbatch});
                ++pass;
            }
            ExplicitSchedule schedule;
            for (const int device : devices) schedule.orders[device] = order;
            plan.schedule.order = schedule;
            const Evaluation run = evaluate(costs, plan);
            ASSERT_TRUE(run.valid()) << run.violations.front().message;
            boundS = run.metrics.planBound.seconds;
            least = std::min(least, run.metrics.iterationTimeS);
            ASSERT_LE(boundS, run.metrics.iterationTimeS * (1 + 1e-9)) << "seed " << seed;
        }
        reached += least <= boundS * (1 + 1e-9);
    }
    EXPECT_GT(reached, static_cast<int>(rounds / 10));
}

/// Passes that overlap as much as is allowed, on stages of unequal passes.
TEST(Metrics, NoOverlapBeatsTheLowerBoundsOrTheLongerPass) {
    for (unsigned seed = 0; seed < rounds; ++seed) {
        std::mt19937 random(seed);
        Problem problem = random_problem::problem(random, 4 + random_problem::upTo(random, 6), 2);
        problem.setup.microbatches = 4 + 2 * random_problem::upTo(random, 4);
        const bool copies = random() % 2;
        Plan plan;
        const int layers = problem.profile.layerCount();
        for (int stage = 0; stage < 4; ++stage) {
            const int part = copies ? stage % 2 : stage, parts = copies ? 2 : 4;
            plan.stages.push_back(
                {layers * part / parts, layers * (part + 1) / parts - 1, {std::min(stage, 3 - stage)}});
            if (copies) plan.stages.back().pipeline = stage / 2;
        }
        const double share = 0.5 + random_problem::upTo(random, 50) / 100.0;
        plan.schedule.order = FamilySchedule{copies ? "dualpipe" : "dualpipe-v", {{overlapParameter, share}}};
        plan.schedule.splitBackward = true;
        const CostModel costs(problem);
        const Evaluation run = evaluate(costs, plan);
        EXPECT_TRUE(run.valid()) << run.violations.front().message;
        const double atMostS = run.metrics.iterationTimeS * (1 + 1e-9);
        EXPECT_LE(run.metrics.problemBound.seconds, atMostS) << "seed " << seed;
        EXPECT_LE(run.metrics.planBound.seconds, atMostS) << "seed " << seed;
        for (const PairedBackward& pair : run.timeline.pairs) {
            const double forwardS = costs.stage(plan, run.timeline.stage[pair.block]).forwardS;
            const double backwardS = costs.stage(plan, pair.stage).backwardS;
            EXPECT_NEAR(run.timeline.durationS(pair.block),
                        std::max({share * (forwardS + backwardS), forwardS, backwardS}), 1e-9);
        }
    }
}

TEST(Metrics, WithoutABarrierAllBubblesAreOfTheSteadyState) {
    int checked = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        Problem problem = random_problem::problem(random, 6, 4);
        problem.profile.otherSizes.clear();
        problem.setup.mode = TrainingMode::asynchronous;
        Plan plan = random_problem::plan(random, problem);
        plan.schedule = {};
        plan.schedule.order = FamilySchedule{"1f1b", {}};
        plan.weights.kind = WeightPolicyKind::stashing;
        const Evaluation run = evaluate(CostModel(problem), plan);
        double ofThoseThatCompute = 0;
        int computing = 0;
        for (const DeviceMetrics& device : run.metrics.devices) {
            if (run.timeline.computeLaneOf(device.device) < 0) continue;
            ofThoseThatCompute += 1 - device.busyS / run.metrics.iterationTimeS;
            ++computing;
        }
        EXPECT_NEAR(run.metrics.spanBubbleFraction, ofThoseThatCompute / computing, 1e-9) << "seed " << seed;
        EXPECT_LE(run.metrics.spanBubbleFraction, run.metrics.bubbleFraction + 1e-9) << "seed " << seed;
        ++checked;
    }
    EXPECT_EQ(checked, 60);
}

TEST(Metrics, TheCriticalPathHasNoGapsAndIsAsLongAsTheIteration) {
    for (unsigned seed = 0; seed < rounds; ++seed) {
        const EvaluatedPlan run = randomRun(seed);
        const CriticalPath& path = run.evaluation.metrics.criticalPath;
        EXPECT_NEAR(path.computeS + path.communicationS, run.evaluation.metrics.iterationTimeS, 1e-9)
            << "seed " << seed;
        EXPECT_NEAR(path.waitingS, 0, 1e-9) << "seed " << seed;
        ASSERT_FALSE(path.blocks.empty());
        EXPECT_EQ(run.evaluation.timeline.waitReason[path.blocks.front()], WaitReason::start);
    }
}

TEST(Metrics, BubblesOfEqualStagesAreTheTextbookShare) {
    Problem problem;
    for (int stage = 0; stage < 4; ++stage) {
        problem.profile.layers.push_back({"l", 1, 2, 0, 0, 0, 0, 1});
        problem.cluster.devices.push_back({"g" + std::to_string(stage), "s", "", 1, 1, 1});
        if (stage > 0)
            problem.cluster.links.push_back(
                {"g" + std::to_string(stage - 1), "g" + std::to_string(stage), 1, 0, ""});
    }
    problem.setup.microbatches = 9;
    Plan plan;
    for (int stage = 0; stage < 4; ++stage) plan.stages.push_back({stage, stage, {stage}});
    const Metrics metrics = evaluate(CostModel(problem), plan).metrics;
    EXPECT_NEAR(metrics.bubbleFraction, 3.0 / 12, 1e-12);
    EXPECT_NEAR(metrics.devices[0].spanBubbleFraction, 3.0 / 12, 1e-12);
    EXPECT_NEAR(metrics.devices[3].spanBubbleFraction, 0, 1e-12);
    EXPECT_EQ(metrics.devices[0].peakInFlight, 4);
    EXPECT_NEAR(metrics.throughputSamplesPerS, 9 / 36.0, 1e-12);
    EXPECT_NEAR(metrics.planBound.seconds, 36, 1e-12);
}

TEST(Memory, ActivationsAreThoseOfTheMicrobatchesInFlight) {
    for (unsigned seed = 0; seed < rounds; ++seed) {
        EvaluatedPlan run = randomRun(seed);
        run.plan.memory.layers.clear();
        run.evaluation = evaluate(run.costs, run.plan);
        std::mt19937 random(seed);
        for (const MemoryCurve& curve : run.evaluation.memory)
            for (int probe = 0; probe < 10; ++probe) {
                const double atS = run.evaluation.metrics.iterationTimeS * (random() % 1000) / 1000.0;
                EXPECT_NEAR(
                    curve.bytes()[static_cast<std::size_t>(MemoryKind::activations)][curve.stepAt(atS)],
                    activationsAt(run, curve.device, atS), 1e-6)
                    << "seed " << seed << ", device " << curve.device << ", at " << atS;
            }
    }
}

TEST(Memory, ActivationsAndBuffersAreGoneAtTheEnd) {
    for (unsigned seed = 0; seed < rounds; ++seed)
        for (const MemoryCurve& curve : randomRun(seed).evaluation.memory) {
            EXPECT_NEAR(curve.bytes()[static_cast<std::size_t>(MemoryKind::activations)].back(), 0, 1e-6)
                << "seed " << seed;
            EXPECT_NEAR(curve.bytes()[static_cast<std::size_t>(MemoryKind::buffers)].back(), 0, 1e-6)
                << "seed " << seed;
            for (const std::vector<double>& series : curve.bytes())
                EXPECT_GE(*std::min_element(series.begin(), series.end()), -1e-9) << "seed " << seed;
        }
}

TEST(Memory, StashedVersionsOfAFullPipelineAreAsManyAsPipeDreamKeeps) {
    // One microbatch per mini-batch, S equal stages: stage n from 0 keeps S - n versions in steady state
    // (E-PD-4).
    Problem problem;
    constexpr int stages = 4;
    for (int stage = 0; stage < stages; ++stage) {
        problem.profile.layers.push_back({"l", 1, 1, 100, 0, 0, 0, 0.5});
        problem.cluster.devices.push_back({"g" + std::to_string(stage), "s", "", 1e9, 1, 1});
        if (stage > 0)
            problem.cluster.links.push_back(
                {"g" + std::to_string(stage - 1), "g" + std::to_string(stage), 1, 0, ""});
    }
    problem.setup.mode = TrainingMode::asynchronous;
    Plan plan;
    for (int stage = 0; stage < stages; ++stage) plan.stages.push_back({stage, stage, {stage}});
    plan.weights.kind = WeightPolicyKind::stashing;
    SimulationOptions options;
    options.iterations = 20;
    for (const bool fits : {true, false}) {
        const Evaluation evaluation = evaluate(CostModel(problem), plan, options);
        EXPECT_EQ(evaluation.valid(), fits);
        double highest = 0;
        for (int stage = 0; stage < stages; ++stage) {
            const MemoryCurve& curve = evaluation.memory[static_cast<std::size_t>(stage)];
            const std::vector<double>& versions =
                curve.bytes()[static_cast<std::size_t>(MemoryKind::weightVersions)];
            EXPECT_DOUBLE_EQ(*std::max_element(versions.begin(), versions.end()),
                             100.0 * (stages - stage - 1));
            highest = std::max(highest, curve.peakBytes());
        }
        // The validator counts for itself: the peak is enough, a byte less is not.
        plan.claims.fitsMemory = true;
        problem.setup.memoryLimitBytes = fits ? highest - 1 : highest;
    }
    problem.setup.memoryLimitBytes = 100.0 * (stages + 1);
    EXPECT_TRUE(evaluate(CostModel(problem), plan, options).valid());
}

TEST(Memory, WhatDoesNotFitIsNamedWithPlaceTimeAndSize) {
    std::mt19937 random(3);
    Problem problem = random_problem::problem(random, 4, 2);
    Plan plan;
    plan.stages = {{0, 1, {0}}, {2, 3, {1}}};
    plan.schedule.order = FamilySchedule{"gpipe", {}};
    const double peak = evaluate(CostModel(problem), plan).metrics.devices[0].peakMemoryBytes;
    problem.setup.memoryLimitBytes = peak - 1;
    const Evaluation evaluation = evaluate(CostModel(problem), plan);
    EXPECT_FALSE(evaluation.metrics.fitsMemory);
    const MemoryExcess& excess = evaluation.metrics.excesses.front();
    EXPECT_EQ(excess.device, 0);
    EXPECT_NEAR(excess.excessBytes, 1, 1e-9);
    const MemoryCurve& curve = evaluation.memory[0];
    EXPECT_GT(curve.totalAt(curve.stepAt(excess.timeS)), peak - 1);
    EXPECT_TRUE(evaluation.valid()) << "these planners do not promise to fit";
    plan.claims.fitsMemory = true;
    EXPECT_FALSE(evaluate(CostModel(problem), plan).valid());
}

TEST(Metrics, LinksCarryEveryByteThatIsSent) {
    Problem problem;
    problem.profile.layers = {{"a", 1, 1, 0, 10, 30, 0, 0}, {"b", 1, 1, 80, 0, 0, 0, 0}};
    for (int device = 0; device < 3; ++device)
        problem.cluster.devices.push_back({"g" + std::to_string(device), "s", "", 1, 1, 1});
    problem.cluster.switches = {{"hub", "s"}};
    for (int device = 0; device < 3; ++device)
        problem.cluster.links.push_back({"g" + std::to_string(device), "hub", 5, 0, ""});
    problem.setup.microbatches = 4;
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 1, {1, 2}}};
    const Metrics metrics = evaluate(CostModel(problem), plan).metrics;
    EXPECT_DOUBLE_EQ(metrics.links[0].bytes, 4 * (10 + 30));
    // Half of it to each replica, and the ring of two: 80 bytes out and 80 in at each.
    EXPECT_DOUBLE_EQ(metrics.links[1].bytes, 4 * (5 + 15) + 160);
    EXPECT_NEAR(metrics.links[0].busyFraction, 4 * 30 / (5 * metrics.iterationTimeS), 1e-12);
}

TEST(Neighbours, EveryBlockIsAmongTheSuccessorsOfWhatItWaitedFor) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        const EvaluatedPlan run = randomRun(seed);
        const Timeline& timeline = run.evaluation.timeline;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
            const std::uint32_t cause = timeline.waitedFor[block];
            if (cause == noBlock) continue;
            const Neighbours after = neighbours(*run.evaluation.graph, timeline, cause);
            const Neighbours before = neighbours(*run.evaluation.graph, timeline, block);
            EXPECT_NE(std::find(before.predecessors.begin(), before.predecessors.end(), cause),
                      before.predecessors.end())
                << "seed " << seed << ": " << describeBlock(timeline, block) << " after "
                << describeBlock(timeline, cause);
            // Gathering blocks have many predecessors, prefetches one that they share with their trigger.
            const BlockKind kind = timeline.kind[block];
            if (kind != BlockKind::allReduce && kind != BlockKind::update && kind != BlockKind::swapIn) {
                EXPECT_NE(std::find(after.successors.begin(), after.successors.end(), block),
                          after.successors.end())
                    << "seed " << seed << ": " << describeBlock(timeline, block) << " after "
                    << describeBlock(timeline, cause);
            }
        }
    }
}

/// Nothing is worked out anew: what the kept graph does not say is not found.
TEST(Neighbours, AreThoseOfTheGraphThatIsKeptWithTheRun) {
    int transfers = 0;
    for (unsigned seed = 0; seed < 30; ++seed) {
        const EvaluatedPlan run = randomRun(seed);
        const Timeline& timeline = run.evaluation.timeline;
        TaskGraph without = *run.evaluation.graph;
        for (TaskRow& row : without.rows) row.next.clear();
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
            if (timeline.kind[block] != BlockKind::transferForward) continue;
            ++transfers;
            const auto feeds = [&](const TaskGraph& graph) {
                const std::vector<std::uint32_t> after = neighbours(graph, timeline, block).successors;
                return std::any_of(after.begin(), after.end(), [&](std::uint32_t next) {
                    return timeline.kind[next] == BlockKind::forward ||
                           timeline.kind[next] == BlockKind::pair;
                });
            };
            EXPECT_TRUE(feeds(*run.evaluation.graph)) << "seed " << seed;
            EXPECT_FALSE(feeds(without)) << "seed " << seed;
        }
    }
    EXPECT_GT(transfers, 50);
}
