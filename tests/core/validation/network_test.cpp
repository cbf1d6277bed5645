// The validator's network against brute force, on small clusters of every shape.
#include "core/validation/network.h"

#include "core/cost/interconnect.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <map>
#include <string>

namespace stagecraft {
namespace {

constexpr double without = std::numeric_limits<double>::infinity();

/// Devices, switches and links between any of them, several between some; few widths, so that many are equal.
Cluster anyCluster() {
    Cluster cluster;
    const int devices = *rc::gen::inRange(2, 7);
    const int switches = *rc::gen::arbitrary<bool>() ? *rc::gen::inRange(1, 5) : 0;
    std::vector<std::string> ids;
    for (int i = 0; i < devices; ++i)
        cluster.devices.push_back({ids.emplace_back("g" + std::to_string(i)), "s"});
    for (int i = 0; i < switches; ++i)
        cluster.switches.push_back({ids.emplace_back("w" + std::to_string(i)), ""});
    const bool latency = *rc::gen::arbitrary<bool>();
    for (int i = *rc::gen::inRange(0, 14); i > 0; --i) {
        Link link;
        link.a = *rc::gen::elementOf(ids);
        link.b = *rc::gen::elementOf(ids);
        link.bandwidthBps = *rc::gen::inRange(0, 6);
        if (latency) link.latencyS = *rc::gen::inRange(0, 4);
        cluster.links.push_back(link);
    }
    // Network cards below a switch, most of them alike, and devices beside them.
    const int cards = switches > 1 ? *rc::gen::inRange(0, 4) : 0;
    const double latencyS = latency ? 1 : 0;
    for (int card = 0; card < cards; ++card) {
        const std::string id = "c" + std::to_string(card);
        cluster.switches.push_back({id, ""});
        const double widthBps = *rc::gen::inRange(0, 5) == 0 ? 4 : 5;
        cluster.links.push_back({id, "w0", widthBps, latencyS, ""});
        cluster.links.push_back({id, "w1", 5, latencyS, ""});
        cluster.links.push_back({"g" + std::to_string(card % devices), "w0", 5, latencyS, ""});
        cluster.links.push_back({"g" + std::to_string((card + 2) % devices), "w1", 5, latencyS, ""});
    }
    return cluster;
}

/// The widest path between all nodes by Floyd–Warshall on (max, min), then the least latency of those as wide
/// by Bellman–Ford; devices forward where there is no path without that.
class BruteForce {
public:
    explicit BruteForce(const Cluster& cluster) : devices_(cluster.deviceCount()) {
        std::map<std::string, int> nodeOf;
        for (const Device& device : cluster.devices)
            nodeOf.emplace(device.id, static_cast<int>(nodeOf.size()));
        for (const Switch& joint : cluster.switches)
            nodeOf.emplace(joint.id, static_cast<int>(nodeOf.size()));
        nodes_ = static_cast<int>(nodeOf.size());
        for (const Link& link : cluster.links)
            for (const auto& [from, to] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
                hops_.push_back({nodeOf.at(from), nodeOf.at(to), link.bandwidthBps, link.latencyS});
        bySwitches_ = widths(devices_);
        byAll_ = widths(0);
    }

    bool needsDevices(int a, int b) const { return bySwitches_.at({a, b}) <= 0; }
    double width(int a, int b) const { return (needsDevices(a, b) ? byAll_ : bySwitches_).at({a, b}); }
    double latency(int a, int b) const {
        std::vector<double> best(static_cast<std::size_t>(nodes_), without);
        best[static_cast<std::size_t>(a)] = 0;
        for (int round = 0; round < nodes_; ++round)
            for (const Hop& hop : hops_) {
                if (hop.widthBps < width(a, b)) continue;
                if (hop.from != a && hop.from < devices_ && !needsDevices(a, b)) continue;
                double& known = best[static_cast<std::size_t>(hop.to)];
                known = std::min(known, best[static_cast<std::size_t>(hop.from)] + hop.latencyS);
            }
        return best[static_cast<std::size_t>(b)];
    }

private:
    struct Hop {
        int from, to;
        double widthBps, latencyS;
    };
    using Widths = std::map<std::pair<int, int>, double>;

    /// @param firstVia nodes before it forward nothing
    Widths widths(int firstVia) const {
        Widths widest;
        for (int a = 0; a < nodes_; ++a)
            for (int b = 0; b < nodes_; ++b) widest[{a, b}] = 0;
        for (const Hop& hop : hops_)
            widest[{hop.from, hop.to}] = std::max(widest[{hop.from, hop.to}], hop.widthBps);
        for (int via = firstVia; via < nodes_; ++via)
            for (int a = 0; a < nodes_; ++a)
                for (int b = 0; b < nodes_; ++b)
                    widest[{a, b}] = std::max(widest[{a, b}], std::min(widest[{a, via}], widest[{via, b}]));
        return widest;
    }

    int devices_ = 0, nodes_ = 0;
    std::vector<Hop> hops_;
    Widths bySwitches_, byAll_;
};

TEST(ValidatorsNetwork, IsThatOfBruteForceBetweenAnyTwoDevices) {
    int apart = 0, throughDevices = 0, wide = 0;
    EXPECT_TRUE(rc::check([&] {
        const Cluster cluster = anyCluster();
        const validation::Network network(cluster);
        const BruteForce expected(cluster);
        for (int a = 0; a < cluster.deviceCount(); ++a)
            for (int b = 0; b < cluster.deviceCount(); ++b) {
                if (a == b) continue;
                const double width = expected.width(a, b);
                RC_ASSERT(network.narrowest({a}, {b}) == width);
                if (width > 0) RC_ASSERT(network.slowest({a}, {b}) == expected.latency(a, b));
                ++(width <= 0 ? apart : expected.needsDevices(a, b) ? throughDevices : wide);
            }
    }));
    // Some of each kind; how many depends on the draw.
    EXPECT_GT(apart, 0);
    EXPECT_GT(throughDevices, 0);
    EXPECT_GT(wide, 0);
}

/// Of many equal paths both take the same, by whatever search; and in a matrix or pair by pair.
TEST(ValidatorsNetwork, GoesTheWayThatCostsAreCountedBy) {
    EXPECT_TRUE(rc::check([] {
        const Cluster cluster = anyCluster();
        const validation::Network network(cluster);
        for (const auto table : {Interconnect::PairTable::always, Interconnect::PairTable::never}) {
            const Interconnect interconnect(cluster, {}, table);
            for (int a = 0; a < cluster.deviceCount(); ++a)
                for (int b = 0; b < cluster.deviceCount(); ++b) {
                    std::vector<int> expected;
                    for (const LinkStep& step : interconnect.route(a, b))
                        expected.insert(expected.begin(), 2 * step.link + (step.back ? 1 : 0));
                    RC_ASSERT(network.route(a, b) == expected);
                }
        }
    }));
}

/// By hand: two servers like DGX A100, two GPUs and two cards below a switch.
TEST(ValidatorsNetwork, EachDeviceTakesItsOwnOfEqualCards) {
    Cluster cluster;
    cluster.switches.push_back({"fabric", ""});
    for (const std::string server : {"s0", "s1"}) {
        cluster.switches.push_back({server + "pcie", server});
        for (const std::string number : {"0", "1"}) {
            cluster.devices.push_back({server + "g" + number, server});
            cluster.switches.push_back({server + "nic" + number, server});
            cluster.links.push_back({server + "g" + number, server + "pcie", 24, 0, ""});
            cluster.links.push_back({server + "nic" + number, server + "pcie", 24, 0, ""});
            cluster.links.push_back({server + "nic" + number, "fabric", 25, 0, ""});
        }
    }
    const Interconnect interconnect(cluster);
    const validation::Network network(cluster);
    const auto namesOf = [&](int from, int to) {
        std::string names;
        for (const int link : interconnect.path(from, to))
            names += cluster.links[static_cast<std::size_t>(link)].a + " ";
        return names;
    };
    EXPECT_EQ(namesOf(0, 2), "s0g0 s0nic0 s0nic0 s1nic0 s1nic0 s1g0 ");
    EXPECT_EQ(namesOf(1, 3), "s0g1 s0nic1 s0nic1 s1nic1 s1nic1 s1g1 ");
    EXPECT_EQ(namesOf(1, 2), "s0g1 s0nic1 s0nic1 s1nic0 s1nic0 s1g0 ");
    EXPECT_EQ(namesOf(0, 1), "s0g0 s0g1 ");
    // The validator's from the last on.
    EXPECT_EQ(network.route(1, 3)[1] / 2, interconnect.path(1, 3)[4]);
    EXPECT_EQ(network.route(1, 3)[4] / 2, interconnect.path(1, 3)[1]);
    // A third device takes the first card again; one that is wider is no equal.
    cluster.devices.push_back({"s0g2", "s0"});
    cluster.links.push_back({"s0g2", "s0pcie", 24, 0, ""});
    EXPECT_EQ(Interconnect(cluster).path(4, 2)[1], Interconnect(cluster).path(0, 2)[1]);
    cluster.links[2].bandwidthBps = 50;
    EXPECT_EQ(Interconnect(cluster).path(1, 2)[1], Interconnect(cluster).path(0, 2)[1]);
}

TEST(ValidatorsNetwork, TakesTheLeastWidthAndTheGreatestLatencyOfPairsOfTwoSets) {
    EXPECT_TRUE(rc::check([] {
        const Cluster cluster = anyCluster();
        const validation::Network network(cluster);
        const auto some = rc::gen::container<std::vector<int>>(rc::gen::inRange(0, cluster.deviceCount()));
        const std::vector<int> from = *some, to = *some;
        double least = without, most = 0;
        for (const int a : from)
            for (const int b : to) {
                if (a == b) continue;
                least = std::min(least, network.narrowest({a}, {b}));
                most = std::max(most, network.slowest({a}, {b}));
            }
        RC_ASSERT(network.narrowest(from, to) == least);
        RC_ASSERT(network.slowest(from, to) == most);
    }));
}

}  // namespace
}  // namespace stagecraft
