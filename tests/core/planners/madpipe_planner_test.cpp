#include "core/planners/madpipe/madpipe_planner.h"
#include "core/planners/planner.h"

#include "core/generation/cluster_templates.h"
#include "core/generation/generated_profile.h"
#include "core/planners/madpipe/madpipe.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"

#include "tests/core/planners/random_problems.h"
#include "tests/core/planners/runs.h"
#include "tests/core/support/golden_cases.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace stagecraft {
namespace {

PlanRun planned(const Problem& problem, const ParameterValues& values = {}) {
    static const Planner* planner = findPlanner("madpipe");
    ParameterValues own = values;
    own.try_emplace("solver", std::string("own"));
    return runAndEvaluate(*planner, std::make_shared<const CostModel>(problem), own);
}

using testing::notesOf;

/// Equal layers on a mesh: 3 s, 8 bytes of weights, 10 bytes stored, 2 passed on.
Problem equalLayers(int layers, int devices, double memoryBytes) {
    Problem problem;
    problem.profile.layers.assign(static_cast<std::size_t>(layers), Layer{"layer", 1, 2, 8, 2, 2, 10, 1});
    problem.cluster = testing::meshCluster(std::vector<std::vector<double>>(
        static_cast<std::size_t>(devices), std::vector<double>(static_cast<std::size_t>(devices), 4)));
    problem.setup.microbatches = 8;
    problem.setup.mode = TrainingMode::asynchronous;
    problem.setup.memoryLimitBytes = memoryBytes;
    return problem;
}

TEST(MadPipePlanner, NoPlanThatClaimsToFitExceedsALimitAtAnyInstant) {
    int ok = 0, shared = 0, rounds = 0;
    EXPECT_TRUE(rc::check([&] {
        // Ten problems a check: a thousand in all.
        for (int one = 0; one < 10; ++one) {
            testing::RandomShape shape;
            shape.maxLayers = 10;
            shape.latencies = *rc::gen::arbitrary<bool>();
            shape.speeds = *rc::gen::arbitrary<bool>();
            shape.skips = *rc::gen::inRange(0, 4) == 0;
            Problem problem = testing::randomProblem(shape);
            problem.setup.mode = TrainingMode::asynchronous;
            problem.setup.optimizer = *rc::gen::element(Optimizer::sgd, Optimizer::momentum, Optimizer::adam);
            double bytes = 0;
            for (Layer& layer : problem.profile.layers) {
                layer.storedActivationBytes = *rc::gen::inRange(0, 40) * 0.7;
                bytes += 4 * layer.parameterBytes + layer.storedActivationBytes + 2 * layer.outputBytes;
            }
            for (Device& device : problem.cluster.devices)
                device.memoryBytes = bytes * *rc::gen::inRange(8, 40) / 20.0 + 1;
            const PlanRun run = planned(problem);
            ++rounds;
            RC_ASSERT(run.result.status != PlanStatus::failed);
            if (run.result.status == PlanStatus::infeasible) {
                RC_ASSERT(!run.result.reason.empty());
                continue;
            }
            ++ok;
            RC_ASSERT(run.result.plan.claims.fitsMemory);
            RC_ASSERT(run.evaluation->valid());
            RC_ASSERT(run.evaluation->metrics.fitsMemory);
            for (const MemoryCurve& curve : run.evaluation->memory)
                for (std::size_t step = 0; step < curve.timeS().size(); ++step)
                    RC_ASSERT(curve.totalAt(step) <= curve.limitBytes);
            std::set<int> devices;
            for (const Stage& stage : run.result.plan.stages) devices.insert(stage.devices.front());
            if (devices.size() < run.result.plan.stages.size()) ++shared;
        }
    }));
    EXPECT_GE(rounds, 1000);
    EXPECT_GT(ok, 250);
    EXPECT_GT(shared, 10);
}

TEST(MadPipePlanner, IsNeverSlowerThanContiguousPlansAndThoseNeverThanPipeDreams) {
    EXPECT_TRUE(rc::check([] {
        Problem problem = testing::randomProblem({});
        problem.setup.mode = TrainingMode::asynchronous;
        problem.setup.memoryLimitBytes = *rc::gen::inRange(50, 600);
        const auto period = [&](const char* allocation) {
            const PlanRun run = planned(problem, {{"allocation", std::string(allocation)}});
            return run.ok() ? run.iterationTimeS() : std::numeric_limits<double>::infinity();
        };
        // Where devices or links differ, the first phase takes them for alike.
        for (Link& link : problem.cluster.links) link.bandwidthBps = 3;
        const double madpipe = period("madpipe"), contiguous = period("contiguous"),
                     baseline = period("pipedream");
        RC_ASSERT(madpipe <= contiguous * (1 + 1e-9));
        RC_ASSERT(contiguous <= baseline * (1 + 1e-9));
    }));
}

LayerProfile resNet50() {
    return generatedProfile("resnet-50", {{"image_size", 1000}, {"microbatch_size", 8}});
}

Problem paperProblem(const LayerProfile& profile, int devices, double bandwidthBps, double memoryBytes) {
    Problem problem;
    problem.profile = profile;
    problem.cluster = switchedCluster(
        {.gpusPerServer = devices, .gpu = *findGpu("V100-SXM2-16GB"), .intraServerBps = bandwidthBps});
    problem.setup = {.microbatches = 8, .mode = TrainingMode::asynchronous, .memoryLimitBytes = memoryBytes};
    return problem;
}

TEST(MadPipePlanner, IsNeverWorseThanPipeDreamUnder1F1BStarOnThePapersGrid) {
    const LayerProfile profile = resNet50();
    int faster = 0, cells = 0, fits = 0;
    for (int devices = 2; devices <= 8; ++devices)
        for (const double bandwidth : {12e9, 24e9})
            for (const double gigabytes : {3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0, 16.0}) {
                const Problem problem = paperProblem(profile, devices, bandwidth, gigabytes * 1e9);
                const PlanRun madpipe = planned(problem);
                const PlanRun baseline = planned(problem, {{"allocation", std::string("pipedream")}});
                ++cells;
                ASSERT_TRUE(madpipe.ok() || !baseline.ok())
                    << devices << " " << bandwidth << " " << gigabytes;
                if (!madpipe.ok()) continue;
                ++fits;
                EXPECT_TRUE(madpipe.evaluation->valid() && madpipe.evaluation->metrics.fitsMemory);
                if (!baseline.ok()) {
                    ++faster;
                    continue;
                }
                EXPECT_LE(madpipe.iterationTimeS(), baseline.iterationTimeS() * (1 + 1e-9))
                    << devices << " " << bandwidth << " " << gigabytes;
                if (madpipe.iterationTimeS() < 0.95 * baseline.iterationTimeS()) ++faster;
            }
    EXPECT_EQ(cells, 140);
    EXPECT_GT(fits, 80);
    EXPECT_GT(faster, fits / 2);
}

TEST(MadPipePlanner, AFirstPhaseThatIsToldThatThisIsEnoughLeavesTheBestPlanWithAStageADevice) {
    const Problem problem = paperProblem(resNet50(), 4, 12e9, 12e9);
    std::stop_source enough;
    WorkContext context;
    context.enough = enough.get_token();
    // In the midst of Algorithm 1, which is the first to report how far it is.
    context.progress = [&](double) { enough.request_stop(); };
    const Planner& planner = *findPlanner("madpipe");
    ParameterValues values = defaultValues(planner.description().parameters);
    values["exact"] = true;
    const PlanRun cut = runAndEvaluate(planner, std::make_shared<const CostModel>(problem), values, context);
    ASSERT_TRUE(cut.ok()) << cut.result.reason;
    EXPECT_TRUE(cut.evaluation->valid());
    EXPECT_NE(notesOf(cut).find("The first phase was not searched to the end"), std::string::npos)
        << notesOf(cut);
    EXPECT_DOUBLE_EQ(cut.iterationTimeS(),
                     planned(problem, {{"allocation", std::string("contiguous")}}).iterationTimeS());
}

TEST(MadPipePlanner, TellsHowFarItIsWithinEachStepOfAlgorithm1AndNeverGoesBack) {
    std::vector<double> told;
    WorkContext context;
    context.progress = [&](double fraction) { told.push_back(fraction); };
    ParameterValues values = defaultValues(findPlanner("madpipe")->description().parameters);
    values["exact"] = true;
    runPlanner(*findPlanner("madpipe"), CostModel(paperProblem(resNet50(), 4, 12e9, 12e9)), values, context);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_GT(std::set<double>(told.begin(), told.end()).size(), 100u);
    EXPECT_LE(told.back(), 1);
}

TEST(MadPipePlanner, PredictsThePeriodOfItsFirstPhaseForAllMicrobatches) {
    const PlanRun run = planned(equalLayers(6, 3, 1e6));
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_DOUBLE_EQ(run.iterationTimeS(), 8 * 6);
    EXPECT_GE(*run.result.predictedS, 8 * 6);
    EXPECT_LE(*run.result.predictedS, 8 * 6 * 1.05);
    EXPECT_NE(notesOf(run).find("The first phase expected"), std::string::npos) << notesOf(run);
    const PlanRun exact = planned(equalLayers(6, 3, 1e6), {{"exact", true}});
    EXPECT_DOUBLE_EQ(*exact.result.predictedS, 8 * 6);
}

TEST(MadPipePlanner, ASpecialDeviceThatIsChargedInFullIsNeverExpectedToBeFaster) {
    int both = 0, slower = 0;
    for (int layers = 4; layers <= 10; ++layers)
        for (int devices = 3; devices <= 5; ++devices)
            for (const double memoryBytes : {60.0, 80.0, 100.0, 120.0, 160.0, 240.0}) {
                Problem problem = equalLayers(layers, devices, memoryBytes);
                for (int layer = 0; layer < layers; ++layer)
                    problem.profile.layers[static_cast<std::size_t>(layer)].forwardS = 1 + layer % 3;
                ParameterValues values{{"candidates", std::string("printed")}, {"exact", true}};
                const PlanRun printed = planned(problem, values);
                values["special_memory"] = std::string("full");
                const PlanRun full = planned(problem, values);
                if (!printed.ok() || !full.ok()) continue;
                ++both;
                EXPECT_GE(*full.result.predictedS, *printed.result.predictedS * (1 - 1e-9));
                if (*full.result.predictedS > *printed.result.predictedS * 1.001) ++slower;
            }
    EXPECT_GT(both, 20);
    EXPECT_GT(slower, 0);
}

TEST(MadPipePlanner, InSynchronousTrainingItHasNoPlan) {
    Problem problem = equalLayers(4, 2, 1e6);
    problem.setup.mode = TrainingMode::synchronous;
    const PlanRun run = planned(problem);
    EXPECT_EQ(run.result.status, PlanStatus::infeasible);
    EXPECT_NE(run.result.reason.find("without a barrier"), std::string::npos) << run.result.reason;
}

TEST(MadPipePlanner, SaysWhichLayersLackHowMuch) {
    // One layer: 3 * 8 of weights, 10 stored, 2 * 2 at each cut.
    const PlanRun run = planned(equalLayers(2, 2, 30));
    EXPECT_EQ(run.result.status, PlanStatus::infeasible);
    for (const char* part : {"layer 0", "38 B", "device d0", "30 B", "8 B are missing"})
        EXPECT_NE(run.result.reason.find(part), std::string::npos) << run.result.reason;
    EXPECT_TRUE(planned(equalLayers(2, 2, 38)).ok());
}

TEST(MadPipePlanner, ReservesWhatItsMemoryModelCounts) {
    const Problem problem = equalLayers(4, 2, 1e6);
    const PlanRun run = planned(problem, {{"allocation", std::string("contiguous")}});
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run.result.plan.weights.kind, WeightPolicyKind::doubleBuffer);
    const MemoryCurve& first = run.evaluation->memory[0];
    const auto at = [&](MemoryKind kind) {
        return first.bytes()[static_cast<std::size_t>(kind)][first.peakStep()];
    };
    EXPECT_EQ(at(MemoryKind::parameters) + at(MemoryKind::gradients) + at(MemoryKind::weightVersions),
              3 * 16);
    EXPECT_EQ(at(MemoryKind::buffers), 2 * 2);
    EXPECT_EQ(at(MemoryKind::activations),
              3 * 20);  // loads 6, 1, 6 at a period of 6: three groups
}

