#include "core/cost/cost_model.h"
#include "core/base/work_context.h"
#include "core/cost/routes.h"
#include "tests/support/every_room.h"
#include "tests/core/support/golden_cases.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

using namespace stagecraft;

namespace {

/// Widest path by trying every simple path; devices forward only if `throughDevices`.
double widestByEnumeration(const Cluster& cluster, const std::string& at, const std::string& to,
                           std::set<std::string> seen, bool throughDevices, double width) {
    if (at == to) return width;
    if (!seen.insert(at).second) return 0;
    if (seen.size() > 1 && !throughDevices && cluster.deviceIndex(at) >= 0) return 0;
    double best = 0;
    for (const Link& link : cluster.links)
        for (const auto& [from, next] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
            if (from == at)
                best = std::max(best, widestByEnumeration(cluster, next, to, seen, throughDevices,
                                                          std::min(width, link.bandwidthBps)));
    return best;
}

Cluster randomCluster(std::mt19937& random) {
    Cluster cluster;
    const int devices = 2 + static_cast<int>(random() % 4), switches = static_cast<int>(random() % 3);
    for (int device = 0; device < devices; ++device)
        cluster.devices.push_back({"g" + std::to_string(device), "s", "", 1, 1, 1});
    for (int each = 0; each < switches; ++each) cluster.switches.push_back({"x" + std::to_string(each), ""});
    std::vector<std::string> nodes;
    for (const Device& device : cluster.devices) nodes.push_back(device.id);
    for (const Switch& each : cluster.switches) nodes.push_back(each.id);
    for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t b = a + 1; b < nodes.size(); ++b)
            if (random() % 2)
                cluster.links.push_back({nodes[a], nodes[b], 1.0 + random() % 9, 0.5 * (random() % 4), ""});
    return cluster;
}

/// Any two joined by a link of 2 bytes/s.
Cluster fourLinkedDevices() {
    Cluster cluster;
    for (int device = 0; device < 4; ++device) {
        for (const Device& other : cluster.devices)
            cluster.links.push_back({other.id, "g" + std::to_string(device), 2, 0, ""});
        cluster.devices.push_back({"g" + std::to_string(device), "s", "", 1, 1, 1});
    }
    return cluster;
}

/// Two copies of three layers, of which one is cut after the first and the other after the second.
Plan copiesCutDifferently() {
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 2, {1}}, {0, 1, {2}, 1}, {2, 2, {3}, 1}};
    return plan;
}

}  // namespace

TEST(CostModel, StageTransferAndAllReduceTimesAreTheReference) {
    const auto [input, expected] = stagecraft::testing::goldenCase("spp-06-cost-model");
    const CostModel costs(stagecraft::testing::problemOf(input));
    Plan plan;
    plan.stages = stagecraft::testing::stagesOf(input.at("plan"));
    for (int stage = 0; stage < 2; ++stage) {
        const auto s = static_cast<std::size_t>(stage);
        EXPECT_DOUBLE_EQ(costs.stage(plan, stage).forwardS, expected.at("tf")[s].get<double>());
        EXPECT_DOUBLE_EQ(costs.stage(plan, stage).backwardS, expected.at("tb")[s].get<double>());
        EXPECT_DOUBLE_EQ(2 * costs.dataParallelGroups(plan)[s].roundS,
                         expected.at("allreduce")[s].get<double>());
    }
    const StageEdge edge = costs.stageEdges(plan).at(0);
    const TransferCost transfer =
        costs.transfer(edge.forwardBytes, edge.backwardBytes, plan.stages[0].devices, plan.stages[1].devices);
    EXPECT_DOUBLE_EQ(transfer.forwardS, expected.at("cf")[0].get<double>());
    EXPECT_DOUBLE_EQ(transfer.backwardS, expected.at("cb")[0].get<double>());
}

