// Instants of a timeline, the ways of packets, and the same pass in several plans.
#include "core/analysis/evaluation.h"
#include "tests/support/every_room.h"
#include "core/analysis/packet_routes.h"
#include "core/analysis/plan_difference.h"
#include "core/analysis/playback.h"
#include "core/weights/pass_lookup.h"
#include "tests/core/support/random_problem.h"

#include <gtest/gtest.h>

#include <set>

namespace stagecraft {
namespace {

struct RandomRun {
    explicit RandomRun(unsigned seed)
        : random(seed), costs(made(random)), plan(random_problem::plan(random, costs.problem())) {
        if (random() % 3 == 0) {
            for (Stage& stage : plan.stages) stage.replication = Replication::roundRobin;
            plan.schedule.order = FamilySchedule{"1f1b", {}};
        }
        evaluation = evaluate(costs, plan);
    }
    static Problem made(std::mt19937& random) {
        return random_problem::problem(random, 1 + random_problem::upTo(random, 6),
                                       1 + random_problem::upTo(random, 5));
    }
    const Timeline& timeline() const { return evaluation.timeline; }
    /// Starts and ends of blocks, and instants between them.
    std::vector<double> instants() {
        std::vector<double> found{-1.0, 0.0};
        for (std::uint32_t block = 0; block < timeline().blockCount(); ++block) {
            found.push_back(timeline().startS[block]);
            found.push_back(timeline().endS[block]);
            found.push_back((timeline().startS[block] + timeline().endS[block]) / 2);
        }
        found.push_back(timeline().lastEndS() + 1);
        return found;
    }

    std::mt19937 random;
    CostModel costs;
    Plan plan;
    Evaluation evaluation;
};

TEST(Playback, AnInstantIsWhatALookAtEveryBlockFinds) {
    std::size_t computing = 0, moving = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        RandomRun run(seed);
        const Timeline& timeline = run.timeline();
        const Playback playback(timeline, run.evaluation.memory);
        for (const double timeS : run.instants()) {
            const Instant instant = playback.at(timeS);
            std::map<int, std::set<std::uint32_t>> computes;
            std::vector<std::uint32_t> under;
            for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
                if (timeline.startS[block] > timeS || timeline.endS[block] <= timeS) continue;
                const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
                if (lane.kind != LaneKind::compute)
                    under.push_back(block);
                else
                    for (const int device : lane.devices) computes[device].insert(block);
            }
            EXPECT_EQ(instant.moving, under) << "seed " << seed << " at " << timeS;
            moving += under.size();
            for (int device = 0; device < run.costs.deviceCount(); ++device) {
                const auto& state = instant.devices[static_cast<std::size_t>(device)];
                const std::set<std::uint32_t>& expected = computes[device];
                EXPECT_EQ(expected.size(), state.computes == noBlock ? 0u : 1u);
                if (!expected.empty()) {
                    EXPECT_EQ(state.computes, *expected.begin());
                    ++computing;
                }
            }
        }
    }
    EXPECT_GT(computing, 1000u);
    EXPECT_GT(moving, 1000u);
}

TEST(Playback, ADeviceHoldsWhatItsCurveSays) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        RandomRun run(seed);
        const Playback playback(run.timeline(), run.evaluation.memory);
        for (const double timeS : run.instants()) {
            const Instant instant = playback.at(timeS);
            for (const MemoryCurve& curve : run.evaluation.memory) {
                if (curve.timeS().empty()) continue;
                std::size_t step = 0;
                for (std::size_t i = 0; i < curve.timeS().size(); ++i)
                    if (curve.timeS()[i] <= timeS) step = i;
                const auto& state = instant.devices[static_cast<std::size_t>(curve.device)];
                EXPECT_DOUBLE_EQ(state.heldBytes, curve.totalAt(step));
                EXPECT_DOUBLE_EQ(state.transientBytes,
                                 curve.bytes()[static_cast<std::size_t>(MemoryKind::activations)][step] +
                                     curve.bytes()[static_cast<std::size_t>(MemoryKind::buffers)][step]);
                EXPECT_LE(state.transientBytes, state.heldBytes * (1 + 1e-12));
            }
        }
    }
}

