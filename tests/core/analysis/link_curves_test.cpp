#include "core/analysis/link_curves.h"

#include "core/analysis/inside_pass.h"
#include "core/analysis/link_load.h"
#include "core/cost/stage_layout.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace stagecraft {
namespace {

using random_problem::upTo;

struct LinkSetting {
    explicit LinkSetting(std::uint32_t seed, bool roundRobin = false) : random(seed) {
        costs.emplace(random_problem::problem(random, 1 + upTo(random, 8), 1 + upTo(random, 6)));
        plan = random_problem::plan(random, costs->problem());
        if (roundRobin) random_problem::takeTurns(plan);
        timeline = simulate(*costs, plan);
        uses = linkUses(*costs, plan, stageEdges(*costs, plan), timeline);
    }
    std::mt19937 random;
    std::optional<CostModel> costs;
    Plan plan;
    Timeline timeline;
    std::vector<LinkUse> uses;
};

RC_GTEST_PROP(LoadCurve, ItsIntegralIsTheBytesOfTheBlocks, (std::uint32_t seed)) {
    const LinkSetting it(seed, seed % 3 == 0);
    for (const LinkUse& use : it.uses) {
        double bytes = 0;
        for (std::size_t lane = 0; lane < it.timeline.lanes.size(); ++lane)
            for (std::uint32_t block = it.timeline.lanes[lane].firstBlock;
                 block < it.timeline.lanes[lane].endBlock; ++block)
                for (const LoadSource& source : use.sources)
                    if (source.lane == static_cast<int>(lane) && source.kind == it.timeline.kind[block] &&
                        source.stage == it.timeline.stage[block] && it.timeline.durationS(block) > 0)
                        bytes += source.bytes;
        const LoadCurve curve = loadCurve(it.timeline, use);
        RC_ASSERT(std::abs(curve.bytes() - bytes) <= 1e-9 * bytes);
        RC_ASSERT(curve.timeS.front() == 0);
        RC_ASSERT(curve.totalAt(curve.timeS.size() - 1) == 0);
        for (std::size_t step = 0; step + 1 < curve.timeS.size(); ++step)
            RC_ASSERT(curve.timeS[step] < curve.timeS[step + 1]);
    }
}

RC_GTEST_PROP(LoadCurve, WhatCrossesALinkIsItsLoadOfTheIteration, (std::uint32_t seed)) {
    const LinkSetting it(seed);
    std::map<int, double> bytes;
    for (const LinkUse& use : it.uses)
        for (const LinkWay& way : use.ways)
            if (way.link >= 0) bytes[way.link] += loadCurve(it.timeline, use).bytes();
    for (const LinkLoad& load :
         linkLoads(*it.costs, it.plan, lower(*it.costs, it.plan), it.timeline.lastEndS()))
        RC_ASSERT(std::abs(bytes[load.link] - load.bytes) <= 1e-9 * load.bytes);
}

/// A plan whose stages are groups, some of which compute layers again; by the passes' own words what each of
/// their ranks sends.
RC_GTEST_PROP(LoadCurve, WhatGroupsSendInsideOfPassesCrossesTheLinksOfItsLoad, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 1 + upTo(random, 5), 1 + upTo(random, 11));
    random_problem::makeDivisible(random, problem.profile);
    problem.setup.zero = static_cast<ZeroStage>(random() % 4);
    if (random() % 2) problem.setup.zeroOverlap = 0.25 * upTo(random, 4);
    Plan plan = random_problem::plan(random, problem, 12);
    if (random() % 2) random_problem::recomputeByThemselves(random, problem, plan);
    random_problem::divideStages(random, plan);
    const CostModel costs(problem);
    const Timeline timeline = simulate(costs, plan);
    const LoweredPlan lowered = lower(costs, plan);
    std::map<int, double> bytes;
    for (const LinkUse& use : linkUses(costs, plan, stageEdges(costs, plan), timeline))
        for (const LinkWay& way : use.ways) {
            const LoadCurve curve = loadCurve(timeline, use);
            if (way.link >= 0) bytes[way.link] += curve.bytes();
        }
    for (const LinkLoad& load : linkLoads(costs, plan, lowered, timeline.lastEndS()))
        RC_ASSERT(std::abs(bytes[load.link] - load.bytes) <= 1e-9 * load.bytes);
    std::map<int, double> inside;
    for (const Traffic& each : traffic(costs, plan, lowered, timeline.lastEndS()))
        if (each.cause == TrafficCause::inside) inside[each.stages.front()] = each.bytes;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const Stage& own = plan.stages[static_cast<std::size_t>(stage)];
        const StageLayout layout(own);
        double said = 0;
        for (const bool backward : {false, true})
            for (const InsidePart& part : insideOf(costs, plan, stage, backward)) said += part.bytes;
        // Up and down two trees of n ranks there are 2 (n - 1) edges, and none sends more than is said of
        // each.
        double bytesOfRank = 0, sent = 0;
        for (int layer = own.firstLayer; layer <= own.lastLayer; ++layer) {
            const InsideSends sends =
                costs.insideSends(own, layout.ranksOf(0), layer, layer,
                                  costs.dividedBy(layout.sharers()) * plan.schedule.slices());
            const auto add = [&](double each, CollectiveAlgorithm by) {
                const double ranks = own.group.tensor;
                bytesOfRank += each;
                sent += by == CollectiveAlgorithm::tree ? each * (ranks - 1) / ranks : each;
            };
            for (const InsideSend* each : {&sends.tensor, &sends.context, &sends.expert}) {
                add(each->forwardBytes, each->forwardBy);
                add(each->backwardBytes, each->backwardBy);
            }
        }
        RC_ASSERT(std::abs(said - bytesOfRank) <= 1e-9 * said);
        sent *= problem.setup.microbatches * plan.schedule.slices() * static_cast<double>(own.devices.size());
        if (plan.memory.layers.empty())
            RC_ASSERT(std::abs(inside[stage] - sent) <= 1e-9 * sent);
        else
            RC_ASSERT(inside[stage] >= sent * (1 - 1e-9));
    }
}

