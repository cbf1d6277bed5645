// The validator's own account of weight versions: timelines damaged by hand under each policy, and agreement
// with the simulator's.
#include "core/memory/memory.h"
#include "tests/support/every_room.h"
#include "core/simulation/instants.h"
#include "core/validation/weight_versions.h"
#include "core/weights/weight_stash.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/validation/validator_cases.h"
#include "tests/core/weights/weight_setting.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

using random_problem::upTo;
using test::Case;
using test::textOf;
using enum BlockKind;

/// One layer per stage, one stage per device, equal times, no transfers.
Case streaming(WeightPolicyKind policy, int stages, int microbatches, int iterations = 10) {
    weight_setting::Setting made = weight_setting::unitSetting(policy, stages, microbatches, iterations);
    return {std::move(made.problem), std::move(made.plan), std::move(made.timeline)};
}

std::vector<Violation> ofWeights(const Case& c) {
    std::vector<Violation> violations = c.check();
    std::erase_if(violations, [](const Violation& each) { return each.rule != Rule::weightVersion; });
    return violations;
}

void moveTo(Case& c, std::uint32_t block, double startS) {
    test::move(c.timeline, block, startS - c.timeline.startS[block]);
}

TEST(WeightCheck, WhatTheSimulatorMakesHoldsUnderEveryPolicy) {
    for (const WeightPolicyKind policy :
         {WeightPolicyKind::stashing, WeightPolicyKind::verticalSync, WeightPolicyKind::doubleBuffer,
          WeightPolicyKind::predicted, WeightPolicyKind::latest})
        EXPECT_EQ(textOf(streaming(policy, 3, 4).check()), "");
}

TEST(WeightCheck, StashingNeedsAsManyVersionsAsAreUnderWay) {
    Case c = streaming(WeightPolicyKind::stashing, 4, 1);
    c.plan.weights.versions = {4, 3, 2, 1};
    EXPECT_EQ(textOf(c.check()), "");
    for (std::size_t stage = 0; stage < 3; ++stage) {
        Case fewer = c;
        --fewer.plan.weights.versions[stage];
        const std::vector<Violation> violations = fewer.check();
        ASSERT_EQ(violations.size(), 1u) << textOf(violations);
        EXPECT_EQ(violations[0].rule, Rule::weightVersion);
        // It names the backward that would look for weights which are gone.
        ASSERT_NE(violations[0].block, noBlock);
        EXPECT_EQ(c.timeline.kind[violations[0].block], backward);
        EXPECT_EQ(c.timeline.stage[violations[0].block], static_cast<int>(stage));
        EXPECT_NE(violations[0].message.find("which is gone"), std::string::npos) << violations[0].message;
    }
}

TEST(WeightCheck, AStashedVersionIsGoneForABackwardThatComesTooLate) {
    Case c = streaming(WeightPolicyKind::stashing, 2, 1);
    c.plan.weights.versions = {2, 1};
    EXPECT_EQ(textOf(c.check()), "");
    moveTo(c, c.find(backward, 0, 0, 3), c.timeline.endS[c.find(backward, 0, 0, 5)] + 1);
    const std::vector<Violation> violations = ofWeights(c);
    ASSERT_FALSE(violations.empty());
    EXPECT_EQ(violations[0].block, c.find(backward, 0, 0, 3));
}

TEST(WeightCheck, VerticalSyncNeedsTheVersionOnEveryStage) {
    Case c = streaming(WeightPolicyKind::verticalSync, 3, 2);
    EXPECT_EQ(textOf(ofWeights(c)), "");
    // The last stage gets its versions only after microbatches that the first one sent with them.
    for (int iteration = 1; iteration < 10; ++iteration)
        test::move(c.timeline, c.find(update, 2, -1, iteration), 10);
    ASSERT_FALSE(ofWeights(c).empty());
    EXPECT_EQ(c.timeline.stage[ofWeights(c)[0].block], 2);
}