TEST(CostModel, AReplicaTakesWhatItsShareWasMeasuredToTake) {
    Problem problem;
    problem.profile.microbatchSize = 8;
    problem.profile.layers = {{"a", 8, 16, 0, 0, 0, 0, 4}, {"b", 2, 2, 0, 0, 0, 0, 1}};
    problem.profile.otherSizes = {{2, {{5, 6, 3}, {1, 1, 0.5}}}, {4, {{6, 8, 4}, {1, 1, 0.5}}}};
    for (int device = 0; device < 8; ++device)
        problem.cluster.devices.push_back({"g" + std::to_string(device), "s", "", 1, 2, 0});
    for (int device = 1; device < 8; ++device)
        problem.cluster.links.push_back({"g0", "g" + std::to_string(device), 1, 0, ""});
    const CostModel costs(problem);
    EXPECT_FALSE(costs.splitsEvenly());
    const auto forwardOn = [&](int replicas, Replication replication = Replication::split) {
        Plan plan;
        plan.stages = {{0, 1, {}, 0, replication}};
        for (int device = 0; device < replicas; ++device) plan.stages[0].devices.push_back(device);
        plan.memory.layers[0] = LayerMemory::recompute;
        EXPECT_GT(costs.stage(plan, 0).recomputeS, 0);
        return costs.stage(plan, 0).forwardS;
    };
    constexpr double speed = 2;
    EXPECT_DOUBLE_EQ(forwardOn(1), 10 / speed);
    EXPECT_DOUBLE_EQ(forwardOn(2), 7 / speed) << "as measured at 4";
    EXPECT_DOUBLE_EQ(forwardOn(3), (5 + 1.0 / 3 + 1) / speed) << "8/3 lies a third of the way from 2 to 4";
    EXPECT_DOUBLE_EQ(forwardOn(4), 6 / speed) << "as measured at 2";
    EXPECT_DOUBLE_EQ(forwardOn(8), 3 / speed) << "below the smallest size in proportion";
    EXPECT_DOUBLE_EQ(forwardOn(4, Replication::roundRobin), 10 / speed) << "whole microbatches in turn";
}

TEST(CostModel, WithOneSizeAStageOfKReplicasTakesAKth) {
    Problem problem;
    problem.profile.layers = {{"a", 3, 6, 0, 0, 0, 0, 1}};
    problem.cluster.devices = {{"g0", "s"}, {"g1", "s"}, {"g2", "s"}};
    for (Device& device : problem.cluster.devices) device.speed = 1;
    problem.cluster.links = {{"g0", "g1", 1, 0, ""}, {"g0", "g2", 1, 0, ""}};
    const CostModel costs(problem);
    EXPECT_TRUE(costs.splitsEvenly());
    Plan plan;
    plan.stages = {{0, 0, {0, 1, 2}}};
    EXPECT_EQ(costs.stage(plan, 0).forwardS, 1);
    EXPECT_EQ(costs.stage(plan, 0).backwardS, 2);
}

TEST(Interconnect, BandwidthIsThatOfTheWidestOfAllPaths) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const Cluster cluster = randomCluster(random);
        const Interconnect interconnect(cluster);
        for (int a = 0; a < cluster.deviceCount(); ++a)
            for (int b = 0; b < cluster.deviceCount(); ++b) {
                if (a == b) continue;
                const std::string &from = cluster.devices[static_cast<std::size_t>(a)].id,
                                  &to = cluster.devices[static_cast<std::size_t>(b)].id;
                double widest = widestByEnumeration(cluster, from, to, {}, false,
                                                    std::numeric_limits<double>::infinity());
                if (widest == 0)
                    widest = widestByEnumeration(cluster, from, to, {}, true,
                                                 std::numeric_limits<double>::infinity());
                ASSERT_EQ(interconnect.bandwidthBps(a, b), widest)
                    << "round " << round << ": " << from << " to " << to;
            }
    }
}

TEST(Interconnect, PathsAreAsWideAndAsSlowAsTheMatrixSays) {
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        const Cluster cluster = randomCluster(random);
        const Interconnect interconnect(cluster);
        for (int a = 0; a < cluster.deviceCount(); ++a)
            for (int b = 0; b < cluster.deviceCount(); ++b) {
                if (a == b || interconnect.bandwidthBps(a, b) == 0) continue;
                double width = std::numeric_limits<double>::infinity(), latency = 0;
                std::string at = cluster.devices[static_cast<std::size_t>(a)].id;
                for (const int index : interconnect.path(a, b)) {
                    const Link& link = cluster.links[static_cast<std::size_t>(index)];
                    ASSERT_TRUE(link.a == at || link.b == at) << "the path has a gap";
                    at = link.a == at ? link.b : link.a;
                    width = std::min(width, link.bandwidthBps);
                    latency += link.latencyS;
                }
                EXPECT_EQ(at, cluster.devices[static_cast<std::size_t>(b)].id);
                EXPECT_EQ(width, interconnect.bandwidthBps(a, b));
                EXPECT_DOUBLE_EQ(latency, interconnect.latencyS(a, b));
            }
    }
}

