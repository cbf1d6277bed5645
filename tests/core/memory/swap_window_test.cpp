#include "core/analysis/evaluation.h"
#include "tests/support/every_room.h"
#include "core/analysis/utilisation.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/validation/validator_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

// What is swapped when (vPipe Sec. 4.2), and what goes before it.
namespace stagecraft {
namespace {

/// Two stages on two devices; the first swaps 8 bytes a microbatch over a host link of 8 / swapS bytes per
/// second. A forward takes 1 s, a backward 2 s on stage 0; stage 1 takes half of that.
Problem swappingChain(double swapS, const std::string& secondServer, double transferS) {
    Problem problem;
    problem.profile.layers = {{"a", 1, 2, 0, 4, 4, 8, 1}, {"b", 0.5, 1, 0, 0, 0, 0, 0.5}};
    for (int device = 0; device < 2; ++device)
        problem.cluster.devices.push_back({"g" + std::to_string(device), device == 0 ? "s0" : secondServer,
                                           "", 1000, 1, swapS > 0 ? 8 / swapS : 0});
    problem.cluster.links = {{"g0", "g1", 4 / transferS, 0, ""}};
    problem.setup.microbatches = 12;
    return problem;
}

Evaluation evaluated(const Problem& problem, LayerMemory memory, const std::string& policy = "1f1b") {
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    plan.schedule.order = FamilySchedule{policy, {}};
    if (memory != LayerMemory::keep) plan.memory.layers[0] = memory;
    return evaluate(CostModel(problem), plan);
}

double gapBefore(const Timeline& timeline, BlockKind kind, int microbatch) {
    const std::uint32_t block = timeline.find(kind, 0, microbatch, 0);
    return timeline.startS[block] - timeline.endS[block - 1];
}

TEST(SwapWindow, ASwapThatFitsHalfAForwardAndABackwardCostsNothingInSteadyState) {
    for (const double swapS : {0.5, 1.0, 1.45}) {
        const Evaluation swapped = evaluated(swappingChain(swapS, "s0", 1e-3), LayerMemory::swap);
        EXPECT_TRUE(swapped.valid()) << swapped.violations.front().message;
        for (int microbatch = 4; microbatch < 10; ++microbatch)
            EXPECT_NEAR(gapBefore(swapped.timeline, BlockKind::backward, microbatch), 0, 1e-9)
                << swapS << " " << microbatch;
    }
}

TEST(SwapWindow, ASwapBeyondTheWindowStallsTheBackwardByWhatIsBeyond) {
    const Evaluation swapped = evaluated(swappingChain(2, "s0", 1e-3), LayerMemory::swap);
    EXPECT_TRUE(swapped.valid()) << swapped.violations.front().message;
    // Out and in take 4 s of the host link, forward and backward 3 s: Eq. (2) of vPipe.
    const Timeline& timeline = swapped.timeline;
    const double periodS = timeline.startS[timeline.find(BlockKind::backward, 0, 8, 0)] -
                           timeline.startS[timeline.find(BlockKind::backward, 0, 7, 0)];
    EXPECT_NEAR(periodS, 4, 1e-9);
}

TEST(SwapWindow, TransfersThatLeaveTheServerGoBeforeSwaps) {
    const double transferS = 0.25;
    const Evaluation inside = evaluated(swappingChain(1, "s0", transferS), LayerMemory::swap);
    const Evaluation leaving = evaluated(swappingChain(1, "s1", transferS), LayerMemory::swap);
    ASSERT_TRUE(inside.valid()) << inside.violations.front().message;
    ASSERT_TRUE(leaving.valid()) << leaving.violations.front().message;
    int heldUp = 0;
    for (std::uint32_t block = 0; block < leaving.timeline.blockCount(); ++block) {
        const BlockKind kind = leaving.timeline.kind[block];
        if (kind == BlockKind::transferForward || kind == BlockKind::transferBackward) {
            EXPECT_NEAR(leaving.timeline.durationS(block), transferS, 1e-9);
        }
        if (kind == BlockKind::swapOut || kind == BlockKind::swapIn)
            heldUp += leaving.timeline.durationS(block) > 1 + 1e-9;
    }
    EXPECT_GT(heldUp, 0);
    for (std::uint32_t block = 0; block < inside.timeline.blockCount(); ++block)
        if (inside.timeline.kind[block] == BlockKind::swapOut) {
            EXPECT_NEAR(inside.timeline.durationS(block), 1, 1e-9);
        }
}

TEST(SwapWindow, TheValidatorSeesASwapThatDidNotStandStill) {
    const Problem problem = swappingChain(1, "s1", 0.25);
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    plan.memory.layers[0] = LayerMemory::swap;
    Timeline timeline = simulate(CostModel(problem), plan);
    ASSERT_TRUE(validate(problem, plan, timeline).empty());
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
        if (timeline.kind[block] == BlockKind::swapOut && timeline.durationS(block) > 1.1) {
            timeline.endS[block] = timeline.startS[block] + 1;
            const std::vector<Violation> violations = validate(problem, plan, timeline);
            ASSERT_FALSE(violations.empty());
            EXPECT_EQ(violations.front().rule, Rule::blockDuration);
            return;
        }
    FAIL() << "no swap was held up";
}

TEST(SwapWindow, FetchingAheadKeepsTwoCopiesAndNoMore) {
    // Four stages, so that stage 0 has four microbatches in flight.
    Problem problem = swappingChain(1, "s0", 1e-3);
    problem.profile.layers = {{"a", 1, 2, 0, 1, 1, 8, 1},
                              {"b", 1, 2, 0, 1, 1, 0, 1},
                              {"c", 1, 2, 0, 1, 1, 0, 1},
                              {"d", 1, 2, 0, 0, 0, 0, 1}};
    problem.cluster.devices.clear();
    problem.cluster.links.clear();
    Plan plan;
    for (int device = 0; device < 4; ++device) {
        problem.cluster.devices.push_back({"g" + std::to_string(device), "s0", "", 1000, 1, 8});
        for (int other = 0; other < device; ++other)
            problem.cluster.links.push_back(
                {"g" + std::to_string(other), "g" + std::to_string(device), 1e9, 0, ""});
        plan.stages.push_back({device, device, {device}});
    }
    const auto most = [&] {
        const Evaluation done = evaluate(CostModel(problem), plan);
        EXPECT_TRUE(done.valid()) << done.violations.front().message;
        const std::vector<double>& bytes =
            done.memory[0].bytes()[static_cast<std::size_t>(MemoryKind::activations)];
        return *std::max_element(bytes.begin(), bytes.end());
    };
    EXPECT_EQ(most(), 4 * 8);
    plan.memory.layers[0] = LayerMemory::swap;
    EXPECT_EQ(most(), 2 * 8);
}

std::vector<DeviceUtilisation> sharesOf(const Problem& problem, const Evaluation& run,
                                        const CostModel* reference = nullptr) {
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    return utilisation(CostModel(problem), plan, run.metrics, run.timeline, reference);
}

TEST(Utilisation, WhatSmallMicrobatchesLoseIsNoUsefulWork) {
    Problem whole = swappingChain(1, "s0", 1e-3);
    whole.profile.microbatchSize = 4;
    // At a quarter of the size half of the time: twice as long by the sample.
    TimesAtSize quarter{1, {}};
    for (const Layer& layer : whole.profile.layers)
        quarter.layers.push_back({layer.forwardS / 2, layer.backwardS / 2, layer.weightGradientS / 2});
    whole.profile.otherSizes = {quarter};
    Problem problem = whole;
    problem.profile = profileAtSize(whole.profile, 1);
    problem.setup.microbatches = 4 * whole.setup.microbatches;
    problem.cluster.devices[1].speed = 2;
    whole.cluster = problem.cluster;
    const Evaluation run = evaluated(problem, LayerMemory::keep);
    const CostModel reference(whole);
    const auto shares = sharesOf(problem, run, &reference);
    for (const DeviceUtilisation& device : shares) {
        EXPECT_GT(device.busy, 0);
        EXPECT_NEAR(device.useful, device.busy / 2, 1e-9);
    }
    // All of it is what the throughput takes a GPU of speed 1 that always computes at the large size.
    const double sampleS =
        (reference.forwardS(0, 1) + reference.backwardS(0, 1)) / whole.profile.microbatchSize;
    EXPECT_NEAR(usefulDevices(reference, shares), run.metrics.throughputSamplesPerS * sampleS, 1e-9);
    EXPECT_EQ(sharesOf(problem, run)[0].useful, sharesOf(problem, run)[0].busy);
}

TEST(Utilisation, RecomputeAndSwapStallsAreNoUsefulWork) {
    const Problem problem = swappingChain(2, "s0", 1e-3);
    const Evaluation kept = evaluated(problem, LayerMemory::keep);
    const Evaluation recomputed = evaluated(problem, LayerMemory::recompute);
    const Evaluation swapped = evaluated(problem, LayerMemory::swap);
    const auto first = [&](const Evaluation& run) { return sharesOf(problem, run)[0]; };
    // Twelve microbatches of a forward of 1 s and a backward of 2 s.
    for (const Evaluation* run : {&kept, &recomputed, &swapped})
        EXPECT_NEAR(first(*run).busy * run->metrics.iterationTimeS, 36, 1e-9);
    for (const Evaluation* run : {&kept, &recomputed, &swapped})
        EXPECT_EQ(first(*run).useful, first(*run).busy) << "at its own microbatch";
    EXPECT_EQ(first(kept).busyInAll(), first(kept).busy);
    EXPECT_NEAR(first(recomputed).recompute * recomputed.metrics.iterationTimeS, 12, 1e-9);
    EXPECT_EQ(first(recomputed).hostLink, 0);
    EXPECT_NEAR(first(swapped).hostLink * swapped.metrics.iterationTimeS, 48, 1e-9);
    EXPECT_GT(first(swapped).swapStall, 0.1);
    EXPECT_EQ(first(swapped).recompute, 0);
}

TEST(Utilisation, TheIdealHasNoBubblesButThoseOfTheBarrier) {
    Problem problem = swappingChain(1, "s0", 1e-3);
    // 4.5 s of work a microbatch over two devices; twelve microbatches.
    EXPECT_NEAR(idealThroughputSamplesPerS(CostModel(problem), 2), 12 / (2.25 * 13), 1e-9);
    problem.setup.mode = TrainingMode::asynchronous;
    EXPECT_NEAR(idealThroughputSamplesPerS(CostModel(problem), 2), 1 / 2.25, 1e-9);
}

TEST(Utilisation, TheIdealIsOfPlansThatFillAndDrainAndNeverBelowWhatIsReached) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    int with = 0, without = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        Problem problem = random_problem::problem(random, 1 + random_problem::upTo(random, 7),
                                                  1 + random_problem::upTo(random, 4));
        if (random() % 3 == 0) problem.setup.mode = TrainingMode::asynchronous;
        Plan plan = random_problem::plan(random, problem);
        if (plan.schedule.slices() > 1) problem.setup.mode = TrainingMode::synchronous;
        const CostModel costs(problem);
        const Evaluation run = evaluate(costs, plan);
        const std::optional<double> ideal = idealThroughputOf(costs, plan, run.metrics);
        EXPECT_GE(ideal.value_or(infinity), run.metrics.throughputSamplesPerS * (1 - 1e-9))
            << "seed " << seed;
        EXPECT_FALSE(ideal && problem.setup.mode == TrainingMode::synchronous && plan.schedule.splits());
        (ideal ? with : without) += 1;
    }
    EXPECT_GT(with, 30);
    EXPECT_GT(without, 30);
}

}  // namespace
}  // namespace stagecraft