TEST(Playback, WhatTakesNoTimeDoesNotHideWhatRuns) {
    Timeline timeline;
    timeline.resize(4);
    timeline.startS = {0, 1, 1, 3};
    timeline.endS = {1, 3, 1, 3};
    timeline.lanes = {{LaneKind::compute, {0}, -1, -1, Direction::both, 0, 4}};
    const std::vector<MemoryCurve> none(1);
    const Playback playback(timeline, none);
    EXPECT_EQ(playback.running(timeline.lanes[0], 0.5), 0u);
    EXPECT_EQ(playback.running(timeline.lanes[0], 1), 1u);
    EXPECT_EQ(playback.running(timeline.lanes[0], 2.9), 1u);
    EXPECT_EQ(playback.running(timeline.lanes[0], 3), noBlock);
    EXPECT_DOUBLE_EQ(playback.progress(1, 1.5), 0.25);
    EXPECT_DOUBLE_EQ(playback.progress(2, 1), 1);
}

TEST(PacketRoutes, EachPathLeadsFromItsSenderToItsReceiverAndEveryDeviceTakesPart) {
    std::size_t seen = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        RandomRun run(seed);
        const Cluster& cluster = run.costs.problem().cluster;
        Routes routes(run.costs.interconnect());
        for (const Lane& lane : run.timeline().lanes) {
            std::set<int> touched;
            for (const PacketRoute& route : packetRoutes(routes, run.plan, lane)) {
                std::string at = cluster.devices[static_cast<std::size_t>(route.from)].id;
                for (const int index : route.links) {
                    const Link& link = cluster.links[static_cast<std::size_t>(index)];
                    ASSERT_TRUE(link.a == at || link.b == at);
                    at = link.a == at ? link.b : link.a;
                }
                EXPECT_EQ(at, cluster.devices[static_cast<std::size_t>(route.to)].id);
                touched.insert({route.from, route.to});
                ++seen;
            }
            if (lane.kind == LaneKind::compute || lane.kind == LaneKind::hostLink) {
                EXPECT_TRUE(touched.empty());
            } else if (lane.devices.size() > 1) {
                EXPECT_EQ(touched, std::set<int>(lane.devices.begin(), lane.devices.end()));
            }
        }
    }
    EXPECT_GT(seen, 500u);
}

TEST(PacketRoutes, AGradientGoesBackAlongItsRoute) {
    int seen = 0;
    for (unsigned seed = 0; seed < 50; ++seed) {
        RandomRun run(seed);
        Routes routes(run.costs.interconnect());
        for (const Lane& lane : run.timeline().lanes) {
            if (lane.kind != LaneKind::channel) continue;
            for (const PacketRoute& route : packetRoutes(routes, run.plan, lane)) {
                EXPECT_TRUE(goesAlong(run.plan, route.from, lane.fromStage));
                EXPECT_FALSE(goesAlong(run.plan, route.from, lane.toStage));
                ++seen;
            }
        }
    }
    EXPECT_GT(seen, 50);
}