/// The way of the links between two devices as three readers of paths found it, each on its own, from the ids
/// of their ends.
std::vector<LinkStep> walked(const Cluster& cluster, const Interconnect& interconnect, int from, int to) {
    std::vector<LinkStep> steps;
    std::string node = cluster.devices[static_cast<std::size_t>(from)].id;
    for (const int index : interconnect.path(from, to)) {
        const Link& link = cluster.links[static_cast<std::size_t>(index)];
        steps.push_back({index, link.a != node});
        node = link.a == node ? link.b : link.a;
    }
    return steps;
}

TEST(Routes, AreThePathsWithTheDirectionOfEachLink) {
    std::mt19937 random(13);
    int there = 0, back = 0;
    for (int round = 0; round < 200; ++round) {
        const Cluster cluster = randomCluster(random);
        const Interconnect interconnect(cluster);
        Routes routes(interconnect);
        for (int twice = 0; twice < 2; ++twice)
            for (int a = 0; a < cluster.deviceCount(); ++a)
                for (int b = 0; b < cluster.deviceCount(); ++b) {
                    const std::vector<LinkStep>& route = routes.between(a, b);
                    ASSERT_EQ(route, walked(cluster, interconnect, a, b))
                        << round << ": " << a << " to " << b;
                    for (const LinkStep& step : route) ++(step.back ? back : there);
                }
    }
    EXPECT_GT(there, 100);
    EXPECT_GT(back, 100);
}

