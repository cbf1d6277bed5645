// What groups send inside of passes, over links that are shared: cases worked out by hand, and certificates
// that are wrong.
#include "core/analysis/alone_clock.h"
#include "core/analysis/contention.h"
#include "core/analysis/evaluation.h"
#include "core/analysis/inside_pass.h"
#include "core/analysis/link_curves.h"
#include "core/analysis/what_bounds.h"
#include "core/cost/inside_steps.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/support/two_servers.h"
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace stagecraft {
namespace {

using random_problem::upTo;
using test::rulesOf;
using test::textOf;

/// Two copies of a network of one layer, each divided among one GPU of either server: a rank computes 1 s
/// forward and 2 s backward, and after either 20 bytes go to and fro over the 10 B/s between the servers: 2
/// s.
struct TwoGroups {
    test::TwoServers made{10};
    Problem& problem = made.problem;
    Plan& plan = made.plan;

    explicit TwoGroups(int layers = 1) {
        Layer layer{"block", 2, 4, 0, 0, 0, 0, 1};
        layer.division = LayerDivision{.forwardShare = 1,
                                       .backwardShare = 1,
                                       .weightGradientShare = 1,
                                       .entryBytes = 20,
                                       .exitBytes = 20};
        problem.profile.layers.assign(static_cast<std::size_t>(layers), layer);
        problem.profile.divisible = {2, 2, 0};
        plan.stages = {{0, layers - 1, {0, 2}, 0}, {0, layers - 1, {1, 3}, 1}};
        for (Stage& stage : plan.stages) stage.group.tensor = 2;
    }
    Timeline run() const { return made.run(); }
    std::vector<LinkUse> uses(const Timeline& timeline) const {
        const CostModel costs(problem);
        return linkUses(costs, plan, stageEdges(costs, plan), timeline);
    }
    /// The way from one server to the other.
    LinkUse between(const Timeline& timeline) const {
        for (LinkUse& use : uses(timeline))
            for (const LinkWay& way : use.ways)
                if (way.link + 1 == static_cast<int>(problem.cluster.links.size()) && !way.back) return use;
        ADD_FAILURE() << "nothing goes between the servers";
        return {};
    }
};

/// Forward: 1 s, and 4 s in place of 2; backward: 2 s, and 4.
TEST(SharedPasses, CollectivesInsideOfTwoPassesShareANic) {
    TwoGroups it;
    const Timeline timeline = it.run();
    EXPECT_EQ(textOf(validate(it.problem, it.plan, timeline)), "");
    for (const int stage : {0, 1}) {
        const std::uint32_t forward = timeline.find(BlockKind::forward, stage, stage, 0),
                            backward = timeline.find(BlockKind::backward, stage, stage, 0);
        EXPECT_DOUBLE_EQ(timeline.endS[forward], 1 + 4);
        EXPECT_DOUBLE_EQ(timeline.aloneS(forward), 1 + 2);
        EXPECT_DOUBLE_EQ(timeline.endS[backward], 5 + 2 + 4);
        ASSERT_TRUE(timeline.sharedRunOf(forward));
        const auto paces = timeline.pacesOf(*timeline.sharedRunOf(forward));
        ASSERT_EQ(paces.size(), 1u);
        EXPECT_DOUBLE_EQ(paces[0].fromS, 1);
        EXPECT_DOUBLE_EQ(paces[0].rateBps, 5);
        EXPECT_DOUBLE_EQ(paces[0].aloneBps, 10);
    }
    it.problem.setup.network = LinkSharing::independent;
    EXPECT_DOUBLE_EQ(it.run().lastEndS(), 3 + 4);
}

/// The second group's GPUs are half as fast: from 1 to 2 s the first sends 10 of 20 bytes alone, then both
/// send 5 B/s until it is done at 4 s; the second, which has 10 left, ends alone at 5 s.
TEST(SharedPasses, WhichSendsLaterSharesWhatIsLeft) {
    TwoGroups it;
    it.problem.cluster.devices[1].speed = it.problem.cluster.devices[3].speed = 0.5;
    const Timeline timeline = it.run();
    EXPECT_EQ(textOf(validate(it.problem, it.plan, timeline)), "");
    EXPECT_DOUBLE_EQ(timeline.endS[timeline.find(BlockKind::forward, 0, 0, 0)], 4);
    EXPECT_DOUBLE_EQ(timeline.endS[timeline.find(BlockKind::forward, 1, 1, 0)], 5);
}

/// Two layers each, of which one group computes while the other sends: 1.5 s later it takes its turns
/// between.
TEST(SharedPasses, WhoSendsWhileTheOtherComputesWaitsForNobody) {
    TwoGroups it(2);
    for (Layer& layer : it.problem.profile.layers) layer.forwardS = 4, layer.backwardS = 8;
    // Ranks compute 2 s a layer and send 2 s; those of the second copy compute 4 s, so that they send from 4
    // to 6 and from 10 to 12 s, and the first ones from 2 to 4 and from 6 to 8 s.
    it.problem.cluster.devices[1].speed = it.problem.cluster.devices[3].speed = 0.5;
    const Timeline timeline = it.run();
    EXPECT_EQ(textOf(validate(it.problem, it.plan, timeline)), "");
    const std::uint32_t first = timeline.find(BlockKind::forward, 0, 0, 0),
                        second = timeline.find(BlockKind::forward, 1, 1, 0);
    EXPECT_FALSE(timeline.sharedRunOf(first));
    EXPECT_DOUBLE_EQ(timeline.endS[first], 8);
    EXPECT_DOUBLE_EQ(timeline.endS[second], 12);
}

/// While passes compute the link is idle; while both send it is full, and twice as much is wanted of it.
TEST(SharedPasses, LinksCarryWhatPassesSendWhenTheySendIt) {
    TwoGroups it;
    const Timeline timeline = it.run();
    const LinkUse use = it.between(timeline);
    const LoadCurve load = loadCurve(timeline, use), demand = demandCurve(timeline, use);
    for (const auto& [atS, bps, wantedBps] : {std::tuple{0.5, 0.0, 0.0},
                                              {1.5, 10.0, 20.0},
                                              {4.5, 10.0, 20.0},
                                              {5.5, 0.0, 0.0},
                                              {7.5, 10.0, 20.0}}) {
        EXPECT_NEAR(load.totalAt(load.stepAt(atS)), bps, 1e-9) << atS;
        EXPECT_NEAR(demand.totalAt(demand.stepAt(atS)), wantedBps, 1e-9) << atS;
    }
    EXPECT_NEAR(load.bytes(), 4 * 20, 1e-9);
    const LoadSource& source = use.sources.front();
    const std::uint32_t block = timeline.find(BlockKind::forward, 0, 0, 0);
    ASSERT_TRUE(source.isOf(timeline, block));
    EXPECT_DOUBLE_EQ(loadAt(timeline, source, block, 0.5), 0);
    EXPECT_DOUBLE_EQ(loadAt(timeline, source, block, 2), 5);
    EXPECT_DOUBLE_EQ(partLeft(timeline, source, block, 1), 1);
    EXPECT_DOUBLE_EQ(partLeft(timeline, source, block, 2), 0.75);
    EXPECT_DOUBLE_EQ(partLeft(timeline, source, block, 5), 0);
}

/// Also where one stretch ends as another begins, which rounding may put an instant earlier.
RC_GTEST_PROP(SharedPasses, NoLinkEverCarriesMoreThanItsWidth, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    TwoGroups it(1 + upTo(random, 4));
    it.problem.setup.microbatches = 2 + upTo(random, 8);
    for (Layer& layer : it.problem.profile.layers) {
        layer.forwardS = 0.1 * (1 + upTo(random, 30));
        layer.backwardS = 2 * layer.forwardS;
        layer.weightGradientS = layer.forwardS;
        layer.division->entryBytes = layer.division->exitBytes = 1 + upTo(random, 40);
    }
    const Timeline timeline = it.run();
    RC_ASSERT(textOf(validate(it.problem, it.plan, timeline)) == "");
    RC_CLASSIFY(!timeline.sharedRuns.empty(), "shares links");
    for (const LinkUse& use : it.uses(timeline)) {
        const LoadCurve load = loadCurve(timeline, use);
        RC_ASSERT(load.peakBps() <= use.bandwidthBps() * (1 + 1e-9));
        double bytes = 0;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
            for (const LoadSource& source : use.sources)
                if (source.lane == timeline.laneOf(block) && source.isOf(timeline, block))
                    bytes += source.bytes;
        RC_ASSERT(std::abs(load.bytes() - bytes) <= 1e-9 * bytes);
    }
}

/// Its strip is as long as it sent: 1 s of 5 computing, 4 sending.
TEST(SharedPasses, StepsOfAPassStretchWithWhatItSends) {
    TwoGroups it;
    const Timeline timeline = it.run();
    const CostModel costs(it.problem);
    const std::vector<InsideStep> alone = insideSteps(costs, it.plan, 0, BlockKind::forward);
    const std::uint32_t block = timeline.find(BlockKind::forward, 0, 0, 0);
    const std::vector<InsideStep> steps = stepsOf(alone, timeline, block);
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_DOUBLE_EQ(alone[0].to, 1.0 / 3);
    EXPECT_DOUBLE_EQ(steps[0].to, 1.0 / 5);
    EXPECT_DOUBLE_EQ(steps[1].from, 1.0 / 5);
    EXPECT_DOUBLE_EQ(steps[1].to, 1);
    const AloneClock clock(timeline, block);
    EXPECT_DOUBLE_EQ(clock.instantOf(0.5), 0.5);
    EXPECT_DOUBLE_EQ(clock.instantOf(2), 3);
    EXPECT_DOUBLE_EQ(clock.instantOf(2.5), 4);
}

TEST(SharedPasses, TheFirstLinkThatTheyContendForIsNamed) {
    TwoGroups it;
    const Timeline timeline = it.run();
    const CostModel costs(it.problem);
    const auto found = firstContention(costs, it.plan, stageEdges(costs, it.plan), timeline, true);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->link.substr(0, 8), found->link.front() == 'a' ? "a-switch" : "b-switch") << found->link;
    EXPECT_DOUBLE_EQ(found->atS, 1);
    EXPECT_EQ(found->blocks.size(), 2u);
    EXPECT_DOUBLE_EQ(found->aloneS, 3);
    EXPECT_DOUBLE_EQ(found->tookS, 5);
    EXPECT_EQ(found->slowedCount, 4);
    EXPECT_EQ(found->sentCount, 4);
    EXPECT_NE(
        found->sentences(timeline).back().find("4 of 4 transfers, collectives and passes that send took"),
        std::string::npos)
        << found->sentences(timeline).back();
}

/// Forward and backward, 5 and 6 s: of them 1 and 2 s computing.
TEST(SharedPasses, WhatPassesLoseIsCommunicationOnTheCriticalPath) {
    TwoGroups it;
    const CostModel costs(it.problem);
    const Evaluation evaluation = evaluate(costs, it.plan);
    const CriticalPath& path = evaluation.metrics.criticalPath;
    EXPECT_NEAR(path.computeS, 1 + 2, 1e-9);
    EXPECT_NEAR(path.insideS, 4 + 4, 1e-9);
    const WhatBounds bounds = whatBounds(costs, it.plan, evaluation.timeline, evaluation.metrics);
    EXPECT_TRUE(std::ranges::any_of(bounds.reasons, [](const std::string& each) {
        return each.find("in a ring, were its links its own.") != std::string::npos;
    }));
}

/// Of what computing hides nothing is sent for others to wait for; the rest takes its time.
TEST(SharedPasses, WhatComputingHidesMeetsNobody) {
    TwoGroups it;
    it.problem.setup.insideOverlap = 0.5;
    const Timeline timeline = it.run();
    EXPECT_EQ(textOf(validate(it.problem, it.plan, timeline)), "");
    // Half of 2 s is hidden by 1 s of computing; the other half, shared, takes 2 s.
    EXPECT_DOUBLE_EQ(timeline.endS[timeline.find(BlockKind::forward, 0, 0, 0)], 1 + 2);
    const LinkUse use = it.between(timeline);
    const LoadCurve load = loadCurve(timeline, use);
    EXPECT_NEAR(load.bytes(), 4 * 20, 1e-9);
}

TEST(SharedPasses, WrongCertificatesAreRefused) {
    TwoGroups it;
    const Timeline right = it.run();
    ASSERT_EQ(right.sharedRuns.size(), 4u);
    const auto refused = [&](const Timeline& wrong, const std::string& words) {
        const std::vector<Violation> found = validate(it.problem, it.plan, wrong);
        EXPECT_TRUE(rulesOf(found).contains(Rule::sharedLinks)) << textOf(found);
        EXPECT_NE(textOf(found).find(words), std::string::npos) << textOf(found);
    };
    Timeline wrong = right;
    wrong.paces[0].rateBps = 2;
    refused(wrong, "at its rates; expected 20 bytes");
    wrong = right;
    wrong.paces[0].rateBps = 11;
    refused(wrong, "as fast as it goes alone");
    // While it computes it does not send.
    wrong = right;
    wrong.paces[0].fromS = 0.5;
    refused(wrong, "on; expected none but while its group sends");
    // It ends later than what it does takes.
    wrong = right;
    wrong.endS[right.sharedRuns[0].block] += 0.5;
    refused(wrong, "by what it computes and the rates at which it sends");
    // Both take as long as they do, each half as fast as it could be.
    wrong = right;
    for (const SharedRun& run : right.sharedRuns)
        if (right.kind[run.block] == BlockKind::forward) {
            wrong.paces[run.firstPace].rateBps = 2.5;
            wrong.paces[run.firstPace].toS = wrong.endS[run.block] = 1 + 8;
        }
    refused(wrong, "or a full link on its way on which nobody is faster");
    // As if each were alone.
    it.problem.setup.network = LinkSharing::independent;
    const Timeline alone = it.run();
    it.problem.setup.network = LinkSharing::shared;
    refused(alone, "carries 20 bytes a second");
}

}  // namespace
}  // namespace stagecraft
