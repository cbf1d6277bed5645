// Which ranks a collective's bytes go between, and how many rings servers with several network cards make.
#include "core/analysis/link_load.h"
#include "core/cost/collective_hops.h"
#include "core/cost/cost_model.h"
#include "core/generation/asked_machines.h"
#include "core/planners/planned_run.h"
#include "core/validation/validator.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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
        collectiveHops(CollectiveAlgorithm::rings, firstRanks(12), ServerExits(cluster), true, 8);
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
    const auto hops = collectiveHops(CollectiveAlgorithm::tree, firstRanks(ranks), ServerExits(Cluster{}),
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
            for (const auto& [rank, bytes] : sentBy(group.hopsOf(sync, costs.interconnect().exits())))
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
        for (const RankHop& hop : group.hopsOf(sync, costs.interconnect().exits()))
            for (const LinkStep& step : costs.interconnect().route(hop.from, hop.to))
                carried[{step.link, step.back}] += hop.bytes;
        for (const auto& [way, bytes] : carried)
            EXPECT_LE(bytes / problem.cluster.links[static_cast<std::size_t>(way.first)].bandwidthBps,
                      seconds * (1 + 1e-6))
                << problem.cluster.links[static_cast<std::size_t>(way.first)].a;
    }
}

}  // namespace
}  // namespace stagecraft