TEST(LoadCurve, ARingInsideAStageFillsItsLinksWhileItSends) {
    // Two GPUs share a layer that computes 1 s forward; each sends 2 * 1/2 * 40 bytes over 10 B/s.
    Problem problem;
    problem.profile.layers = {{"a", 2, 2, 0, 0, 0, 0, 0}};
    LayerDivision division;
    division.forwardShare = division.backwardShare = 1;
    division.entryBytes = division.exitBytes = 40;
    problem.profile.layers[0].division = division;
    problem.profile.divisible = {2, 1, 1};
    for (const char* id : {"g0", "g1"}) problem.cluster.devices.push_back({id, "", "", 1e9, 1, 0});
    problem.cluster.links = {{"g0", "g1", 10, 0, ""}};
    problem.setup.microbatches = 1;
    Plan plan;
    plan.stages = {{0, 0, {0, 1}}};
    plan.stages[0].group.tensor = 2;
    const CostModel costs(problem);
    const Timeline timeline = simulate(costs, plan);
    ASSERT_DOUBLE_EQ(timeline.lastEndS(), 2 * (1 + 4));
    const std::vector<LinkUse> uses = linkUses(costs, plan, stageEdges(costs, plan), timeline);
    ASSERT_EQ(uses.size(), 1u) << "both ways carry the same";
    EXPECT_EQ(uses[0].ways.size(), 2u);
    const LoadCurve curve = loadCurve(timeline, uses[0]);
    EXPECT_DOUBLE_EQ(curve.bytesOf(static_cast<std::size_t>(loadKindOf(BlockKind::forward))), 40);
    EXPECT_DOUBLE_EQ(curve.totalAt(curve.stepAt(2.5)), 8) << "40 bytes in the 5 s of the pass";
    EXPECT_EQ(loadKindName(static_cast<std::size_t>(loadKindOf(BlockKind::forward))), "inside forward");
    const std::vector<LinkLoad> loads = linkLoads(costs, plan, lower(costs, plan), timeline.lastEndS());
    EXPECT_DOUBLE_EQ(loads[0].bytes, 2 * (40 + 40));
    EXPECT_DOUBLE_EQ(loads[0].busyFraction, 80 / (10 * 10.0));
}

/// Nothing of them is on a host link, and they come back the way that they went.
RC_GTEST_PROP(LoadCurve, WhatIsEvictedCrossesTheLinksOfItsLoad, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int stages = 4 + upTo(random, 4);
    Problem problem = random_problem::problem(random, stages, stages);
    problem.setup.microbatches = stages + upTo(random, 8);
    Plan plan;
    for (int stage = 0; stage < stages; ++stage) plan.stages.push_back({stage, stage, {stage}});
    plan.schedule.order = FamilySchedule{"bpipe", {}};
    const CostModel costs(problem);
    const Timeline timeline = simulate(costs, plan);
    std::map<int, double> bytes;
    double swappedOut = 0, swappedIn = 0;
    for (const LinkUse& use : linkUses(costs, plan, stageEdges(costs, plan), timeline))
        for (const LinkWay& way : use.ways) {
            RC_ASSERT(way.device < 0);
            const LoadCurve curve = loadCurve(timeline, use);
            bytes[way.link] += curve.bytes();
            swappedOut += curve.bytesOf(static_cast<std::size_t>(loadKindOf(BlockKind::swapOut)));
            swappedIn += curve.bytesOf(static_cast<std::size_t>(loadKindOf(BlockKind::swapIn)));
        }
    RC_ASSERT(std::abs(swappedOut - swappedIn) <= 1e-9 * swappedOut);
    for (const LinkLoad& load : linkLoads(costs, plan, lower(costs, plan), timeline.lastEndS()))
        RC_ASSERT(std::abs(bytes[load.link] - load.bytes) <= 1e-9 * load.bytes);
}

