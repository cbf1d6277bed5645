// XPipe's planner: the order of its Fig. 1, its partition, its mini-batches.
#include "core/planners/planned_run.h"

#include "tests/core/planners/random_problems.h"
#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace stagecraft {
namespace {

using stagecraft::testing::goldenCase;

const Planner& xpipe() { return *findPlanner("xpipe"); }

/// Layers of those times on as many GPUs as asked for, transfers free.
Problem problemOf(const std::vector<double>& secondsEach, int devices, int microbatches = 4) {
    Problem problem;
    for (const double seconds : secondsEach)
        problem.profile.layers.push_back({"l", seconds, seconds, 8, 0, 0, 4, seconds / 2});
    const auto count = static_cast<std::size_t>(devices);
    std::vector<std::vector<double>> mesh(count, std::vector<double>(count, 1));
    problem.cluster = testing::meshCluster(mesh);
    problem.setup.microbatches = microbatches;
    problem.setup.mode = TrainingMode::asynchronous;
    return problem;
}

PlanRun run(const Problem& problem, const ParameterValues& values = {}) {
    return runAndEvaluate(xpipe(), std::make_shared<const CostModel>(problem), values);
}

/// "F1" … as the paper writes them, microbatches counted from 1 over all mini-batches.
std::string paperName(const Timeline& timeline, std::uint32_t block, int microbatches) {
    const int number = timeline.iteration[block] * microbatches + timeline.microbatch[block] + 1;
    return (timeline.kind[block] == BlockKind::forward ? "F" : "B") + std::to_string(number);
}

TEST(Xpipe, RunsTheGoldenScheduleWhateverTheMiniBatch) {
    const auto golden = goldenCase("xp-04-schedule");
    const int gpus = golden.input["N"], all = golden.input["micro_batches"];
    for (const int microbatches : {1, 2, 4, 8, 16}) {
        const CostModel costs(problemOf({1, 1, 1, 1}, gpus, microbatches));
        const PlanningResult result = runPlanner(xpipe(), costs, {});
        ASSERT_EQ(result.status, PlanStatus::ok) << result.reason;
        const Timeline timeline = simulate(costs, result.plan, {all / microbatches, {}});
        EXPECT_DOUBLE_EQ(timeline.lastEndS(), golden.expected["end"].get<double>());
        int compared = 0;
        for (int gpu = 0; gpu < gpus; ++gpu) {
            nlohmann::json order = nlohmann::json::array();
            const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.computeLaneOf(gpu))];
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
                if (timeline.kind[block] == BlockKind::update) continue;
                const std::string name = paperName(timeline, block, microbatches);
                order.push_back(name);
                EXPECT_DOUBLE_EQ(timeline.startS[block],
                                 golden.expected["start"][name + "@" + std::to_string(gpu)].get<double>());
                ++compared;
            }
            EXPECT_EQ(order, golden.expected["order"][gpu]) << "T = " << microbatches << ", GPU " << gpu;
        }
        EXPECT_EQ(compared, 2 * gpus * all);
    }
}

TEST(Xpipe, UpdatesEachStageAfterTheTthBackwardOfAMiniBatch) {
    const Problem problem = problemOf({1, 1, 1}, 3, 8);
    const PlanRun made = run(problem, {{"T", 4}});
    ASSERT_TRUE(made.ok()) << made.result.reason;
    EXPECT_EQ(made.costs->problem().setup.microbatches, 4);
    const Timeline& timeline = made.evaluation->timeline;
    int updates = 0;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        if (timeline.kind[block] != BlockKind::update) continue;
        ++updates;
        const std::uint32_t last =
            timeline.find(BlockKind::backward, timeline.stage[block], 3, timeline.iteration[block]);
        EXPECT_DOUBLE_EQ(timeline.endS[block], timeline.endS[last]);
    }
    EXPECT_GT(updates, 3 * 4);
    EXPECT_TRUE(made.evaluation->valid());
}

