#include "core/generation/cluster_templates.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

namespace stagecraft {
namespace {

double gbps(const Link& link) { return link.bandwidthBps / bytesPerSecondOfGbps; }

// The C++ standard fixes the 10,000th number of the engine's default seed.
TEST(PortableRandom, ItsNumbersAreTheStandardsNumbers) {
    PortableRandom random(std::mt19937_64::default_seed);
    for (int number = 1; number < 10000; ++number) random.unit();
    EXPECT_EQ(random.unit(), static_cast<double>(9981545732273789042ull >> 11) / 9007199254740992.0);
}

TEST(PortableRandom, EveryNumberBelowTheCountComesUp) {
    PortableRandom random(7);
    std::set<int> seen;
    for (int draw = 0; draw < 1000; ++draw) seen.insert(random.below(6));
    EXPECT_EQ(seen, (std::set<int>{0, 1, 2, 3, 4, 5}));
}

TEST(SwitchedCluster, ServersHangOnOneNetworkSwitch) {
    const Gpu& gpu = *findGpu("GTX-1080-Ti-11GB");
    const Cluster cluster =
        switchedCluster({.servers = 4, .gpusPerServer = 2, .gpu = gpu, .networkBps = 6.25e9});
    EXPECT_EQ(cluster.deviceCount(), 8);
    EXPECT_EQ(cluster.servers(), (std::vector<std::string>{"s0", "s1", "s2", "s3"}));
    EXPECT_EQ(cluster.switches.size(), 5u);
    ASSERT_EQ(cluster.links.size(), 12u);
    EXPECT_EQ(cluster.links[0], (Link{"s0g0", "s0switch", 12e9, 0, "pcie"}));
    EXPECT_EQ(cluster.links[2], (Link{"s0switch", "network", 6.25e9, 0, "ethernet"}));
    EXPECT_EQ(cluster.devices[3].id, "s1g1");
    EXPECT_EQ(cluster.devices[3].memoryBytes, 11.0 * (1 << 30));
    EXPECT_FALSE(cluster.name.empty());
}

TEST(SwitchedCluster, OneServerNeedsNoNetwork) {
    const Cluster cluster = switchedCluster({.gpusPerServer = 4, .gpu = *findGpu("V100-PCIe-16GB")});
    EXPECT_EQ(cluster.switches.size(), 1u);
    EXPECT_EQ(cluster.links.size(), 4u);
}

TEST(SwitchedCluster, MissingNumbersAreRefused) {
    const Gpu& gpu = *findGpu("T4-16GB");
    EXPECT_THROW(switchedCluster({.servers = 2, .gpusPerServer = 2, .gpu = gpu}), std::invalid_argument);
    EXPECT_THROW(switchedCluster({.servers = 0, .gpusPerServer = 2, .gpu = gpu}), std::invalid_argument);
    EXPECT_THROW(switchedCluster({.gpusPerServer = 2, .gpu = gpu, .intraServerBps = -1}),
                 std::invalid_argument);
}

TEST(RandomCluster, TheDefaultOfSppIsACompleteGraphInThePapersRanges) {
    const Cluster cluster = randomCluster(sppDefaultCluster(1));
    EXPECT_EQ(cluster.deviceCount(), 32);
    EXPECT_EQ(cluster.links.size(), 32u * 31u / 2u);
    std::map<std::pair<std::string, std::string>, std::set<double>> drawn;
    for (const Link& link : cluster.links) {
        const std::string a = cluster.devices[static_cast<std::size_t>(cluster.deviceIndex(link.a))].server;
        const std::string b = cluster.devices[static_cast<std::size_t>(cluster.deviceIndex(link.b))].server;
        drawn[{a, b}].insert(gbps(link));
        if (a != b) {
            EXPECT_GE(gbps(link), 32);
            EXPECT_LE(gbps(link), 40);
        } else if (a < "s3") {
            EXPECT_GE(gbps(link), 96);
            EXPECT_LE(gbps(link), 128);
        } else {
            EXPECT_GE(gbps(link), 160);
            EXPECT_LE(gbps(link), 200);
        }
    }
    EXPECT_EQ(drawn.size(), 8u + 28u);
    for (const auto& [servers, values] : drawn)
        EXPECT_EQ(values.size(), 1u) << servers.first << servers.second;
}

TEST(RandomCluster, TheSeedDecidesAlone) {
    const Cluster one = randomCluster(sppDefaultCluster(1));
    for (int run = 0; run < 5; ++run) EXPECT_EQ(randomCluster(sppDefaultCluster(1)), one);
    EXPECT_NE(randomCluster(sppDefaultCluster(2)).links, one.links);
    EXPECT_NE(one.name.find("seed 1"), std::string::npos);
}

TEST(RandomCluster, BothEndsOfARangeAreDrawn) {
    std::set<double> seen;
    for (std::uint64_t seed = 0; seed < 200; ++seed)
        seen.insert(randomCluster({.groups = {{1, 2, {1e9, 1e9 + 2 * 12.5e6}}},
                                   .interServer = {1, 1},
                                   .gpu = *findGpu("T4-16GB"),
                                   .seed = seed})
                        .links[0]
                        .bandwidthBps);
    EXPECT_EQ(seen, (std::set<double>{1e9, 1e9 + 12.5e6, 1e9 + 2 * 12.5e6}));
}

TEST(RandomCluster, ServersMayDifferInSize) {
    const Cluster cluster =
        randomCluster({.groups = {sppPcieServers(6, 2), sppNvlinkServers(3, 4), sppNvlinkServers(1, 8)},
                       .interServer = sppInterServer(),
                       .gpu = *findGpu("V100-SXM2-16GB")});
    EXPECT_EQ(cluster.deviceCount(), 32);
    EXPECT_EQ(cluster.servers().size(), 10u);
    EXPECT_EQ(cluster.devices.back().id, "s9g7");
}

TEST(RandomCluster, EmptyRangesAreRefused) {
    const Gpu& gpu = *findGpu("T4-16GB");
    EXPECT_THROW(randomCluster({.interServer = {1, 2}, .gpu = gpu}), std::invalid_argument);
    EXPECT_THROW(randomCluster({.groups = {{1, 2, {2, 1}}}, .interServer = {1, 2}, .gpu = gpu}),
                 std::invalid_argument);
    EXPECT_THROW(randomCluster({.groups = {{1, 2, {1, 2}}}, .interServer = {0, 2}, .gpu = gpu}),
                 std::invalid_argument);
    EXPECT_THROW(randomCluster({.groups = {{1, 0, {1, 2}}}, .interServer = {1, 2}, .gpu = gpu}),
                 std::invalid_argument);
}

TEST(Dgx1, EveryGpuHasSixNvlinksAndAWayOverPcie) {
    const Cluster cluster = dgx1Cluster();
    for (const Device& device : cluster.devices) {
        double nvlinkBps = 0;
        int pcieLinks = 0;
        for (const Link& link : cluster.links) {
            if (link.a != device.id && link.b != device.id) continue;
            if (link.kind == "nvlink") nvlinkBps += link.bandwidthBps;
            if (link.kind == "pcie") ++pcieLinks;
        }
        EXPECT_EQ(nvlinkBps, 6 * reachedLinkBps(*findGpu("V100-SXM2-16GB"))) << device.id;
        EXPECT_EQ(pcieLinks, 1) << device.id;
    }
}

}  // namespace
}  // namespace stagecraft