TEST(WeightCheck, VerticalSyncKeepsWhatTheInputStageNamed) {
    Case c = streaming(WeightPolicyKind::verticalSync, 3, 1);
    c.plan.weights.versions = {3, 3, 3};
    EXPECT_EQ(textOf(c.check()), "");
    c.plan.weights.versions = {3, 3, 2};
    ASSERT_EQ(c.check().size(), 1u);
    EXPECT_EQ(c.timeline.stage[c.check()[0].block], 2);
}

TEST(WeightCheck, DoubleBufferingIsOneUpdateBehindAndNoMore) {
    Case c = streaming(WeightPolicyKind::doubleBuffer, 3, 4);
    EXPECT_EQ(textOf(c.check()), "");
    // The version of mini-batch 5, made by the update of mini-batch 3, comes too late for it.
    Case late = c;
    moveTo(late, late.find(update, 1, -1, 3), late.timeline.startS[late.find(forward, 1, 0, 5)] + 0.5);
    ASSERT_FALSE(ofWeights(late).empty());
    EXPECT_EQ(late.timeline.iteration[ofWeights(late)[0].block], 5);
    // A backward that comes after the next update but one finds its buffer used again.
    Case gone = c;
    moveTo(gone, gone.find(backward, 1, 3, 4), gone.timeline.endS[gone.find(update, 1, -1, 5)] + 0.5);
    ASSERT_FALSE(ofWeights(gone).empty());
    EXPECT_EQ(ofWeights(gone)[0].block, gone.find(backward, 1, 3, 4));
}

TEST(WeightCheck, DoubleBufferingNeedsAsManyMicrobatchesAsTheInputStageHasUnderWay) {
    for (const int microbatches : {2, 4}) {
        // Run as if no pass had to wait for its version.
        Case c = streaming(WeightPolicyKind::latest, 4, microbatches);
        c.plan.weights.kind = WeightPolicyKind::doubleBuffer;
        EXPECT_EQ(c.check().empty(), microbatches == 4) << textOf(c.check());
    }
}

TEST(WeightCheck, WhatABellwetherPredictsIsACopyUntilTheLastOfItsMiniBatch) {
    // Exact differences for 4 GPUs and T = 4: 1, 1, 1, 0 for forwards, 0 for backwards.
    Case c = streaming(WeightPolicyKind::predicted, 4, 4);
    c.plan.weights.difference = VersionDifference::exact;
    c.plan.weights.versions = {2, 2, 2, 1};
    EXPECT_EQ(textOf(c.check()), "");
    for (std::size_t stage = 0; stage < 3; ++stage) {
        Case fewer = c;
        --fewer.plan.weights.versions[stage];
        ASSERT_EQ(fewer.check().size(), 1u);
        EXPECT_EQ(fewer.check()[0].rule, Rule::weightVersion);
        EXPECT_NE(fewer.check()[0].message.find("prediction"), std::string::npos);
    }
    // Eq. (1) and (2) predict for backwards too, while the next mini-batch's forwards are under way.
    c.plan.weights.difference = VersionDifference::printed;
    EXPECT_FALSE(c.check().empty());
    c.plan.weights.versions = {3, 3, 3, 3};
    EXPECT_EQ(textOf(c.check()), "");
}

TEST(WeightCheck, NoneMayOvertakeItsBellwether) {
    for (const BlockKind kind : {forward, backward}) {
        Case c = streaming(WeightPolicyKind::predicted, 3, 3);
        const std::uint32_t first = c.find(kind, 1, 0, 4), second = c.find(kind, 1, 1, 4);
        const double firstS = c.timeline.startS[first], secondS = c.timeline.startS[second];
        moveTo(c, first, secondS);
        moveTo(c, second, firstS);
        ASSERT_EQ(ofWeights(c).size(), 1u);
        EXPECT_EQ(ofWeights(c)[0].block, second);
        c.plan.weights.kind = WeightPolicyKind::latest;
        EXPECT_TRUE(ofWeights(c).empty());
    }
}