TEST(Xpipe, KeepsEveryGpuBusyInSteadyStateForAnyTAndAnyNumberOfGpus) {
    for (const int gpus : {1, 2, 3, 4, 7})
        for (const int microbatches : {1, 2, 4}) {
            const PlanRun made =
                run(problemOf(std::vector<double>(static_cast<std::size_t>(gpus), 1), gpus, microbatches));
            ASSERT_TRUE(made.ok());
            EXPECT_DOUBLE_EQ(made.evaluation->metrics.iterationTimeS, 2.0 * microbatches)
                << gpus << " GPUs, T = " << microbatches;
        }
}

TEST(Xpipe, ReachesTheLoadOfItsSlowestStageWhereTransfersAreFree) {
    EXPECT_TRUE(rc::check([] {
        const int gpus = *rc::gen::inRange(1, 6), microbatches = *rc::gen::inRange(1, 6);
        std::vector<double> seconds;
        for (int layer = 0; layer < gpus + 3; ++layer) seconds.push_back(*rc::gen::inRange(1, 20));
        const PlanRun made =
            run(problemOf(seconds, gpus, microbatches),
                {{"partition", *rc::gen::elementOf(std::vector<std::string>{"layers", "time"})}});
        RC_ASSERT(made.ok());
        RC_ASSERT(made.evaluation->valid());
        RC_ASSERT(std::abs(made.evaluation->metrics.iterationTimeS / *made.result.predictedS - 1) < 1e-9);
    }));
}

/// Fig. 1 draws no transfers. Where they take time its N microbatches in flight are too few, a round trip for
/// every N of them, and more hide it.
TEST(Xpipe, TransfersMakeFigure1sOrderWaitAndMoreInFlightHidesThem) {
    Problem problem = problemOf({1, 1, 1, 1}, 4, 4);
    for (Layer& layer : problem.profile.layers) layer.outputBytes = layer.outputGradientBytes = 0.5;
    const PlanRun asDrawn = run(problem), more = run(problem, {{"extra_in_flight", 1}});
    EXPECT_NEAR(asDrawn.evaluation->metrics.iterationTimeS, 4 * (4 * 2 + 3 * 2 * 0.5) / 4, 1e-9);
    EXPECT_NEAR(more.evaluation->metrics.iterationTimeS, 4 * 2, 1e-9);
    EXPECT_TRUE(asDrawn.evaluation->valid() && more.evaluation->valid());
}

TEST(Xpipe, WithEnoughInFlightItReachesTheLoadOfTheBusiestStageOrChannel) {
    EXPECT_TRUE(rc::check([] {
        const int gpus = *rc::gen::inRange(2, 5);
        std::vector<double> seconds;
        for (int layer = 0; layer < gpus; ++layer) seconds.push_back(*rc::gen::inRange(1, 9));
        Problem problem = problemOf(seconds, gpus, *rc::gen::inRange(1, 4));
        for (Layer& layer : problem.profile.layers)
            layer.outputBytes = layer.outputGradientBytes = *rc::gen::inRange(0, 9);
        const PlanRun made = run(problem, {{"extra_in_flight", 16}});
        RC_ASSERT(made.ok() && made.evaluation->valid());
        double load = 2 * *std::max_element(seconds.begin(), seconds.end());
        for (int layer = 0; layer + 1 < gpus; ++layer)
            load = std::max(load, problem.profile.layers[static_cast<std::size_t>(layer)].outputBytes);
        const double period = made.evaluation->metrics.iterationTimeS / problem.setup.microbatches;
        RC_ASSERT(std::abs(period / load - 1) < 1e-9);
    }));
}

std::vector<int> layerCounts(const Plan& plan) {
    std::vector<int> counts;
    for (const Stage& stage : plan.stages) counts.push_back(stage.layerCount());
    return counts;
}

