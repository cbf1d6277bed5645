// Links that are shared max-min fairly: cases worked out by hand, what never changes, and certificates that
// are wrong.
#include "core/base/indices.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/support/two_servers.h"
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

using random_problem::upTo;
using test::rulesOf;
using test::textOf;

using test::TwoServers;

/// Alone a transfer takes 20 / 10 = 2 s. Both copies send at once, there and back: 4 s each.
TEST(SharedLinks, TwoTransfersOverOneNicTakeTwiceAsLong) {
    TwoServers made(10);
    const Timeline timeline = made.run();
    EXPECT_EQ(textOf(validate(made.problem, made.plan, timeline)), "");
    for (const int stage : {0, 2}) {
        const std::uint32_t there = timeline.find(BlockKind::transferForward, stage, stage / 2, 0),
                            back = timeline.find(BlockKind::transferBackward, stage + 1, stage / 2, 0);
        EXPECT_DOUBLE_EQ(timeline.startS[there], 1);
        EXPECT_DOUBLE_EQ(timeline.endS[there], 5);
        EXPECT_DOUBLE_EQ(timeline.aloneS(there), 2);
        ASSERT_TRUE(timeline.sharedRunOf(there));
        EXPECT_DOUBLE_EQ(timeline.pacesOf(*timeline.sharedRunOf(there)).front().rateBps, 5);
        EXPECT_DOUBLE_EQ(timeline.startS[back], 8);
        EXPECT_DOUBLE_EQ(timeline.endS[back], 12);
    }
    EXPECT_DOUBLE_EQ(timeline.lastEndS(), 14);
    made.problem.setup.network = LinkSharing::independent;
    EXPECT_DOUBLE_EQ(made.run().lastEndS(), 10);
    EXPECT_TRUE(made.run().sharedRuns.empty());
}

/// The second copy's GPUs are half as fast, so that its forward ends at 2 s: from 1 to 2 s the first copy
/// sends 10 of 20 bytes alone, then both send 5 B/s until it is done at 4 s; the second, which has 10 left,
/// ends alone at 5 s.
TEST(SharedLinks, WhoeverComesLaterSharesWhatIsLeft) {
    TwoServers made(10);
    made.problem.cluster.devices[1].speed = 0.5;
    const Timeline timeline = made.run();
    EXPECT_EQ(textOf(validate(made.problem, made.plan, timeline)), "");
    const std::uint32_t first = timeline.find(BlockKind::transferForward, 0, 0, 0),
                        second = timeline.find(BlockKind::transferForward, 2, 1, 0);
    EXPECT_DOUBLE_EQ(timeline.endS[first], 4);
    EXPECT_DOUBLE_EQ(timeline.endS[second], 5);
    const auto paces = timeline.pacesOf(*timeline.sharedRunOf(second));
    ASSERT_EQ(paces.size(), 2u);
    EXPECT_DOUBLE_EQ(paces[0].rateBps, 5);
    EXPECT_DOUBLE_EQ(paces[1].fromS, 4);
    EXPECT_DOUBLE_EQ(paces[1].rateBps, 10);
}

/// A latency of 0.5 s passes at its own pace and keeps nobody up.
TEST(SharedLinks, LatencyPassesFirst) {
    TwoServers made(10);
    made.problem.cluster.links.back().latencyS = 0.5;
    const Timeline timeline = made.run();
    EXPECT_EQ(textOf(validate(made.problem, made.plan, timeline)), "");
    EXPECT_DOUBLE_EQ(timeline.endS[timeline.find(BlockKind::transferForward, 0, 0, 0)], 1 + 0.5 + 4);
}

/// Links are as wide in either direction: a transfer there and one back do not meet.
TEST(SharedLinks, DirectionsDoNotMeet) {
    TwoServers made(10);
    made.plan.stages[2].devices = {3};
    made.plan.stages[3].devices = {1};
    const Timeline timeline = made.run();
    EXPECT_EQ(textOf(validate(made.problem, made.plan, timeline)), "");
    EXPECT_TRUE(timeline.sharedRuns.empty());
    EXPECT_DOUBLE_EQ(timeline.lastEndS(), 10);
}

