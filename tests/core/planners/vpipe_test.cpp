#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"
#include "core/planners/vpipe/vpipe_planner.h"
#include "tests/core/planners/random_problems.h"
#include "tests/core/planners/runs.h"
#include "tests/core/planners/vpipe_problems.h"
#include "tests/core/support/slow_property.h"
#include "tests/support/test_extent.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>

namespace stagecraft {
namespace {

using testing::runVpipe;

/// Eight equal layers on four devices with a memory limit; activations of 10 B, weights of 1 B.
Problem uniformChain(double limitBytes, TrainingMode mode) {
    Problem problem;
    for (int layer = 0; layer < 8; ++layer)
        problem.profile.layers.push_back({"l" + std::to_string(layer), 1, 2, 1, 1, 1, 10, 1});
    for (int device = 0; device < 4; ++device) {
        problem.cluster.devices.push_back(
            {"g" + std::to_string(device), "s" + std::to_string(device / 2), "", limitBytes, 1, 5});
        for (int other = 0; other < device; ++other)
            problem.cluster.links.push_back(
                {"g" + std::to_string(other), "g" + std::to_string(device), 100, 0, ""});
    }
    problem.setup.microbatches = 12;
    problem.setup.mode = mode;
    return problem;
}

TEST(Vpipe, KeepsEverythingWhereMemoryIsPlentyAndSwapsOnlyWhatCostsNothing) {
    for (const TrainingMode mode : {TrainingMode::synchronous, TrainingMode::asynchronous}) {
        const Problem problem = uniformChain(1e6, mode);
        const PlanRun kept = runVpipe(problem, {{"eager_swap", false}});
        ASSERT_TRUE(kept.ok()) << kept.result.reason;
        EXPECT_TRUE(kept.result.plan.memory.layers.empty());
        const PlanRun eager = runVpipe(problem);
        ASSERT_TRUE(eager.ok());
        EXPECT_LE(eager.iterationTimeS(), kept.iterationTimeS() * (1 + 1e-9));
    }
}

TEST(Vpipe, FitsWhereTheUpperSystemDoesNotAndIsQuickerWhereItDoes) {
    // Stage 0 holds four copies of 20 B of activations and weights besides.
    const Problem tight = uniformChain(70, TrainingMode::asynchronous);
    const PlanRun alone = runVpipe(tight, {{"parts", std::string("none")}});
    EXPECT_EQ(alone.result.status, PlanStatus::infeasible);
    EXPECT_NE(alone.result.reason.find("stage 0 holds"), std::string::npos) << alone.result.reason;
    const PlanRun with = runVpipe(tight);
    ASSERT_TRUE(with.ok()) << with.result.reason;
    EXPECT_TRUE(with.evaluation->valid());
    EXPECT_TRUE(with.evaluation->metrics.fitsMemory);

    const Problem barrier = uniformChain(200, TrainingMode::synchronous);
    const PlanRun gpipe = runVpipe(barrier, {{"parts", std::string("none")}});
    const PlanRun vpipe = runVpipe(barrier);
    ASSERT_TRUE(gpipe.ok() && vpipe.ok());
    EXPECT_EQ(gpipe.result.plan.memory.layers.size(), 8u);
    EXPECT_LT(vpipe.iterationTimeS(), gpipe.iterationTimeS());
}

TEST(Vpipe, SaysWhichStageNeedsWhatWhenNothingFits) {
    const PlanRun run = runVpipe(uniformChain(15, TrainingMode::synchronous));
    EXPECT_EQ(run.result.status, PlanStatus::infeasible);
    EXPECT_NE(run.result.reason.find("needs"), std::string::npos) << run.result.reason;
    EXPECT_NE(run.result.reason.find("limit"), std::string::npos) << run.result.reason;
    EXPECT_FALSE(run.result.rounds.empty());
}

TEST(Vpipe, OverPipeDreamNeedsASetupWithoutABarrier) {
    const PlanRun run =
        runVpipe(uniformChain(1e6, TrainingMode::synchronous), {{"over", std::string("pipedream")}});
    EXPECT_EQ(run.result.status, PlanStatus::infeasible);
    const PlanRun gpipe =
        runVpipe(uniformChain(1e6, TrainingMode::asynchronous), {{"over", std::string("gpipe")}});
    ASSERT_TRUE(gpipe.ok());
    EXPECT_TRUE(gpipe.result.plan.miniBatch.barrier);
    EXPECT_TRUE(gpipe.evaluation->valid());
}

TEST(Vpipe, RoundsCanBeReplayed) {
    Problem problem = uniformChain(70, TrainingMode::asynchronous);
    problem.profile.layers[0].forwardS = 3;  // the start is out of balance
    const auto costs = std::make_shared<const CostModel>(problem);
    const PlanRun run = runVpipe(problem);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    ASSERT_FALSE(run.result.rounds.empty());
    int chosen = 0;
    for (const Attempt& round : run.result.rounds) {
        EXPECT_FALSE(round.because.empty());
        Plan plan = run.result.plan;
        plan.stages = round.partition;
        plan.memory = round.memory;
        const PlanRun again = evaluatePlan(costs, plan);
        ASSERT_TRUE(again.ok());
        // What a round is too large for may be less than there is.
        EXPECT_TRUE(again.evaluation->metrics.fitsMemory || !round.fits);
        if (round.fits) {
            EXPECT_NEAR(again.evaluation->metrics.iterationTimeS, round.iterationTimeS,
                        1e-6 * round.iterationTimeS);
        }
        chosen += round.chosen;
        if (round.chosen) {
            EXPECT_EQ(round.partition, run.result.plan.stages);
        }
    }
    EXPECT_EQ(chosen, 1);
}

/// The least limit of a stage's device under which some choice of keep, recompute and swap fits, where all
/// other layers are kept.
double leastLimit(const Problem& problem, Plan plan, std::size_t tight) {
    const auto costs = std::make_shared<const CostModel>(problem);
    const Stage& stage = plan.stages[tight];
    const Device& device = problem.cluster.devices[static_cast<std::size_t>(stage.devices[0])];
    const int ways = device.hostBandwidthBps > 0 ? 3 : 2;
    double least = std::numeric_limits<double>::infinity();
    plan.claims.fitsMemory = false;
    int choices = 1;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) choices *= ways;
    for (int choice = 0; choice < choices; ++choice) {
        plan.memory.layers.clear();
        for (int layer = stage.firstLayer, rest = choice; layer <= stage.lastLayer; ++layer, rest /= ways)
            if (rest % ways > 0)
                plan.memory.layers[layer] = rest % ways == 1 ? LayerMemory::recompute : LayerMemory::swap;
        const PlanRun run = evaluatePlan(costs, plan);
        const auto& devices = run.evaluation->metrics.devices;
        least = std::min(least, devices[static_cast<std::size_t>(stage.devices[0])].peakMemoryBytes);
    }
    return least;
}

TEST(Vpipe, RefusesAStageOnlyWhereNoChoiceOfItsLayersFits) {
    int refused = 0, planned = 0;
    EXPECT_TRUE(testing::checkSlowly([&] {
        const Problem roomy = testing::wholeBytesProblem(testing::between(2, 3), 4);
        const ParameterValues values = {{"parts", std::string("swap-recompute")},
                                        {"own_partition", std::string("none")},
                                        {"eager_swap", false}};
        const PlanRun kept = runVpipe(roomy, values);
        RC_ASSERT(kept.ok());
        for (std::size_t tight = 0; tight < kept.result.plan.stages.size(); ++tight) {
            const double least = leastLimit(roomy, kept.result.plan, tight);
            for (const double limit : {least, 0.999 * least}) {
                if (!(limit > 0)) continue;
                Problem problem = roomy;
                problem.cluster.devices[tight].memoryBytes = limit;
                const PlanRun run = runVpipe(problem, values);
                ++(run.ok() ? planned : refused);
                if (limit == least && !run.ok()) RC_FAIL(run.result.reason);
            }
        }
    }));
    EXPECT_GT(planned, testing::ofSlowCases(100));
    EXPECT_GT(refused, testing::ofSlowCases(25));
}

TEST(Vpipe, ARefusalNeverSaysThatAStageNeedsWhatItHas) {
    const int enough = testing::inFull() ? 25 : 10;
    int refused = 0;
    double fits = 60;
    for (const double step : {1.0, 0.1, 0.01})
        while (fits > 21 && runVpipe(uniformChain(fits - step, TrainingMode::asynchronous)).ok())
            fits -= step;
    // Down from there in steps that sizes in words do not tell apart.
    for (double limit = fits; limit > 20; limit -= 0.01) {
        const PlanRun run = runVpipe(uniformChain(limit, TrainingMode::asynchronous));
        if (run.ok()) continue;
        ++refused;
        const std::string& reason = run.result.reason;
        const std::size_t stage = reason.find("stage "), end = reason.find(" B", stage);
        ASSERT_NE(stage, std::string::npos) << reason;
        ASSERT_NE(end, std::string::npos) << reason;
        const std::size_t verb = reason.rfind("s ", end);  // needs, holds
        const std::string needed = reason.substr(verb + 2, end - verb);
        ASSERT_EQ(reason.find("its limit is " + needed), std::string::npos) << reason;
        if (refused > enough) break;
    }
    EXPECT_GT(refused, enough);
}

Problem randomMemoryProblem() {
    Problem problem = testing::randomProblem({.maxLayers = 12,
                                              .maxDevices = 8,
                                              .maxMicrobatches = 8,
                                              .latencies = true,
                                              .speeds = true,
                                              .skips = *rc::gen::inRange(0, 2) == 1});
    const auto between = [](int low, int high) { return *rc::gen::inRange(low, high + 1); };
    for (Layer& layer : problem.profile.layers) layer.storedActivationBytes = between(0, 80);
    for (std::size_t d = 0; d < problem.cluster.devices.size(); ++d) {
        problem.cluster.devices[d].memoryBytes = between(60, 900);
        problem.cluster.devices[d].hostBandwidthBps = between(0, 2) == 0 ? 0 : between(1, 300);
        problem.cluster.devices[d].server = "s" + std::to_string(d / 2);
    }
    problem.setup.mode = between(0, 1) ? TrainingMode::asynchronous : TrainingMode::synchronous;
    problem.setup.optimizer = static_cast<Optimizer>(between(0, 2));
    problem.setup.channel = static_cast<ChannelMode>(between(0, 2));
    return problem;
}

struct Counts {
    int planned = 0, infeasible = 0, swaps = 0, recomputes = 0;
};

void planOne(Counts& counts) {
    const Problem problem = randomMemoryProblem();
    const ParameterValues values = {{"eager_swap", *rc::gen::inRange(0, 2) == 1},
                                    {"exact_local", *rc::gen::inRange(0, 4) == 0},
                                    {"params_resident", *rc::gen::inRange(0, 4) != 0}};
    const PlanRun run = runVpipe(problem, values);
    if (!run.ok()) {
        if (run.result.status != PlanStatus::infeasible) RC_FAIL(run.result.reason);
        RC_ASSERT(!run.result.reason.empty());
        ++counts.infeasible;
        return;
    }
    ++counts.planned;
    for (const auto& [layer, op] : run.result.plan.memory.layers)
        ++(op == LayerMemory::swap ? counts.swaps : counts.recomputes);
    RC_ASSERT(run.result.plan.claims.fitsMemory);
    if (!run.evaluation->valid()) RC_FAIL(run.evaluation->violations.front().message);
    RC_ASSERT(run.evaluation->metrics.fitsMemory);
}

TEST(Vpipe, NoPlanShownAsFittingExceedsTheLimitAtAnyInstant) {
    const int problemsADraw = testing::inFull() ? 10 : 4;
    Counts counts;
    EXPECT_TRUE(testing::checkSlowly([&] {
        for (int problem = 0; problem < problemsADraw; ++problem) planOne(counts);
    }));
    EXPECT_GT(counts.planned, testing::ofSlowCases(20) * problemsADraw);
    EXPECT_GT(counts.infeasible, testing::ofSlowCases(3) * problemsADraw);
    EXPECT_GT(counts.swaps, testing::ofSlowCases(2) * problemsADraw);
    EXPECT_GT(counts.recomputes, testing::ofSlowCases(2) * problemsADraw);
}

/// With `factor` times its devices' memory.
Problem withMemory(Problem problem, double factor) {
    for (Device& device : problem.cluster.devices) device.memoryBytes *= factor;
    return problem;
}

/// Plans with more and more memory. @return steps of which both ends were planned
/// @param slower counts those that end with something slower
int climb(const Problem& problem, const ParameterValues& values, const std::vector<double>& factors,
          int& slower) {
    int steps = 0;
    double beforeS = std::numeric_limits<double>::infinity();
    for (const double factor : factors) {
        const PlanRun run = runVpipe(withMemory(problem, factor), values);
        const bool planned = beforeS < std::numeric_limits<double>::infinity();
        if (!run.ok()) {
            EXPECT_FALSE(planned) << "refused with " << factor << " times the memory: " << run.result.reason;
            continue;
        }
        slower += run.iterationTimeS() > beforeS * (1 + 1e-9);
        steps += planned;
        beforeS = run.iterationTimeS();
    }
    return steps;
}

TEST(Vpipe, IsNeverSlowerWithMoreMemory) {
    int steps = 0;
    EXPECT_TRUE(testing::checkSlowly([&] {
        const ParameterValues values = {
            {"eager_swap", testing::between(0, 1) == 1},
            {"own_partition", std::string(testing::between(0, 1) == 1 ? "always" : "automatic")}};
        std::vector<double> factors{0.25};
        for (int step = 0; step < 6; ++step)
            factors.push_back(factors.back() * testing::between(101, 170) / 100);
        int slower = 0;
        steps += climb(randomMemoryProblem(), values, factors, slower);
        if (slower > 0 || ::testing::Test::HasFailure()) RC_FAIL("a step back");
    }));
    EXPECT_GT(steps, testing::ofSlowCases(150));
}

TEST(Vpipe, PlansWhatTakesNoMemoryAtAll) {
    for (const double limit : {0.01, 1.0, 16.0}) {
        Problem problem = uniformChain(limit, TrainingMode::synchronous);
        for (Layer& layer : problem.profile.layers)
            layer.parameterBytes = layer.storedActivationBytes = layer.outputBytes =
                layer.outputGradientBytes = 0;
        EXPECT_TRUE(runVpipe(problem).ok()) << limit;
    }
}

TEST(Vpipe, IsNeverSlowerWithMoreMemoryOnItsSamples) {
    const std::vector<double> factors =
        testing::inFull() ? std::vector<double>{0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2}
                          : std::vector<double>{0.5, 0.75, 1, 1.5};
    bool withBarrier = false;  // of a sample that is planned in one mode alone
    for (const char* name : {"vpipe-bert", "vpipe-amoebanet", "vpipe-gnmt", "madpipe-resnet-50"}) {
        const std::filesystem::path path = std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples" /
                                           (std::string(name) + ".stagecraft.json");
        Problem problem = openProject(path).problem;
        withBarrier = !withBarrier;
        for (const TrainingMode mode : {TrainingMode::synchronous, TrainingMode::asynchronous}) {
            if (!testing::inFull() && withBarrier != (mode == TrainingMode::synchronous)) continue;
            problem.setup.mode = mode;
            SCOPED_TRACE(name);
            int slower = 0;
            EXPECT_GE(climb(problem, {}, factors, slower), static_cast<int>(factors.size()) / 2);
            EXPECT_EQ(slower, 0);
        }
    }
}

TEST(Vpipe, PlansForPipeDreamsReplicasAndIsNeverSlowerThanPipeDreamAlone) {
    int replicated = 0;
    EXPECT_TRUE(testing::checkSlowly([&] {
        Problem problem = randomMemoryProblem();
        problem.setup.mode = TrainingMode::asynchronous;
        const PlanRun alone = testing::runWithDefaults("pipedream", problem);
        const PlanRun run = runVpipe(problem);
        if (!alone.ok() || !alone.evaluation->metrics.fitsMemory) return;
        RC_ASSERT(run.ok());
        if (!run.evaluation->valid()) RC_FAIL(run.evaluation->violations.front().message);
        RC_ASSERT(run.iterationTimeS() <= alone.iterationTimeS() * (1 + 1e-9));
        for (const Stage& stage : run.result.plan.stages) replicated += stage.devices.size() > 1;
    }));
    EXPECT_GT(replicated, testing::ofSlowCases(5));
}

/// Just too little memory for PipeDream's own plan. @return stages that are replicated and not all kept
int squeezed(Problem problem) {
    problem.setup.mode = TrainingMode::asynchronous;
    const PlanRun alone = testing::runWithDefaults("pipedream", problem);
    if (!alone.ok()) return 0;
    for (std::size_t d = 0; d < problem.cluster.devices.size(); ++d)
        problem.cluster.devices[d].memoryBytes =
            0.95 * alone.evaluation->metrics.devices[d].peakMemoryBytes + 1;
    const PlanRun run = runVpipe(problem, {{"own_partition", std::string("always")}});
    if (!run.ok()) return 0;
    if (!run.evaluation->valid()) RC_FAIL(run.evaluation->violations.front().message);
    RC_ASSERT(run.evaluation->metrics.fitsMemory);
    int changed = 0;
    for (const Stage& stage : run.result.plan.stages)
        changed += stage.devices.size() > 1 && !run.result.plan.memory.layers.empty();
    return changed;
}

TEST(Vpipe, SwapsAndRecomputesOnPipeDreamsReplicasIfToldTo) {
    // One problem in some hundred: drawn until there is one.
    int changed = 0;
    for (int round = 0; round < 30 && changed == 0; ++round)
        EXPECT_TRUE(testing::checkSlowly([&] { changed += squeezed(randomMemoryProblem()); }, round));
    EXPECT_GT(changed, 0);
}

}  // namespace
}  // namespace stagecraft