RC_GTEST_PROP(LoadCurve, AWayOfOnePairIsNeverAboveItsBandwidth, (std::uint32_t seed)) {
    // Each pair of devices has a link of its own, and each device its host link.
    const LinkSetting it(seed, seed % 3 == 0);
    for (const LinkUse& use : it.uses)
        RC_ASSERT(loadCurve(it.timeline, use).peakBps() <= use.bandwidthBps() * (1 + 1e-9));
}

RC_GTEST_PROP(LinkUses, EachWayStandsOnceAndWaysOfAUseCarryTheSame, (std::uint32_t seed)) {
    const LinkSetting it(seed);
    std::set<std::tuple<int, bool, int>> seen;
    for (const LinkUse& use : it.uses)
        for (const LinkWay& way : use.ways) {
            RC_ASSERT(seen.insert(std::tuple(way.link, way.back, way.device)).second);
            RC_ASSERT(way.bandwidthBps == use.bandwidthBps());
            RC_ASSERT((way.link < 0) == (way.device >= 0));
        }
}

/// Two devices of a server send through one network link to two of another at once.
TEST(LoadCurve, ALinkThatPairsShareShowsThatTheyDo) {
    Problem problem;
    problem.profile.layers = {{"a", 1, 1, 100, 40, 40, 0, 0.5}, {"b", 1, 1, 100, 0, 0, 0, 0.5}};
    for (const char* id : {"g0", "g1", "g2", "g3"})
        problem.cluster.devices.push_back({id, "", "", 1e9, 1, 0});
    problem.cluster.switches = {{"left", ""}, {"right", ""}};
    problem.cluster.links = {{"g0", "left", 10, 0, ""},
                             {"g1", "left", 10, 0, ""},
                             {"left", "right", 10, 0, ""},
                             {"g2", "right", 10, 0, ""},
                             {"g3", "right", 10, 0, ""}};
    problem.setup.microbatches = 2;
    const CostModel costs(problem);
    Plan plan;
    plan.stages = {{0, 0, {0, 1}}, {1, 1, {2, 3}}};
    const Timeline timeline = simulate(costs, plan);
    const std::vector<LinkUse> uses = linkUses(costs, plan, stageEdges(costs, plan), timeline);
    const auto peakOf = [&](int link, bool back) {
        for (const LinkUse& use : uses)
            for (const LinkWay& way : use.ways)
                if (way.link == link && way.back == back) return loadCurve(timeline, use).peakBps();
        return 0.0;
    };
    // A transfer of 40 bytes lasts 40 / (2 * 2 * 10) = 1 s, and all of it crosses the link in the middle.
    EXPECT_DOUBLE_EQ(peakOf(2, false), 40);
    EXPECT_DOUBLE_EQ(peakOf(2, true), 40);
    EXPECT_DOUBLE_EQ(peakOf(0, false), 20);
    int ofTwoDevices = 0;
    for (const LinkUse& use : uses)
        if (use.ways.size() == 2 && use.ways.front().link == 0) {
            ++ofTwoDevices;
            EXPECT_EQ(use.ways.back().link, 1) << "replicas send the same at the same time";
        }
    EXPECT_EQ(ofTwoDevices, 2);
}

TEST(LoadCurve, SwapsTakeTheHostLink) {
    Problem problem;
    problem.profile.layers = {{"a", 2, 2, 0, 0, 0, 60, 1}};
    problem.cluster.devices = {{"g0", "", "", 1e6, 1, 30}};
    problem.setup.microbatches = 2;
    Plan plan;
    plan.stages.push_back({0, 0, {0}});
    plan.schedule.order = FamilySchedule{"gpipe", {}};
    plan.memory.layers = {{0, LayerMemory::swap}};
    const CostModel costs(problem);
    const Timeline timeline = simulate(costs, plan);
    const std::vector<LinkUse> uses = linkUses(costs, plan, stageEdges(costs, plan), timeline);
    ASSERT_EQ(uses.size(), 1u);
    EXPECT_EQ(uses[0].ways.front().device, 0);
    EXPECT_EQ(uses[0].bandwidthBps(), 30);
    const LoadCurve curve = loadCurve(timeline, uses[0]);
    EXPECT_DOUBLE_EQ(curve.peakBps(), 30);
    EXPECT_DOUBLE_EQ(curve.bytes(), 4 * 60);
    EXPECT_DOUBLE_EQ(curve.bps[static_cast<std::size_t>(loadKindOf(BlockKind::swapOut))][curve.stepAt(2.5)],
                     30);
}

}  // namespace
}  // namespace stagecraft