TEST(MadPipePlanner, LayersThatATensorSkipsStayTogether) {
    Problem problem = equalLayers(6, 3, 1e6);
    problem.profile.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {1, 3}};
    const PlanRun run = planned(problem);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
    for (const Stage& stage : run.result.plan.stages) EXPECT_NE(stage.lastLayer, 2);
    EXPECT_NE(notesOf(run).find("groups of layers"), std::string::npos) << notesOf(run);
}

TEST(MadPipePlanner, TwoWeightVersionsGetMiniBatchesThatAreLongEnough) {
    Problem problem = equalLayers(8, 4, 1e6);
    problem.setup.microbatches = 1;
    const PlanRun run = planned(problem, {{"allocation", std::string("contiguous")}});
    ASSERT_TRUE(run.ok());
    const std::vector<int> active = activeBatches(*run.costs, run.result.plan.stages,
                                                  std::get<PeriodicSchedule>(run.result.plan.schedule.order));
    const int most = *std::max_element(active.begin(), active.end());
    ASSERT_GT(most, 2);
    EXPECT_EQ(run.result.plan.miniBatch.microbatches, most - 1);
    EXPECT_DOUBLE_EQ(run.iterationTimeS(), 6);  // asked: one microbatch
    problem.setup.microbatches = most - 1;
    EXPECT_EQ(
        planned(problem, {{"allocation", std::string("contiguous")}}).result.plan.miniBatch.microbatches, 0);
}

