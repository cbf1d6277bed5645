// Which ranks a collective's bytes go between, and how many rings servers with several network cards make.
#include "core/analysis/link_load.h"
#include "core/cost/collective_hops.h"
#include "core/cost/cost_model.h"
#include "core/generation/asked_machines.h"
#include "core/generation/cluster_templates.h"
#include "core/planners/planned_run.h"
#include "core/validation/group_parts.h"
#include "core/validation/validator.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <random>
#include <set>

namespace stagecraft {
namespace {

using cost::collectiveHops;
using cost::RankHop;
using cost::ServerExits;

std::vector<int> firstRanks(int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

/// Servers of `gpus` on a switch of their own, 100 bytes a second, and so many cards of 10 to one network.
Cluster serversWithCards(int servers, int gpus, int cards, double latencyS = 0) {
    Cluster cluster;
    cluster.switches.push_back({"network", ""});
    for (int server = 0; server < servers; ++server) {
        const std::string name = "s" + std::to_string(server);
        cluster.switches.push_back({name + "hub", name});
        for (int gpu = 0; gpu < gpus; ++gpu) {
            const std::string id = name + "g" + std::to_string(gpu);
            cluster.devices.push_back({id, name, "", 1e9, 1, 0});
            cluster.links.push_back({id, name + "hub", 100, 0, ""});
            if (gpu >= cards) continue;
            cluster.switches.push_back({name + "nic" + std::to_string(gpu), name});
            cluster.links.push_back({id, cluster.switches.back().id, 50, 0, ""});
            if (gpu == 0) cluster.links.push_back({name + "hub", cluster.switches.back().id, 50, 0, ""});
            cluster.links.push_back({cluster.switches.back().id, "network", 10, latencyS, ""});
        }
    }
    return cluster;
}

double ringsOf(const Cluster& cluster, const std::vector<int>& ranks) {
    const Interconnect net(cluster);
    return net.ringsBandwidthBps(ranks, net.minBandwidthBps(ranks, ranks));
}

/// A device has an even share of its server's cards, of 10 bytes a second each; one ring has one.
TEST(CollectiveHops, AsManyRingsAsCardsFallToTheRanks) {
    EXPECT_EQ(ringsOf(serversWithCards(2, 4, 4), firstRanks(8)), 40);
    EXPECT_EQ(ringsOf(serversWithCards(2, 4, 2), firstRanks(8)), 20) << "two cards for four";
    EXPECT_EQ(ringsOf(serversWithCards(2, 4, 1), firstRanks(8)), 10) << "a single card";
    EXPECT_EQ(ringsOf(serversWithCards(2, 4, 4), {0, 1, 4, 5}), 20) << "two of four GPUs have two of four";
    EXPECT_EQ(ringsOf(serversWithCards(2, 4, 2), {0, 1, 4, 5}), 10) << "their share is one card's";
    EXPECT_EQ(ringsOf(serversWithCards(2, 4, 4), {0, 4}), 10) << "each alone on its server";
    EXPECT_EQ(ringsOf(serversWithCards(2, 4, 4), {0, 1, 2, 4}), 10) << "one alone on its server";
    EXPECT_EQ(ringsOf(serversWithCards(1, 4, 4), firstRanks(4)), 100) << "one server";
    EXPECT_EQ(ringsOf(serversWithCards(2, 16, 16), firstRanks(32)), 100) << "as fast as inside";
    Cluster nameless = serversWithCards(2, 4, 4);
    nameless.devices[0].server.clear();
    EXPECT_EQ(ringsOf(nameless, firstRanks(8)), 10) << "one is in no server";
}

/// As the catalogue has machines: eight cards of 25 GB/s for eight A100, four of 12.5 on AWS.
TEST(CollectiveHops, MachinesHaveTheCardsThatTheirDataSheetsSay) {
    const auto rate = [](const char* machines, const std::vector<int>& ranks) {
        const Cluster cluster = generation::machinesAsked(machines).make();
        const Interconnect net(cluster);
        const double one = net.minBandwidthBps(ranks, ranks);
        return net.ringsBandwidthBps(ranks, one) / one;
    };
    EXPECT_DOUBLE_EQ(rate("2x dgx-a100", firstRanks(16)), 8);
    EXPECT_DOUBLE_EQ(rate("2x dgx-a100", {0, 2, 4, 6, 8, 10, 12, 14}), 4) << "a ring of a half";
    EXPECT_DOUBLE_EQ(rate("2x p4d", firstRanks(16)), 4);
    EXPECT_DOUBLE_EQ(rate("2x p4d", {0, 2, 4, 6, 8, 10, 12, 14}), 2);
    EXPECT_DOUBLE_EQ(rate("2x dgx-h100", {0, 8}), 1);
}

/// Servers below other leaves share what joins these.
TEST(CollectiveHops, RingsOverLeavesShareTheLinkBetweenThem) {
    Cluster cluster = serversWithCards(2, 4, 4);
    cluster.switches.push_back({"leaf", ""});
    for (Link& link : cluster.links)
        if (link.b == "network" && link.a.starts_with("s1")) link.b = "leaf";
    cluster.links.push_back({"network", "leaf", 25, 0, ""});
    EXPECT_EQ(ringsOf(cluster, firstRanks(8)), 25);
    cluster.links.back().bandwidthBps = 5;
    EXPECT_EQ(ringsOf(cluster, firstRanks(8)), 5) << "no slower than one ring";
}

std::map<int, double> sentBy(const std::vector<RankHop>& hops) {
    std::map<int, double> sent;
    for (const RankHop& hop : hops) sent[hop.from] += hop.bytes;
    return sent;
}

/// Each rank enters and leaves a server once.
TEST(CollectiveHops, RingsLeaveAServerOverOtherRanks) {
    const Cluster cluster = serversWithCards(3, 4, 4);
    const auto hops =
        collectiveHops(CollectiveAlgorithm::rings, firstRanks(12), Interconnect(cluster), true, 8);
    std::map<int, double> leaving, entering;
    for (const RankHop& hop : hops)
        if (hop.from / 4 != hop.to / 4) leaving[hop.from] += hop.bytes, entering[hop.to] += hop.bytes;
    ASSERT_EQ(leaving.size(), 12u);
    ASSERT_EQ(entering.size(), 12u);
    for (const auto* ways : {&leaving, &entering})
        for (const auto& [rank, bytes] : *ways) EXPECT_EQ(bytes, 2) << rank;
    for (const auto& [rank, bytes] : sentBy(hops)) EXPECT_EQ(bytes, 8) << rank;
}

/// What defines two trees (Sanders et al., 2009): each spans all ranks in ceil(log2 n) levels, and nobody
/// hands on in both, so that none sends more than the whole tensor twice.
RC_GTEST_PROP(CollectiveHops, TwoTreesSpanAllRanksAndShareTheWork, ()) {
    const int ranks = *rc::gen::inRange(2, 70);
    const double tensor = 64;
    const auto hops = collectiveHops(CollectiveAlgorithm::tree, firstRanks(ranks), Interconnect(Cluster{}),
                                     false, 2 * tensor);
    RC_ASSERT(hops.size() == static_cast<std::size_t>(4 * (ranks - 1)));
    int levels = 0;
    for (int reached = 1; reached < ranks; reached *= 2) ++levels;
    std::vector<int> inner(static_cast<std::size_t>(ranks), 0);
    for (int tree = 0; tree < 2; ++tree) {
        std::map<int, int> above;
        std::set<int> handsOn;
        for (int edge = 0; edge < ranks - 1; ++edge) {
            const RankHop &up = hops[static_cast<std::size_t>(2 * (tree * (ranks - 1) + edge))],
                          &down = hops[static_cast<std::size_t>(2 * (tree * (ranks - 1) + edge) + 1)];
            RC_ASSERT(up.from == down.to && up.to == down.from);
            RC_ASSERT(up.bytes == tensor / 2 && down.bytes == tensor / 2);
            RC_ASSERT(above.emplace(up.from, up.to).second);
            handsOn.insert(up.to);
        }
        RC_ASSERT(static_cast<int>(above.size()) == ranks - 1);
        for (int rank = 0; rank < ranks; ++rank) {
            int level = 0;
            for (int at = rank; above.contains(at); at = above.at(at)) RC_ASSERT(++level <= levels);
        }
        for (const int rank : handsOn) ++inner[static_cast<std::size_t>(rank)];
    }
    // Where their number is odd, one is on top of one tree and hands on in the other.
    RC_ASSERT(std::ranges::count(inner, 2) <= 1);
    for (const auto& [rank, bytes] : sentBy(hops)) RC_ASSERT(bytes <= 2 * tensor);
}

/// Two servers with cards, whose GPUs hold copies, or divide layers, of which sums begin after a start.
struct OverServers {
    Problem problem;
    Plan plan;
};
OverServers overServers(std::mt19937& random) {
    OverServers made;
    const int servers = 2 + static_cast<int>(random() % 2), gpus = 2 << random() % 2;
    const double latencyS = random() % 2 ? 0.5 : 0;
    made.problem.cluster = serversWithCards(servers, gpus, 1 + static_cast<int>(random() % gpus), latencyS);
    Layer layer{"block", 16, 16, 90, 0, 0, 0, 0};
    layer.division = LayerDivision{
        .forwardShare = 1, .backwardShare = 1, .parameterShare = 1, .entryBytes = 30, .exitBytes = 50};
    made.problem.profile.layers = {layer, layer};
    made.problem.profile.divisible = {24, 24, 0};
    made.problem.setup.microbatches = 2;
    made.problem.setup.collectiveStartS = 0.125;
    made.problem.setup.zero = random() % 2 ? ZeroStage::optimizer : ZeroStage::off;
    made.problem.setup.network = random() % 2 ? LinkSharing::shared : LinkSharing::independent;
    const int degrees[] = {1, 2, gpus, servers * gpus};
    made.plan.stages = {{0, 1, firstRanks(servers * gpus)}};
    made.plan.stages[0].group.tensor = degrees[random() % 4];
    return made;
}

RC_GTEST_PROP(CollectiveHops, EngineAndValidatorAgreeOnRingsOverServers, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const OverServers made = overServers(random);
    const CostModel costs(made.problem);
    for (const Violation& each : validate(made.problem, made.plan, simulate(costs, made.plan)))
        RC_FAIL(each.message);
    // What goes between ranks is what is counted of those that send most.
    for (const DataParallelGroup& group : costs.dataParallelGroups(made.plan))
        for (const StateSync& sync : stateSyncs(made.problem)) {
            double most = 0;
            for (const auto& [rank, bytes] : sentBy(group.hopsOf(sync, costs.interconnect())))
                most = std::max(most, bytes);
            RC_ASSERT(most <= group.costOf(sync).bytes * (1 + 1e-9));
            RC_ASSERT(most > 0);
        }
}

/// In the time that is counted every link carries what goes over it, where each GPU has a card of its own.
TEST(CollectiveHops, LinksCarryAllRingsInTheTimeThatIsCounted) {
    for (const int tensor : {1, 2, 4}) {
        SCOPED_TRACE(tensor);
        Problem problem;
        problem.cluster = serversWithCards(3, 4, 4);
        Layer layer{"block", 1, 1, 960, 0, 0, 0, 0};
        layer.division = LayerDivision{.forwardShare = 1, .backwardShare = 1, .parameterShare = 1};
        problem.profile.layers = {layer};
        problem.profile.divisible = {24, 24, 0};
        problem.setup.microbatches = 1;
        problem.setup.collectiveStartS = 1e-9;
        Plan plan;
        plan.stages = {{0, 0, firstRanks(12)}};
        plan.stages[0].group.tensor = tensor;
        const CostModel costs(problem);
        const DataParallelGroup group = costs.dataParallelGroups(plan).at(0);
        const StateSync sync = stateSyncs(problem).at(0);
        const double seconds = group.secondsOf(sync);
        const double copies = 12.0 / tensor, ownBytes = 2 * (copies - 1) / copies * 960 / tensor;
        EXPECT_NEAR(seconds, ownBytes / (10 * (4.0 / tensor)), 1e-6) << "a card for each rank of a ring";
        std::map<std::pair<int, bool>, double> carried;
        for (const RankHop& hop : group.hopsOf(sync, costs.interconnect()))
            for (const LinkStep& step : costs.interconnect().route(hop.from, hop.to))
                carried[{step.link, step.back}] += hop.bytes;
        for (const auto& [way, bytes] : carried)
            EXPECT_LE(bytes / problem.cluster.links[static_cast<std::size_t>(way.first)].bandwidthBps,
                      seconds * (1 + 1e-6))
                << problem.cluster.links[static_cast<std::size_t>(way.first)].a;
    }
}

/// One or two servers of GPUs with NVLinks between some of them, each on a switch of its server besides.
Cluster serversWithWires(std::mt19937& random, int servers, int gpus, double latencyS) {
    Cluster cluster;
    cluster.switches.push_back({"network", ""});
    for (int server = 0; server < servers; ++server) {
        const std::string name = "s" + std::to_string(server);
        cluster.switches.push_back({name + "pcie", name, random() % 4 == 0});
        cluster.links.push_back({name + "pcie", "network", 5, latencyS, ""});
        for (int gpu = 0; gpu < gpus; ++gpu) {
            const std::string id = name + "g" + std::to_string(gpu);
            cluster.devices.push_back({id, name, "", 1e9, 1, 0});
            cluster.links.push_back({id, name + "pcie", 6, latencyS, ""});
            for (int other = 0; other < gpu; ++other)
                for (auto wires = random() % 3; wires > 0; --wires)
                    cluster.links.push_back(
                        {name + "g" + std::to_string(other), id, double(4 + random() % 8), latencyS, ""});
        }
    }
    return cluster;
}

/// What goes along each way of a link, by the engine.
std::map<int, double> carriedBy(const std::vector<RankHop>& hops, const Interconnect& net) {
    std::map<int, double> carried;
    for (const RankHop& hop : hops) {
        if (hop.way >= 0) carried[hop.way] += hop.bytes;
        if (hop.way >= 0) continue;
        for (const LinkStep& step : net.route(hop.from, hop.to))
            carried[2 * step.link + (step.back ? 1 : 0)] += hop.bytes;
    }
    return carried;
}

/// Also which links carry what, in the validator's words.
RC_GTEST_PROP(CollectiveHops, EngineAndValidatorAgreeOnRingsAlongLinks, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    OverServers made = overServers(random);
    const int servers = 1 + static_cast<int>(random() % 2);
    const int gpus = std::array{2, 4, 6, 8}[random() % 4];
    made.problem.cluster = serversWithWires(random, servers, gpus, random() % 3 ? 0 : 0.5);
    made.problem.setup.zero = static_cast<ZeroStage>(random() % 4);
    made.problem.setup.zeroOverlap = 0.25 * double(random() % 5);
    made.plan.stages = {{0, 1, firstRanks(servers * gpus)}};
    made.plan.stages[0].group.tensor = std::array{1, 2, gpus}[random() % 3];
    if (random() % 2)
        std::shuffle(made.plan.stages[0].devices.begin(), made.plan.stages[0].devices.end(), random);
    const CostModel costs(made.problem);
    for (const Violation& each : validate(made.problem, made.plan, simulate(costs, made.plan)))
        RC_FAIL(each.message);
    const validation::Network network(made.problem.cluster);
    for (const DataParallelGroup& group : costs.dataParallelGroups(made.plan))
        for (const StateSync& sync : stateSyncs(made.problem)) {
            const auto carried = carriedBy(group.hopsOf(sync, costs.interconnect()), costs.interconnect());
            std::map<int, double> said;
            for (const cost::ParameterCollective& each : group.collectives) {
                const double n = double(each.ring.devices.size());
                const bool sums = sync.kind == BlockKind::allReduce;
                const auto sent = validation::sentBetween(
                    sync.roundBytes * each.ring.roundBytes * n / (n - 1) / (sums ? 2 : 1), sums,
                    each.ring.devices, network, made.problem.setup.collectiveStartS);
                for (const auto& [way, bytes] : sent.ways) said[way] += bytes;
                for (const auto& [ends, bytes] : sent.pairs)
                    for (const int way : network.route(ends.first, ends.second)) said[way] += bytes;
            }
            RC_ASSERT(said.size() == carried.size());
            for (const auto& [way, bytes] : carried)
                RC_ASSERT(std::abs(said[way] - bytes) <= 1e-7 * std::max(bytes, 1.0));
        }
}

/// DGX-1 with NVLinks of 25 bytes a second: three rings, each both ways, fill all of them while they send.
TEST(CollectiveHops, RingsOnACubeMeshFillItsLinks) {
    Problem problem;
    problem.cluster = generation::dgx1Cluster();
    double linkBps = std::numeric_limits<double>::infinity();
    for (const Link& link : problem.cluster.links)
        if (link.kind == "nvlink") linkBps = std::min(linkBps, link.bandwidthBps);
    problem.profile.layers = {{"block", 1, 1, 960, 0, 0, 0, 0}};
    problem.setup.collectiveStartS = 1e-30;
    Plan plan;
    plan.stages = {{0, 0, firstRanks(8)}};
    const CostModel costs(problem);
    const DataParallelGroup group = costs.dataParallelGroups(plan).at(0);
    const StateSync sync = stateSyncs(problem).at(0);
    const cost::SyncCost cost = group.costOf(sync);
    EXPECT_EQ(cost.algorithm, cost::CollectiveAlgorithm::laidRings);
    EXPECT_NEAR(cost.seconds, 2 * 7 / 8.0 * 960 / (6 * linkBps), 1e-9 * cost.seconds);
    std::map<std::pair<int, bool>, double> carried;
    for (const RankHop& hop : group.hopsOf(sync, costs.interconnect())) {
        ASSERT_GE(hop.way, 0);
        carried[{hop.way / 2, hop.way % 2 == 1}] += hop.bytes;
    }
    EXPECT_EQ(carried.size(), 32u) << "16 pairs, both ways";
    for (const auto& [way, bytes] : carried) {
        const Link& link = problem.cluster.links[static_cast<std::size_t>(way.first)];
        EXPECT_EQ(link.kind, "nvlink");
        EXPECT_NEAR(bytes / link.bandwidthBps, cost.seconds, 1e-9 * cost.seconds) << link.a << " " << link.b;
    }
    EXPECT_DOUBLE_EQ(costs.interconnect().laidBps({0, 1, 2, 3}, 0), 4 * linkBps) << "a quad";
    EXPECT_EQ(costs.interconnect().laidBps({0, 5, 6}, 0), 0) << "no ring";
    problem.setup.collectiveStartS = 0;
    EXPECT_GT(CostModel(problem).dataParallelGroups(plan).at(0).secondsOf(sync), 5 * cost.seconds)
        << "as the papers count it";
}

}  // namespace
}  // namespace stagecraft
