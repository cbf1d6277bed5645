// What contended links carry, what was wanted of them, and what is said of the first.
#include "core/analysis/contention.h"

#include "core/analysis/evaluation.h"
#include "core/analysis/link_curves.h"
#include "core/analysis/what_bounds.h"
#include "tests/core/support/two_servers.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stagecraft {
namespace {

using test::TwoServers;

struct Measured {
    TwoServers made;
    CostModel costs;
    Evaluation evaluation;
    std::vector<LinkUse> uses;

    explicit Measured(TwoServers two)
        : made(std::move(two)),
          costs(made.problem),
          evaluation(evaluate(costs, made.plan)),
          uses(linkUses(costs, made.plan, evaluation.lowered().edges, evaluation.timeline)) {}
    const LinkUse& use(const std::string& name) const {
        for (const LinkUse& each : uses)
            for (const LinkWay& way : each.ways)
                if (nameOf(made.problem.cluster, way) == name) return each;
        throw std::logic_error(name);
    }
};

/// The first copy sends 20 bytes from 1 s on, the second from 2 s on; the NIC carries 10 B/s.
Measured secondLater() {
    TwoServers made(10);
    made.problem.cluster.devices[1].speed = 0.5;
    return Measured(std::move(made));
}

TEST(Contention, CurvesHaveTheRatesOfTheTimelineAndWhatWasWanted) {
    const Measured run = secondLater();
    EXPECT_TRUE(run.evaluation.valid());
    const LinkUse& nic = run.use("a-switch → b-switch");
    const LoadCurve load = loadCurve(run.evaluation.timeline, nic);
    const LoadCurve demand = demandCurve(run.evaluation.timeline, nic);
    EXPECT_DOUBLE_EQ(load.bytes(), 40);
    EXPECT_DOUBLE_EQ(load.peakBps(), 10);
    EXPECT_DOUBLE_EQ(demand.peakBps(), 20);
    const auto at = [](const LoadCurve& curve, double atS) { return curve.totalAt(curve.stepAt(atS)); };
    EXPECT_DOUBLE_EQ(at(demand, 1.5), 10);
    EXPECT_DOUBLE_EQ(at(demand, 2.5), 20);
    EXPECT_DOUBLE_EQ(at(demand, 4.5), 10);
    const LinkUse& own = run.use("a1 → a-switch");
    EXPECT_DOUBLE_EQ(at(loadCurve(run.evaluation.timeline, own), 3), 5);
    EXPECT_DOUBLE_EQ(at(loadCurve(run.evaluation.timeline, own), 4.5), 10);
    const std::uint32_t second = run.evaluation.timeline.find(BlockKind::transferForward, 2, 1, 0);
    const auto source = std::ranges::find_if(
        own.sources, [&](const LoadSource& each) { return each.isOf(run.evaluation.timeline, second); });
    ASSERT_NE(source, own.sources.end());
    EXPECT_DOUBLE_EQ(partLeft(run.evaluation.timeline, *source, second, 4), 0.5);
    EXPECT_DOUBLE_EQ(loadAt(run.evaluation.timeline, *source, second, 3), 5);
}

TEST(Contention, TheFirstContendedLinkStandsInWhatBoundsIt) {
    const Measured run = secondLater();
    const WhatBounds bounds =
        whatBounds(run.costs, run.made.plan, run.evaluation.timeline, run.evaluation.metrics);
    ASSERT_TRUE(bounds.contention);
    EXPECT_EQ(bounds.contention->link, "a-switch → b-switch");
    EXPECT_DOUBLE_EQ(bounds.contention->atS, 2);
    EXPECT_EQ(bounds.contention->blocks.size(), 2u);
    EXPECT_EQ(bounds.contention->sentCount, 4);
    std::string all;
    for (const std::string& each : bounds.reasons) all += each + "\n";
    EXPECT_NE(
        all.find("The first link that is contended, from 2.00 s on: a-switch → b-switch. The transfer "
                 "forward of microbatch 0 from stage 0 to stage 1 takes 3.00 s in place of 2.00 s, beside "
                 "the transfer forward of microbatch 1 from stage 2 to stage 3."),
        std::string::npos)
        << all;
    EXPECT_NE(all.find("4 of 4 transfers and collectives took longer than alone, by 4.00 s added up."),
              std::string::npos)
        << all;
}

TEST(Contention, IsNoneWhereNothingWasSlower) {
    Measured run(TwoServers(200));
    EXPECT_FALSE(
        whatBounds(run.costs, run.made.plan, run.evaluation.timeline, run.evaluation.metrics).contention);
}

}  // namespace
}  // namespace stagecraft
