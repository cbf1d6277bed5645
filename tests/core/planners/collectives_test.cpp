// By which algorithm a collective within a stage is fastest, and what it then takes.
#include "core/cost/collectives.h"
#include "core/cost/cost_model.h"
#include "core/planners/planned_run.h"
#include "core/validation/validator.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

using cost::CollectiveAlgorithm;
using cost::CollectiveCost;
using cost::CollectiveRanks;
using cost::Collectives;

/// A sum of 80 bytes on 8 ranks, of which each sends 140 round a ring; 10 bytes a second. By hand.
TEST(Collectives, ASumTakesTheFastestOfRingTreesAndSwitch) {
    const Collectives sum{1, 140, true};
    const CollectiveCost near = fastestCollectives(sum, {8, 10, 0.1, false}, 0);
    EXPECT_EQ(near.algorithm, CollectiveAlgorithm::ring);
    EXPECT_DOUBLE_EQ(near.seconds(), 14 + 14 * 0.1);
    const CollectiveCost far = fastestCollectives(sum, {8, 10, 1, false}, 0.5);
    EXPECT_EQ(far.algorithm, CollectiveAlgorithm::tree);
    EXPECT_DOUBLE_EQ(far.bytes, 160);
    EXPECT_DOUBLE_EQ(far.seconds(), 16 + 6 * 1 + 0.5) << "three levels up and three down";
    const CollectiveCost summed = fastestCollectives(sum, {8, 10, 1, true}, 0.5);
    EXPECT_EQ(summed.algorithm, CollectiveAlgorithm::inSwitch);
    EXPECT_DOUBLE_EQ(summed.bytes, 80);
    EXPECT_DOUBLE_EQ(summed.seconds(), 8 + 1 + 0.5);
}

/// The same tensor gathered: 70 bytes round the ring, which no tree makes less.
TEST(Collectives, AGatherTakesARingOrTheSwitch) {
    const Collectives gathers{3, 70, false};
    const CollectiveCost ring = fastestCollectives(gathers, {8, 10, 1, false}, 0.5);
    EXPECT_EQ(ring.algorithm, CollectiveAlgorithm::ring);
    EXPECT_DOUBLE_EQ(ring.seconds(), 7 + 3 * (7 + 0.5));
    EXPECT_DOUBLE_EQ(fastestCollectives(gathers, {8, 10, 1, true}, 0.5).seconds(), 7 + 3 * (1 + 0.5));
}

/// A layer of 4 seconds on each of two, whose outputs are summed up: 50 bytes round the ring at 10 a second.
/// Each starts once for each of two copies' halves, which bytes are divided by and starts are not.
TEST(Collectives, CopiesShareBytesAndNotStarts) {
    Problem problem;
    Layer layer{"block", 16, 16, 0, 0, 0, 0, 0};
    layer.division =
        LayerDivision{.forwardShare = 1, .backwardShare = 1, .entryBytes = 30, .exitBytes = 50, .exits = 2};
    problem.profile.layers = {layer};
    problem.profile.divisible = {2, 2, 0};
    for (const char* id : {"a", "b", "c", "d"}) {
        problem.cluster.devices.push_back({id, "s", "", 1000, 1, 0});
        problem.cluster.links.push_back({id, "joint", 10, 0.25, ""});
    }
    problem.cluster.switches = {{"joint", "s"}};
    problem.setup.collectiveStartS = 0.125;
    Plan plan;
    plan.stages = {{0, 0, {0, 1, 2, 3}}};
    plan.stages[0].group.tensor = 2;
    // Two sums forward, one backward; a ring of two goes round in two steps, of half a second each.
    EXPECT_DOUBLE_EQ(CostModel(problem).stage(plan, 0).forwardS, 4 + 2.5 + 2 * (2 * 0.5 + 0.125));
    EXPECT_DOUBLE_EQ(CostModel(problem).stage(plan, 0).backwardS, 4 + 1.5 + (2 * 0.5 + 0.125));
    EXPECT_TRUE(validate(problem, plan, simulate(CostModel(problem), plan)).empty());
    problem.cluster.switches[0].sums = true;
    EXPECT_DOUBLE_EQ(CostModel(problem).stage(plan, 0).forwardS, 4 + 2.5 + 2 * (0.5 + 0.125));
    EXPECT_TRUE(validate(problem, plan, simulate(CostModel(problem), plan)).empty());
}