TEST(Xpipe, DealsEquallyManyLayersAndTheRestToTheLastGpus) {
    const PlanRun made = run(problemOf({9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 4));
    EXPECT_EQ(layerCounts(made.result.plan), (std::vector<int>{2, 3, 3, 3}));
    EXPECT_EQ(layerCounts(run(problemOf({1, 1, 1}, 5)).result.plan), (std::vector<int>{1, 1, 1}));
}

TEST(Xpipe, PartitionByTimeIsNeverSlowerThanAnyOther) {
    EXPECT_TRUE(rc::check([] {
        Problem problem = testing::randomProblem({6, 4, 4, false, true, false});
        problem.setup.mode = TrainingMode::asynchronous;
        const CostModel costs(problem);
        const PlanningResult made = runPlanner(xpipe(), costs, {{"partition", std::string("time")}});
        const auto slowest = [&](const std::vector<Stage>& stages) {
            Plan plan;
            plan.stages = stages;
            double most = 0;
            for (int stage = 0; stage < plan.stageCount(); ++stage) {
                const StageCost cost = costs.stage(plan, stage);
                most = std::max(most, cost.forwardS + cost.backwardS);
            }
            return most;
        };
        const int stages = made.plan.stageCount();
        std::vector<int> order;
        for (int device = 0; device < stages; ++device) order.push_back(device);
        const double own = slowest(made.plan.stages);
        testing::forEachPartition(costs.layerCount(), order, stages, [&](const std::vector<Stage>& other) {
            RC_ASSERT(own <= slowest(other) * (1 + 1e-9));
        });
    }));
}

TEST(Xpipe, WithABarrierItIsRefusedWithTheReason) {
    Problem problem = problemOf({1, 1}, 2);
    problem.setup.mode = TrainingMode::synchronous;
    const PlanRun made = run(problem);
    EXPECT_EQ(made.result.status, PlanStatus::infeasible);
    EXPECT_NE(made.result.reason.find("synchronous"), std::string::npos);
}

TEST(Xpipe, DifferencesGoIntoThePlan) {
    for (const auto& [name, how] :
         {std::pair{"exact", VersionDifference::exact}, std::pair{"printed", VersionDifference::printed},
          std::pair{"counted", VersionDifference::counted}}) {
        const PlanRun made = run(problemOf({1, 1}, 2), {{"differences", std::string(name)}});
        EXPECT_EQ(made.result.plan.weights.kind, WeightPolicyKind::predicted);
        EXPECT_EQ(made.result.plan.weights.difference, how);
    }
}

/// Per byte of a stage's 8 B of parameters a layer.
TEST(Xpipe, APredictionTakesTimeWhereAnUpdateIsExpectedAndNowhereElse) {
    for (const bool recomputes : {false, true})
        for (const int microbatches : {1, 2, 4}) {
            const Problem problem = problemOf({1, 1, 1, 1}, 4, microbatches);
            PlanRun made = run(problem, {{"prediction_s_per_byte", 0.125}});
            ASSERT_TRUE(made.ok()) << made.result.reason;
            if (recomputes) {
                Plan plan = made.result.plan;
                for (int layer = 0; layer < 4; ++layer) plan.memory.layers[layer] = LayerMemory::recompute;
                made = evaluatePlan(std::make_shared<const CostModel>(problem), plan);
            }
            ASSERT_TRUE(made.evaluation->valid()) << made.evaluation->violations.front().message;
            const Timeline& timeline = made.evaluation->timeline;
            for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
                const BlockKind kind = timeline.kind[block];
                const int stage = timeline.stage[block];
                if (kind != BlockKind::forward && kind != BlockKind::backward) continue;
                const bool first = timeline.microbatch[block] == 0;
                // Updates ahead (E-XP-3): of a forward ceil((3 - stage) / T) + floor(stage / 2T), of a
                // backward the latter alone.
                const bool later = stage / (2 * microbatches) > 0;
                const bool predicts = kind == BlockKind::forward ? stage < 3 || later : later && !recomputes;
                EXPECT_NEAR(timeline.durationS(block), first && predicts ? 2 : 1, 1e-9)
                    << blockKindName(kind) << " on stage " << stage << ", T = " << microbatches;
            }
        }
}