TEST(MadPipePlanner, TheSameProblemGivesTheSamePlanFiveTimes) {
    const Problem problem = paperProblem(resNet50(), 4, 12e9, 12e9);
    const PlanRun first = planned(problem, {{"solver", std::string("both")}});
    ASSERT_TRUE(first.ok());
    for (int again = 0; again < 4; ++again)
        EXPECT_EQ(planned(problem, {{"solver", std::string("both")}}).result.plan, first.result.plan);
}

TEST(MadPipePlanner, WithoutASecondPhaseEveryDeviceHoldsOneStage) {
    const PlanRun run = planned(paperProblem(resNet50(), 4, 12e9, 12e9), {{"time_limit_s", 0.0}});
    ASSERT_TRUE(run.ok());
    std::set<int> devices;
    for (const Stage& stage : run.result.plan.stages)
        EXPECT_TRUE(devices.insert(stage.devices.front()).second);
    EXPECT_NE(notesOf(run).find("not scheduled"), std::string::npos) << notesOf(run);
}

TEST(MadPipePlanner, ItsProgressRisesToTheEnd) {
    WorkContext context;
    double progress = 0;
    context.progress = [&](double fraction) {
        EXPECT_GE(fraction, progress);
        progress = fraction;
    };
    runPlanner(*findPlanner("madpipe"), CostModel(equalLayers(6, 3, 150)), {}, context);
    EXPECT_DOUBLE_EQ(progress, 1);
}

TEST(MadPipePlanner, AStopIsHeeded) {
    std::stop_source source;
    source.request_stop();
    WorkContext context;
    context.stop = source.get_token();
    EXPECT_THROW(runPlanner(*findPlanner("madpipe"), CostModel(equalLayers(6, 3, 1e6)), {}, context),
                 Cancelled);
}

}  // namespace
}  // namespace stagecraft