/// Gradients of 70 bytes on each of 8 copies: twice 7/8 of them round a ring at 10 a second, in 14 steps of
/// half a second; or all of them up and down two trees, in 6 steps.
TEST(Collectives, GradientsOfCopiesChooseWhereCollectivesHaveAStart) {
    Problem problem;
    problem.profile.layers = {{"block", 16, 16, 70, 0, 0, 0, 0}};
    Plan plan;
    plan.stages = {{0, 0, {}}};
    for (int i = 0; i < 8; ++i) {
        const std::string id = "g" + std::to_string(i);
        problem.cluster.devices.push_back({id, "s", "", 1000, 1, 0});
        problem.cluster.links.push_back({id, "joint", 10, 0.25, ""});
        plan.stages[0].devices.push_back(i);
    }
    problem.cluster.switches = {{"joint", "s"}};
    const auto sum = [&] {
        const CostModel costs(problem);
        const DataParallelGroup group = costs.dataParallelGroups(plan).at(0);
        EXPECT_TRUE(validate(problem, plan, simulate(costs, plan)).empty());
        return group.costOf(stateSyncs(problem).at(0));
    };
    EXPECT_DOUBLE_EQ(sum().seconds, 2 * 7.0 / 8 * 70 / 10) << "nothing is said of a start: SPP's Eq. (1)";
    problem.setup.collectiveStartS = 0.125;
    EXPECT_EQ(sum().algorithm, CollectiveAlgorithm::tree);
    EXPECT_DOUBLE_EQ(sum().seconds, 2 * 70 / 10.0 + 6 * 0.5 + 0.125);
    EXPECT_DOUBLE_EQ(sum().bytes, 2 * 70);
    problem.cluster.switches[0].sums = true;
    EXPECT_EQ(sum().algorithm, CollectiveAlgorithm::inSwitch);
    EXPECT_DOUBLE_EQ(sum().seconds, 70 / 10.0 + 0.5 + 0.125);
    // Scattered and gathered, once each, as the switch copies.
    problem.setup.zero = ZeroStage::optimizer;
    problem.setup.optimizer = Optimizer::adam;
    EXPECT_DOUBLE_EQ(sum().seconds, 7.0 / 8 * 70 / 10 + 0.5 + 0.125);
}

RC_GTEST_PROP(Collectives, NoAlgorithmIsFasterThanTheLinksAndNoneSlowerThanARing, ()) {
    const int ranks = *rc::gen::inRange(2, 40);
    const double bandwidth = *rc::gen::inRange(1, 50), latency = *rc::gen::inRange(0, 8) / 8.0;
    const Collectives sums{double(*rc::gen::inRange(0, 5)), double(*rc::gen::inRange(0, 900)), true};
    const double ring = sums.ringBytes / bandwidth + sums.count * 2 * (ranks - 1) * latency;
    double before = ring;
    for (const bool switchSums : {false, true}) {
        const double taken = fastestCollectives(sums, {ranks, bandwidth, latency, switchSums}, 0).seconds();
        RC_ASSERT(taken <= before * (1 + 1e-12));
        // Every rank's share has to leave it and the sum to come back.
        RC_ASSERT(taken >= sums.ringBytes * ranks / (2.0 * (ranks - 1)) / bandwidth * (1 - 1e-12));
        before = taken;
    }
    if (latency == 0) RC_ASSERT(fastestCollectives(sums, {ranks, bandwidth, 0, false}, 0).seconds() == ring);
}

}  // namespace
}  // namespace stagecraft