/// Flows of one transfer share links too: each of two senders has one link for both of its receivers, where
/// SPP III-B counts a link for each pair.
TEST(SharedLinks, FlowsOfOneTransferShareTheLinksOfTheirEnds) {
    Problem problem = test::smallProblem(2, 4, 1, 10);
    problem.setup.network = LinkSharing::shared;
    for (Layer& layer : problem.profile.layers) layer.parameterBytes = 0;
    const Plan plan = test::smallPlan(problem, {{0, 1}, {2, 3}});
    const Timeline timeline = simulate(CostModel(problem), plan);
    EXPECT_EQ(textOf(validate(problem, plan, timeline)), "");
    const std::uint32_t sent = timeline.find(BlockKind::transferForward, 0, 0, 0);
    EXPECT_DOUBLE_EQ(timeline.aloneS(sent), 10.0 / (2 * 2 * 10));
    EXPECT_DOUBLE_EQ(timeline.durationS(sent), 2 * timeline.aloneS(sent));
}

/// A stage's AllReduce goes round both servers while the other stage's does: each takes twice as long.
TEST(SharedLinks, CollectivesOfTwoStagesShareANic) {
    TwoServers made(10);
    for (Layer& layer : made.problem.profile.layers) layer.parameterBytes = 20;
    for (Stage& stage : made.plan.stages) stage.pipeline = 0;
    made.plan.stages = {{0, 0, {0, 2}}, {1, 1, {1, 3}}};
    made.problem.setup.allreduceOverlaps = false;
    const Timeline timeline = made.run();
    EXPECT_EQ(textOf(validate(made.problem, made.plan, timeline)), "");
    const std::uint32_t sum = timeline.find(BlockKind::allReduce, 0, -1, 0);
    ASSERT_NE(sum, noBlock);
    EXPECT_DOUBLE_EQ(timeline.aloneS(sum), 2.0 / 2 * 20 / 10);
    EXPECT_DOUBLE_EQ(timeline.durationS(sum), 4);
}

/// With one microbatch on a chain nothing is sent while anything else is.
RC_GTEST_PROP(SharedLinks, WhereNothingMeetsTheTimelineIsTheIndependentOne, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = test::smallProblem(1 + upTo(random, 7), 1 + upTo(random, 5), 1, 1.0 + upTo(random, 9));
    for (Link& link : problem.cluster.links) link.latencyS = 0.1 * upTo(random, 3);
    for (Layer& layer : problem.profile.layers) layer.forwardS = 0.1 * (1 + upTo(random, 9));
    std::vector<std::vector<int>> devices;
    const int stages = std::min(problem.profile.layerCount(), problem.cluster.deviceCount());
    for (int device = 0; device < stages; ++device) devices.push_back({device});
    const Plan plan = test::smallPlan(problem, devices);
    const Timeline alone = simulate(CostModel(problem), plan);
    problem.setup.network = LinkSharing::shared;
    const Timeline shared = simulate(CostModel(problem), plan);
    RC_ASSERT(shared.sharedRuns.empty());
    RC_ASSERT(shared.startS == alone.startS && shared.endS == alone.endS);
    RC_ASSERT(shared.waitedFor == alone.waitedFor);
}