TEST(WeightCheck, APredictedCopyMayNotStayAMiniBatchTooLong) {
    Case c = streaming(WeightPolicyKind::predicted, 4, 2);
    c.plan.weights.difference = VersionDifference::exact;
    c.plan.weights.versions = {2, 2, 2, 1};
    EXPECT_EQ(textOf(c.check()), "");
    moveTo(c, c.find(forward, 0, 1, 4), c.timeline.startS[c.find(forward, 0, 0, 5)] + 0.25);
    EXPECT_FALSE(ofWeights(c).empty());
}

TEST(WeightCheck, WithoutStashingNothingIsMissedWhateverTheTimeline) {
    Case c = streaming(WeightPolicyKind::latest, 3, 2);
    moveTo(c, c.find(backward, 0, 0, 3), c.timeline.endS[c.find(backward, 0, 0, 6)]);
    EXPECT_TRUE(ofWeights(c).empty());
    c.plan.weights.versions = {1, 0, 1};
    EXPECT_FALSE(ofWeights(c).empty());
}

TEST(WeightCheck, OneVersionDoesNotSurviveAnUpdateUnderWay) {
    Case c = streaming(WeightPolicyKind::latest, 3, 2);
    c.plan.weights.kind = WeightPolicyKind::single;
    EXPECT_FALSE(ofWeights(c).empty());
}

/// Stage 0 round robin on devices 0 and 1, stage 1 on device 2.
Case inTurn() {
    Case c = streaming(WeightPolicyKind::stashing, 3, 1, 1);
    c.problem.profile.layers.pop_back();
    c.problem.profile.layers[0].forwardS = c.problem.profile.layers[0].backwardS = 2;
    c.problem.profile.layers[0].parameterBytes = 0;  // no time for an AllReduce
    c.plan.stages = {{0, 0, {0, 1}, 0, Replication::roundRobin}, {1, 1, {2}}};
    c.timeline = simulate(CostModel(c.problem), c.plan, {12, {}});
    return c;
}

TEST(WeightCheck, EveryReplicaHasItsOwnStash) {
    Case c = inTurn();
    EXPECT_EQ(textOf(c.check()), "");
    std::set<std::vector<int>> holders;
    int most = 0;
    for (const StashedVersion& stash : stashedVersions(c.plan, c.timeline))
        if (stash.stage == 0) holders.insert(stash.devices);
    EXPECT_EQ(holders, (std::set<std::vector<int>>{{0}, {1}}));
    // As many versions as each replica needs by itself are enough.
    while (c.plan.weights.versions = {most, 9}, !c.check().empty()) ++most;
    EXPECT_GE(most, 2);
    // The same microbatches under way on devices that split each of them need more.
    Case damaged = c;
    const std::uint32_t late = damaged.find(backward, 0, 0, 4);
    moveTo(damaged, late, damaged.timeline.endS[damaged.find(backward, 0, 0, 8)] + 1);
    ASSERT_FALSE(ofWeights(damaged).empty());
    EXPECT_EQ(ofWeights(damaged)[0].block, late);
    EXPECT_NE(ofWeights(damaged)[0].message.find("on device g0 "), std::string::npos)
        << ofWeights(damaged)[0].message;
}

TEST(WeightCheck, APatternUpdatesAtTheEndOfAMiniBatchsLastBackward) {
    Case c = test::periodic();
    EXPECT_EQ(textOf(c.check()), "");
    // The backward of stage 0 two periods later: its update then comes too late for two buffers, one
    // mini-batch a period, but not for mini-batches of four.
    auto& pattern = std::get<PeriodicSchedule>(c.plan.schedule.order);
    pattern.operations.back().shift += 2;
    c.plan.weights.versions.clear();
    for (const int microbatches : {1, 4}) {
        c.problem.setup.microbatches = microbatches;
        c.timeline = simulate(CostModel(c.problem), c.plan, {8, {}});
        EXPECT_EQ(c.check().empty(), microbatches == 4) << textOf(c.check());
    }
    c.problem.setup.microbatches = 1;
    c.plan.weights.kind = WeightPolicyKind::stashing;
    c.timeline = simulate(CostModel(c.problem), c.plan, {8, {}});
    EXPECT_EQ(textOf(c.check()), "");
    c.plan.weights.versions = {2, 2};
    EXPECT_EQ(c.check().size(), 1u);
}