TEST(Xpipe, APlanWhosePredictionsTakeNoTimeThoughItSaysSoIsInvalid) {
    const Problem problem = problemOf({1, 1, 1}, 3, 2);
    const PlanRun free = run(problem), costly = run(problem, {{"prediction_s_per_byte", 0.125}});
    EXPECT_GT(costly.iterationTimeS(), free.iterationTimeS());
    const std::vector<Violation> violations =
        validate(costly.costs->problem(), costly.result.plan, free.evaluation->timeline);
    EXPECT_FALSE(violations.empty());
}

// What is measured of a timeline may be less: a stage that is ahead at first works off its lead for longer
// than the timeline lasts where it is little faster.
TEST(Xpipe, ItExpectsTheWorkOfItsSlowestStageWithItsPredictions) {
    EXPECT_TRUE(rc::check([] {
        const int gpus = *rc::gen::inRange(1, 6), microbatches = *rc::gen::inRange(1, 6);
        std::vector<double> seconds;
        for (int layer = 0; layer < gpus + 3; ++layer) seconds.push_back(*rc::gen::inRange(1, 20));
        const PlanRun made = run(problemOf(seconds, gpus, microbatches),
                                 {{"prediction_s_per_byte", *rc::gen::inRange(1, 10) / 16.0}});
        RC_ASSERT(made.ok());
        RC_ASSERT(made.evaluation->valid());
        const Timeline& timeline = made.evaluation->timeline;
        std::map<std::pair<int, int>, double> workS;  // by stage and mini-batch
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
            if (timeline.kind[block] == BlockKind::forward || timeline.kind[block] == BlockKind::backward)
                workS[{timeline.stage[block], timeline.iteration[block]}] += timeline.durationS(block);
        double mostS = 0;
        for (const auto& [where, each] : workS) {
            RC_ASSERT(std::abs(each - workS.at({where.first, 0})) < 1e-9 * each);
            mostS = std::max(mostS, each);
        }
        RC_ASSERT(std::abs(mostS / *made.result.predictedS - 1) < 1e-9);
    }));
}

TEST(Xpipe, SpecTrainUpdatesAfterEveryMicrobatchAndPipeMareUsesTheNewestWeights) {
    const Problem problem = problemOf({1, 1, 1, 1}, 4, 4);
    const PlanRun specTrain = run(problem, {{"method", std::string("spectrain")}});
    ASSERT_TRUE(specTrain.ok());
    EXPECT_TRUE(specTrain.evaluation->valid());
    EXPECT_EQ(specTrain.result.plan.miniBatch.microbatches, 1);
    EXPECT_EQ(specTrain.result.plan.weights.kind, WeightPolicyKind::predicted);
    const PlanRun pipeMare = run(problem, {{"method", std::string("pipemare")}, {"T", 2}});
    ASSERT_TRUE(pipeMare.ok());
    EXPECT_TRUE(pipeMare.evaluation->valid());
    EXPECT_EQ(pipeMare.result.plan.weights.kind, WeightPolicyKind::latest);
    EXPECT_EQ(pipeMare.result.plan.miniBatch.microbatches, 2);
    // No copies of weights: less memory at the same speed (XPipe Sec. II).
    EXPECT_DOUBLE_EQ(pipeMare.iterationTimeS(), specTrain.iterationTimeS());
    for (std::size_t device = 0; device < 4; ++device)
        EXPECT_LE(pipeMare.evaluation->metrics.devices[device].peakMemoryBytes,
                  specTrain.evaluation->metrics.devices[device].peakMemoryBytes);
}

}  // namespace
}  // namespace stagecraft