TEST(Interconnect, IsSharedByTheCostsUnderAnotherSetup) {
    Problem problem;
    problem.profile.layers.assign(1, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    for (const char* id : {"a", "b"}) problem.cluster.devices.push_back({id, "s", "", 1, 1, 1});
    problem.cluster.links = {{"a", "b", 10, 0, ""}};
    const CostModel costs(problem);
    TrainingSetup other = problem.setup;
    other.microbatches = 7;
    EXPECT_EQ(&costs.withSetup(other).interconnect(), &costs.interconnect());
}

/// Devices on random switches, some over cards of their own, which are joined at random or not at all, some
/// links twice and some between devices, which forward where switches leave them apart.
Cluster drawnNetwork(std::mt19937& random, int mostDevices, int latencies) {
    const auto upTo = [&](int most) {
        return static_cast<int>(random() % (static_cast<unsigned>(most) + 1));
    };
    const int devices = 2 + upTo(mostDevices - 2), switches = upTo(4) == 0 ? 0 : 1 + upTo(8);
    const auto name = [](char kind, int number) { return std::string(1, kind) + std::to_string(number); };
    Cluster cluster;
    const auto join = [&](const std::string& a, const std::string& b) {
        cluster.links.push_back({a, b, 1.0 + upTo(3), 0.1 * upTo(latencies), ""});
    };
    const bool areAllJoined = upTo(1) > 0, haveCards = upTo(1) > 0;
    const auto joinOverCard = [&](const std::string& device, const std::string& to) {
        std::string end = to;
        for (int chain = haveCards ? upTo(2) : 0; chain > 0; --chain) {
            const std::string card = name('c', static_cast<int>(cluster.switches.size()));
            cluster.switches.push_back({card, ""});
            join(card, end);
            end = card;
        }
        join(device, end);
    };
    const int mostOnSwitches = areAllJoined ? 1 : 2;
    for (int each = 0; each < switches; ++each) {
        cluster.switches.push_back({name('s', each), ""});
        if (each > 0 && (areAllJoined || upTo(1) > 0)) join(name('s', each), name('s', upTo(each - 1)));
    }
    for (int device = 0; device < devices; ++device) {
        cluster.devices.push_back({name('d', device), "", "", 1, 1, 1});
        if (switches == 0) {
            for (int link = upTo(2); link > 0; --link) join(name('d', device), name('d', upTo(device)));
            continue;
        }
        const int links = areAllJoined ? 1 + upTo(mostOnSwitches) : upTo(mostOnSwitches);
        for (int link = links; link > 0; --link)
            joinOverCard(name('d', device), name('s', upTo(switches - 1)));
    }
    if (switches > 0)
        for (int extra = upTo(8); extra > 0; --extra)
            join(name('s', upTo(switches - 1)), name('s', upTo(switches - 1)));
    if (switches > 1)
        for (int card = upTo(4); card > 0; --card) {  // alike, side by side
            const std::string own = name('c', static_cast<int>(cluster.switches.size()));
            cluster.switches.push_back({own, ""});
            for (const char* end : {"s0", "s1"}) cluster.links.push_back({own, end, 4, 0, ""});
        }
    for (int extra = upTo(upTo(3) == 0 ? 4 * devices : 3); extra > 0; --extra)
        join(name('d', upTo(devices - 1)), name('d', upTo(devices - 1)));
    std::shuffle(cluster.links.begin(), cluster.links.end(), random);
    return cluster;
}

RC_GTEST_PROP(Interconnect, IsTheSamePairByPairAsWithAMatrix, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int latencies = random() % 2 ? 3 : 0;
    const Cluster cluster = drawnNetwork(random, 10, latencies);
    using enum Interconnect::PairTable;
    const Interconnect matrix(cluster, {}, always), pairwise(cluster, {}, never);
    RC_ASSERT(!matrix.isPairwise() && (latencies > 0 || pairwise.isPairwise()));
    Routes routes(pairwise);  // one search after the other notes what it finds in the same place
    for (int a = 0; a < cluster.deviceCount(); ++a)
        for (int b = 0; b < cluster.deviceCount(); ++b) {
            RC_ASSERT(matrix.bandwidthBps(a, b) == pairwise.bandwidthBps(a, b));
            RC_ASSERT(matrix.latencyS(a, b) == pairwise.latencyS(a, b));
            RC_ASSERT(matrix.route(a, b) == pairwise.route(a, b));
            RC_ASSERT(matrix.route(a, b) == routes.onceBetween(a, b));
            RC_ASSERT(matrix.route(a, b) == routes.between(a, b));
        }
}

/// Of so many devices that pairs are not looked at one by one.
RC_GTEST_PROP(Interconnect, TheWorstOfTwoSetsIsThatOfAllPairs, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Cluster cluster = drawnNetwork(random, 60, random() % 2 ? 3 : 0);
    using enum Interconnect::PairTable;
    const Interconnect matrix(cluster, {}, always), pairwise(cluster, {}, never);
    for (const unsigned part : {1U, 2U, 2U, 5U}) {
        std::vector<int> some, others;
        for (int device = 0; device < cluster.deviceCount(); ++device)
            for (std::vector<int>* set : {&some, &others})
                if (random() % part == 0) set->push_back(device);
        std::shuffle(some.begin(), some.end(), random);
        double least = std::numeric_limits<double>::infinity(), most = 0;
        for (const int a : some)
            for (const int b : others) {
                if (a == b) continue;
                least = std::min(least, matrix.bandwidthBps(a, b));
                most = std::max(most, matrix.latencyS(a, b));
            }
        RC_ASSERT(pairwise.minBandwidthBps(some, others) == least);
        RC_ASSERT(matrix.minBandwidthBps(some, others) == least);
        RC_ASSERT(pairwise.maxLatencyS(some, others) == most);
        RC_ASSERT(matrix.maxLatencyS(some, others) == most);
    }
}

/// A device that reaches both sets at full width, and looked at first, says nothing of those that it joins.
TEST(Interconnect, TwoSetsAreAsFarApartAsTheirSwitches) {
    Cluster cluster;
    cluster.switches = {{"left", ""}, {"right", ""}};
    std::vector<int> some = {0}, others = {0};
    const auto add = [&](const std::vector<const char*>& switches) {
        const int number = cluster.deviceCount();
        const std::string id = "g" + std::to_string(number);
        cluster.devices.push_back({id, "s", "", 1, 1, 1});
        for (const char* each : switches) cluster.links.push_back({id, each, 10, 0, ""});
        return number;
    };
    add({"left", "right"});
    for (int pair = 0; pair < 20; ++pair) {
        some.push_back(add({"left"}));
        others.push_back(add({"right"}));
    }
    using enum Interconnect::PairTable;
    for (const double between : {1.0, 3.0, 20.0}) {
        Cluster joined = cluster;
        joined.links.push_back({"left", "right", between, 0, ""});
        for (const auto table : {always, never})
            EXPECT_EQ(Interconnect(joined, {}, table).minBandwidthBps(some, others), std::min(between, 10.0));
    }
}

TEST(Interconnect, SaysThatItWasStopped) {
    Cluster cluster;
    for (const char* id : {"a", "b"}) cluster.devices.push_back({id, "s", "", 1, 1, 1});
    std::stop_source stop;
    EXPECT_NO_THROW(Interconnect(cluster, stop.get_token()));
    stop.request_stop();
    EXPECT_THROW(Interconnect(cluster, stop.get_token()), Cancelled);
}

TEST(Interconnect, DevicesForwardOnlyWhereThereIsNoOtherWay) {
    Cluster cluster;
    for (const char* id : {"a", "b", "c"}) cluster.devices.push_back({id, "s", "", 1, 1, 1});
    cluster.links = {{"a", "b", 10, 0, ""}, {"b", "c", 10, 0, ""}, {"a", "c", 1, 0, ""}};
    EXPECT_EQ(Interconnect(cluster).bandwidthBps(0, 2), 1);  // not 10 through b
    cluster.links.pop_back();
    EXPECT_EQ(Interconnect(cluster).bandwidthBps(0, 2), 10);
}

TEST(CostModel, ATensorCrossesACutOnceHoweverManyLayersReadIt) {
    Problem problem;
    for (int layer = 0; layer < 4; ++layer)
        problem.profile.layers.push_back({"l", 1, 1, 0, 10.0 * (layer + 1), 1, 0, 0});
    problem.profile.edges = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}};
    problem.cluster.devices = {{"g0", "s", "", 1, 1, 1}, {"g1", "s", "", 1, 1, 1}};
    problem.cluster.links = {{"g0", "g1", 1, 0, ""}};
    const CostModel costs(problem);
    EXPECT_EQ(costs.cutForwardBytes(0), 10);
    EXPECT_EQ(costs.cutForwardBytes(1), 10 + 20);
    EXPECT_EQ(costs.cutForwardBytes(2), 10 + 30);
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 3, {1}}};
    ASSERT_EQ(costs.stageEdges(plan).size(), 1u);
    EXPECT_EQ(costs.stageEdges(plan)[0].forwardBytes, 10);
}