TEST(PassLookup, FindsWhatALookAtEveryBlockFinds) {
    std::size_t seen = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        // Another plan for the same network.
        RandomRun one(seed);
        std::mt19937 random(seed + 1000);
        const Plan plan = random_problem::plan(random, one.costs.problem());
        const Timeline other = evaluate(one.costs, plan).timeline;
        const int microbatches = one.costs.problem().setup.microbatches;
        const PassLookup own(one.timeline(), one.plan, microbatches), theirs(other, plan, microbatches);
        for (std::uint32_t block = 0; block < one.timeline().blockCount(); ++block) {
            const PassLookup::Pass pass = own.passOf(one.timeline(), block);
            std::vector<std::uint32_t> expected;
            for (std::uint32_t it = 0; it < other.blockCount(); ++it) {
                const Stage& stage = plan.stages[static_cast<std::size_t>(other.stage[it])];
                const Stage& from = one.plan.stages[static_cast<std::size_t>(one.timeline().stage[block])];
                const BlockKind mine = one.timeline().kind[block];
                const bool sameKind =
                    other.kind[it] == mine || (givesGradient(other.kind[it]) && givesGradient(mine));
                if (sameKind && other.microbatch[it] == one.timeline().microbatch[block] &&
                    stage.firstLayer <= from.lastLayer && from.firstLayer <= stage.lastLayer)
                    expected.push_back(it);
            }
            EXPECT_EQ(theirs.blocksOf(other, pass), expected);
            seen += expected.size();
        }
    }
    EXPECT_GT(seen, 1000u);
}

TEST(PassLookup, MicrobatchesAreCountedThroughMiniBatchesOfDifferentSizes) {
    const auto made = [](int perMiniBatch, int miniBatches) {
        Timeline timeline;
        timeline.resize(static_cast<std::uint32_t>(perMiniBatch * miniBatches));
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
            timeline.startS[block] = block;
            timeline.endS[block] = block + 1;
            timeline.microbatch[block] = static_cast<int>(block) % perMiniBatch;
            timeline.iteration[block] = static_cast<int>(block) / perMiniBatch;
        }
        timeline.lanes = {{LaneKind::compute, {0}, -1, -1, Direction::both, 0, timeline.blockCount()}};
        return timeline;
    };
    Plan plan;
    plan.stages = {{0, 3, {0}}};
    const Timeline eight = made(8, 1), pairs = made(2, 3);
    const PassLookup inEight(eight, plan, 8), inPairs(pairs, plan, 2);
    EXPECT_EQ(inPairs.blocksOf(pairs, inEight.passOf(eight, 5)), std::vector<std::uint32_t>{5});
    EXPECT_EQ(inEight.blocksOf(eight, inPairs.passOf(pairs, 4)), std::vector<std::uint32_t>{4});
    EXPECT_TRUE(inPairs.blocksOf(pairs, inEight.passOf(eight, 7)).empty()) << "not simulated that far";
}

TEST(PlanDifference, SaysWhichIsFasterByHowMuchAndWhy) {
    const PlanOutcome spp{"SPP", 0.95, 0.271, 9.4 * (1 << 30)}, gpipe{"GPipe", 1.16, 0.39, 12.1 * (1 << 30)};
    EXPECT_EQ(
        differenceInWords(spp, gpipe),
        "SPP is 210 ms (18 %) faster than GPipe: bubbles 27.1 % instead of 39.0 %, peak memory 9.40 GiB "
        "instead of 12.1 GiB.");
    EXPECT_EQ(
        differenceInWords(gpipe, spp),
        "GPipe is 210 ms (22 %) slower than SPP: bubbles 39.0 % instead of 27.1 %, peak memory 12.1 GiB "
        "instead of 9.40 GiB.");
}

TEST(PlanDifference, LeavesOutWhatIsEqual) {
    const PlanOutcome one{"A", 2, 0.25, 1024}, other{"B", 2, 0.25, 1024}, slower{"C", 2.008, 0.25, 1024};
    EXPECT_EQ(differenceInWords(one, other), "A is as fast as B.");
    EXPECT_EQ(differenceInWords(one, slower), "A is 8.00 ms (0.40 %) faster than C.");
}

TEST(PlanDifference, SaysThatAFasterPlanDoesNotFit) {
    const PlanOutcome large{"A", 2, 0.25, 1024, false}, fits{"B", 2.008, 0.25, 1024};
    EXPECT_EQ(differenceInWords(large, fits),
              "A is 8.00 ms (0.40 %) faster than B. It does not fit into memory.");
}

}  // namespace
}  // namespace stagecraft