TEST(WeightCheck, APlanThatKeepsItsBarrierIsHeldToOneVersion) {
    Problem problem = test::smallProblem(2, 2, 2);
    problem.setup.mode = TrainingMode::asynchronous;
    Plan plan = test::smallPlan(problem, {{0}, {1}}, "gpipe");
    plan.miniBatch.barrier = true;
    problem.setup = setupOf(plan, problem.setup);
    Case c = test::simulated(problem, plan, 3);
    EXPECT_EQ(textOf(c.check()), "");
    moveTo(c, c.find(backward, 0, 1, 0), c.timeline.endS[c.find(update, 0, -1, 1)] + 1);
    EXPECT_FALSE(ofWeights(c).empty());
}

/// Memory is what both sides make of the versions: one byte below the peak is refused, the peak is not.
RC_GTEST_PROP(WeightCheck, AgreesWithTheSimulatorOnThePeakUnderEveryPolicy, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 1 + upTo(random, 6), 1 + upTo(random, 5));
    problem.setup.mode = TrainingMode::asynchronous;
    problem.setup.microbatches = 1 + upTo(random, 3);
    Plan plan = random_problem::plan(random, problem);
    plan.memory.layers.clear();
    plan.schedule.order = FamilySchedule{random() % 2 ? "1f1b" : "gpipe", {}};
    plan.claims.fitsMemory = true;
    if (random() % 2)
        for (Stage& stage : plan.stages) stage.replication = Replication::roundRobin;
    plan.weights.kind = *rc::gen::element(WeightPolicyKind::stashing, WeightPolicyKind::verticalSync,
                                          WeightPolicyKind::predicted, WeightPolicyKind::latest);
    plan.weights.difference = static_cast<VersionDifference>(random() % 3);
    const CostModel costs(problem);
    Timeline timeline = simulate(costs, plan, {6, {}});
    joinInstants(timeline);
    for (const MemoryCurve& curve : memoryCurves(costs, plan, stageEdges(costs, plan), timeline)) {
        if (curve.peakBytes() <= 0) continue;
        for (Device& device : problem.cluster.devices) device.memoryBytes = 1e12;
        double& limit = problem.cluster.devices[static_cast<std::size_t>(curve.device)].memoryBytes;
        limit = curve.peakBytes();
        RC_ASSERT(textOf(validate(problem, plan, timeline)) == "");
        limit = curve.peakBytes() * (1 - 1e-6);
        RC_ASSERT(test::rulesOf(validate(problem, plan, timeline)) == std::set{Rule::memoryLimit});
    }
}

TEST(PredictedMemory, XpipeHoldsOneCopyMoreWhereItPredicts) {
    const Case c = streaming(WeightPolicyKind::predicted, 4, 4);
    Plan plan = c.plan;
    plan.weights.difference = VersionDifference::exact;
    const std::vector<MemoryCurve> curves =
        memoryCurves(CostModel(c.problem), plan, stageEdges(CostModel(c.problem), plan), c.timeline);
    for (int device = 0; device < 4; ++device) {
        const std::vector<double>& versions =
            curves[static_cast<std::size_t>(device)]
                .bytes()[static_cast<std::size_t>(MemoryKind::weightVersions)];
        EXPECT_DOUBLE_EQ(*std::max_element(versions.begin(), versions.end()), device < 3 ? 100 : 0);
        EXPECT_DOUBLE_EQ(*std::min_element(versions.begin(), versions.end()), 0);
    }
}

}  // namespace
}  // namespace stagecraft