/// Under a fixed order on every lane a delay makes nothing earlier.
RC_GTEST_PROP(SharedLinks, SharingOnlyDelaysWhereAllOrdersAreFixed, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = test::smallProblem(2 + upTo(random, 5), 2 + upTo(random, 4), 3 + upTo(random, 5));
    for (Link& link : problem.cluster.links) link.bandwidthBps = 1 + upTo(random, 9);
    std::vector<std::vector<int>> devices;
    const int stages = std::min(problem.profile.layerCount(), problem.cluster.deviceCount());
    for (int device = 0; device < stages; ++device) devices.push_back({device});
    const Plan plan = test::smallPlan(problem, devices, random() % 2 ? "gpipe" : "1f1b");
    const Timeline alone = simulate(CostModel(problem), plan);
    problem.setup.network = LinkSharing::shared;
    const Timeline shared = simulate(CostModel(problem), plan);
    RC_ASSERT(textOf(validate(problem, plan, shared)) == "");
    RC_CLASSIFY(!shared.sharedRuns.empty(), "shares links");
    for (std::uint32_t block = 0; block < alone.blockCount(); ++block)
        RC_ASSERT(shared.endS[block] >= alone.endS[block] * (1 - 1e-9));
}

void expectRefused(const TwoServers& made, const Timeline& timeline, const std::string& words) {
    const std::vector<Violation> found = validate(made.problem, made.plan, timeline);
    EXPECT_TRUE(rulesOf(found).contains(Rule::sharedLinks)) << textOf(found);
    EXPECT_NE(textOf(found).find(words), std::string::npos) << textOf(found);
}

TEST(SharedLinks, WrongCertificatesAreRefused) {
    TwoServers made(10);
    made.problem.cluster.devices[1].speed = 0.5;
    const Timeline right = made.run();
    ASSERT_EQ(right.sharedRuns.size(), 4u);
    Timeline wrong = right;
    wrong.paces[0].rateBps *= 0.5;
    expectRefused(made, wrong, "at its rates; expected 20 bytes");
    wrong = right;
    wrong.paces[0].rateBps = 11;
    expectRefused(made, wrong, "as fast as it goes alone");
    wrong = right;
    wrong.paces[0].toS -= 0.25;
    expectRefused(made, wrong, "has a rate from");
    wrong = right;
    wrong.sharedRuns[0].block = right.find(BlockKind::forward, 0, 0, 0);
    expectRefused(made, wrong, "expected those of what sends over links alone");
    wrong = right;
    wrong.sharedRuns[0].paceCount = 1000;
    expectRefused(made, wrong, "cannot be read");
    wrong = right;
    wrong.sharedRuns[0].aloneS = 3;
    EXPECT_TRUE(rulesOf(validate(made.problem, made.plan, wrong)).contains(Rule::blockDuration));
    // As if each were alone.
    made.problem.setup.network = LinkSharing::independent;
    const Timeline alone = made.run();
    EXPECT_TRUE(rulesOf(validate(made.problem, made.plan, right)).contains(Rule::blockDuration));
    made.problem.setup.network = LinkSharing::shared;
    expectRefused(made, alone, "The link from a-switch to b-switch carries 20 bytes a second");
}

/// Both send half as fast as they could, one of them as fast as it could while the other waits.
TEST(SharedLinks, UnfairRatesAreRefused) {
    TwoServers made(10);
    Timeline slow = made.run();
    for (SharedRun& run : slow.sharedRuns) {
        if (slow.kind[run.block] != BlockKind::transferForward) continue;
        slow.paces[run.firstPace].rateBps = 2.5;
        slow.paces[run.firstPace].toS = slow.endS[run.block] = 9;
    }
    expectRefused(made, slow, "or a full link on its way on which nobody is faster");
    Timeline unfair = made.run();
    bool faster = true;
    for (SharedRun& run : unfair.sharedRuns) {
        if (unfair.kind[run.block] != BlockKind::transferForward) continue;
        unfair.paces[run.firstPace].rateBps = faster ? 8 : 2;
        unfair.paces[run.firstPace].toS = unfair.endS[run.block] = faster ? 3.5 : 11;
        faster = false;
    }
    expectRefused(made, unfair, "or a full link on its way on which nobody is faster");
}

}  // namespace
}  // namespace stagecraft