/// The group that works on a layer divides what comes into it, also where the layer before has no division.
TEST(CostModel, ACheckpointKeepsARanksPartOfItsInput) {
    Problem problem;
    problem.profile.layers = {{"before", 1, 1, 0, 12, 12, 0, 0}, {"checkpointed", 1, 1, 0, 1, 1, 100, 0}};
    problem.cluster.devices = {{"g0", "s", "", 1, 1, 1}};
    Layer& layer = problem.profile.layers[1];
    layer.onRanks = {{.tensor = 2, .sequenceParallel = true, .storedActivationBytes = 60}};
    const Group group{.tensor = 2, .sequenceParallel = true};
    const CostModel costs(problem);
    EXPECT_EQ(costs.keptBytes(1, LayerMemory::keep, group), 60);
    EXPECT_EQ(costs.keptBytes(1, LayerMemory::checkpoint, group), 6);
    EXPECT_EQ(costs.keptBytes(1, LayerMemory::checkpoint, Group{}), 12);
}

TEST(CostModel, CopiesCutDifferentlyReduceTogether) {
    Problem problem;
    for (int layer = 0; layer < 3; ++layer) problem.profile.layers.push_back({"l", 1, 1, 12, 1, 1, 0, 0});
    problem.cluster = fourLinkedDevices();
    const Plan plan = copiesCutDifferently();
    const auto groups = CostModel(problem).dataParallelGroups(plan);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].stages, (std::vector<int>{0, 1, 2, 3}));
    // Each layer has two holders and takes 2 * 1/2 * 12 / 2 = 6 s; devices 1 and 2 hold two layers.
    EXPECT_DOUBLE_EQ(2 * groups[0].roundS, 12);
}

TEST(CostModel, ParametersOfCopiesCutDifferentlyCrossTheLinksOfTheirHoldersAlone) {
    for (const double startS : {0.0, 1.0}) {
        Problem problem;
        problem.setup.collectiveStartS = startS;
        for (const double parameterBytes : {12.0, 20.0, 0.0})
            problem.profile.layers.push_back({"l", 1, 1, parameterBytes, 1, 1, 0, 0});
        problem.cluster = fourLinkedDevices();
        const Plan plan = copiesCutDifferently();
        const CostModel costs(problem);
        std::map<std::pair<int, int>, double> sent;
        for (const RankHop& hop :
             costs.dataParallelGroups(plan).at(0).hopsOf(stateSyncs(problem).at(0), costs.interconnect()))
            sent[{hop.from, hop.to}] += hop.bytes;
        // Layer 0 is on 0 and 2, layer 1 on 1 and 2; of layer 2, on 1 and 3, there is nothing to send.
        const std::map<std::pair<int, int>, double> expected = {
            {{0, 2}, 12}, {{2, 0}, 12}, {{1, 2}, 20}, {{2, 1}, 20}};
        EXPECT_EQ(sent, expected) << startS;
    }
}
