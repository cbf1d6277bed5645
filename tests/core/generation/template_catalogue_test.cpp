#include "core/generation/template_catalogue.h"

#include "core/cost/interconnect.h"
#include "core/formats/native/formats.h"
#include "core/generation/cluster_templates.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

namespace stagecraft {
namespace {

Cluster make(const std::string& id, const std::vector<std::string>& assignments = {}) {
    const ClusterTemplate& chosen = *findClusterTemplate(id);
    ParameterValues values = defaultValues(chosen.parameters);
    for (const std::string& assignment : assignments) setParameter(chosen.parameters, values, assignment);
    return chosen.make(values);
}

std::map<std::string, double> bandwidthsOf(const Cluster& cluster, const std::string& id,
                                           const std::string& kind) {
    std::map<std::string, double> found;
    for (const Link& link : cluster.links)
        if (link.kind == kind && (link.a == id || link.b == id))
            found[link.a == id ? link.b : link.a] = link.bandwidthBps;
    return found;
}

TEST(TemplateCatalogue, EveryTemplateMakesAWellFormedClusterFromItsDefaults) {
    for (const ClusterTemplate& each : clusterTemplates()) {
        const Cluster cluster = each.make(defaultValues(each.parameters));
        EXPECT_GE(cluster.deviceCount(), 4) << each.id;
        EXPECT_FALSE(cluster.name.empty()) << each.id;
        EXPECT_FALSE(each.description.empty()) << each.id;
        std::set<std::string> ids;
        for (const Device& device : cluster.devices) EXPECT_TRUE(ids.insert(device.id).second) << device.id;
        for (const Switch& node : cluster.switches) EXPECT_TRUE(ids.insert(node.id).second) << node.id;
        for (const Link& link : cluster.links) {
            EXPECT_TRUE(ids.contains(link.a) && ids.contains(link.b) && link.a != link.b) << each.id;
            EXPECT_GT(link.bandwidthBps, 0) << each.id;
        }
        EXPECT_EQ(each.make(defaultValues(each.parameters)), cluster) << each.id;
    }
}

TEST(TemplateCatalogue, EveryParameterReadsItsOwnDefault) {
    for (const ClusterTemplate& each : clusterTemplates())
        for (const Parameter& parameter : each.parameters) {
            EXPECT_EQ(readParameter(parameter, toText(parameter, parameter.defaultValue)),
                      parameter.defaultValue)
                << each.id << " " << parameter.name;
            EXPECT_FALSE(parameter.description.empty()) << each.id << " " << parameter.name;
        }
}

TEST(TemplateCatalogue, QuantitiesAreTypedAsPeopleWriteThem) {
    const Cluster cluster = make(
        "switched", {"servers=2", "network_bandwidth=40 Gbit/s", "network_latency=5 us", "memory=24 GiB"});
    EXPECT_EQ(cluster.links.back(), (Link{"s1pcie0", "network", 5e9, 5e-6, "ethernet", ""}));
    EXPECT_EQ(cluster.devices[0].memoryBytes, 24.0 * (1 << 30));
    EXPECT_THROW(make("switched", {"network_bandwidth=40"}), std::invalid_argument);
}

TEST(TemplateCatalogue, AGpuOfOnesOwnNeedsItsMemoryAndItsPcie) {
    EXPECT_THROW(make("pcie", {"gpu=Mine"}), std::invalid_argument);
    EXPECT_THROW(make("pcie", {"gpu=Mine", "memory=20 GiB"}), std::invalid_argument);
    const Cluster own = make("pcie", {"gpu=Mine", "memory=20 GiB", "pcie_bandwidth=30 GB/s", "speed=1.5"});
    EXPECT_EQ(own.devices[0], (Device{"s0g0", "s0", "Mine", 20.0 * (1 << 30), 1.5, 30e9}));
    EXPECT_TRUE(own.links[0].source.empty());
}

TEST(PcieServer, SwitchesAreSharedOutOverTheSockets) {
    const Cluster cluster = make("pcie", {"gpus=8", "gpus_per_switch=2"});
    EXPECT_EQ(cluster.switches.size(), 6u);
    EXPECT_EQ(bandwidthsOf(cluster, "s0socket0", "pcie"),
              (std::map<std::string, double>{{"s0pcie0", 12e9}, {"s0pcie1", 12e9}}));
    EXPECT_EQ(bandwidthsOf(cluster, "s0socket1", "socket"),
              (std::map<std::string, double>{{"s0socket0", 10e9}}));
    EXPECT_EQ(make("pcie").switches.size(), 1u) << "one switch hangs on no socket";
}

TEST(NvlinkRing, EachGpuHasHalfOfItsLinksToEitherSide) {
    const Cluster cluster = make("nvlink-ring");
    EXPECT_EQ(bandwidthsOf(cluster, "s0g0", "nvlink"),
              (std::map<std::string, double>{{"s0g1", 60e9}, {"s0g3", 60e9}}));
    EXPECT_EQ(bandwidthsOf(make("nvlink-ring", {"gpus=2"}), "s0g0", "nvlink"),
              (std::map<std::string, double>{{"s0g1", 120e9}}));
    EXPECT_THROW(make("nvlink-ring", {"gpu=T4-16GB"}), std::invalid_argument);
    EXPECT_THROW(make("nvlink-ring", {"gpus=1"}), std::invalid_argument);
}

TEST(NvswitchServer, EachGpuHasAllOfItsLinksToTheSwitch) {
    const Cluster cluster = make("nvswitch");
    EXPECT_EQ(bandwidthsOf(cluster, "s0nvswitch", "nvlink").size(), 8u);
    EXPECT_EQ(bandwidthsOf(cluster, "s0g5", "nvlink").at("s0nvswitch"), 240e9);
}

TEST(NvlinkTemplates, LinksHaveWhatTransfersReachAndNameTheDataSheetsFigureToo) {
    const Cluster h100 = make("nvswitch", {"gpu=H100-SXM5-80GB"});
    EXPECT_EQ(bandwidthsOf(h100, "s0g0", "nvlink").at("s0nvswitch"), 370.8e9);
    EXPECT_EQ(
        h100.links.back().source,
        "18 × NVLink at 20.6 GB/s, H100-SXM5-80GB, as NCCL counts it; 25 GB/s per link on the data sheet");
    const Cluster given = make("nvswitch", {"gpu=H100-SXM5-80GB", "nvlink_bandwidth=450 GB/s"});
    EXPECT_EQ(bandwidthsOf(given, "s0g0", "nvlink").at("s0nvswitch"), 450e9) << "what a person says is kept";
    EXPECT_TRUE(given.links.back().source.empty());
}

/// What a template refuses, in words.
std::string complaintOfTemplate(const std::string& id, const std::vector<std::string>& assignments) {
    try {
        make(id, assignments);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

TEST(NvlinkTemplates, TakeNoGpuThatIsNotJoinedInThatWay) {
    EXPECT_EQ(complaintOfTemplate("nvswitch", {"gpu=MI300X-192GB"}),
              "an MI300X-192GB has no NVLink; it has Infinity Fabric");
    for (const char* gpu : {"gpu=L40S-48GB", "gpu=A100-PCIe-80GB", "gpu=RTX-3090-24GB", "gpu=P100-SXM2-16GB"})
        EXPECT_NE(complaintOfTemplate("nvswitch", {gpu}), "") << gpu;
    EXPECT_NE(complaintOfTemplate("switched", {"inside=nvswitch", "gpu=MI300X-192GB"}), "");
    EXPECT_NE(complaintOfTemplate("dgx1", {"gpu=A100-SXM4-80GB"}), "") << "it has twelve links and not six";
    EXPECT_NE(complaintOfTemplate("infinity-fabric", {"gpu=H100-SXM5-80GB"}), "");
    for (const char* id : {"nvlink-ring", "dgx1", "nvswitch", "infinity-fabric"})
        for (const Parameter& parameter : findClusterTemplate(id)->parameters) {
            if (parameter.name != "gpu") continue;
            EXPECT_GE(parameter.choices.size(), 2u) << id;
            for (const std::string& offered : parameter.choices) {
                EXPECT_NO_THROW(
                    make(id, {"gpu=" + offered, std::string(id) == "dgx1" ? "speed=1" : "gpus=4"}))
                    << id << " offers " << offered;
            }
        }
}

TEST(InfinityFabric, JoinsEachGpuToEachOtherByWholeLinks) {
    const Cluster eight = make("infinity-fabric");
    EXPECT_EQ(eight.devices[0].gpu, "MI300X-192GB");
    EXPECT_EQ(bandwidthsOf(eight, "s0g3", "xgmi").size(), 7u);
    EXPECT_EQ(bandwidthsOf(eight, "s0g3", "xgmi").at("s0g7"), 48e9);
    EXPECT_EQ(bandwidthsOf(make("infinity-fabric", {"gpus=4"}), "s0g0", "xgmi").at("s0g1"), 96e9)
        << "two whole links of seven to each of three";
    EXPECT_EQ(eight.links.back().source,
              "1 × xGMI at 48 GB/s, MI300X-192GB, as RCCL counts it; 64 GB/s per link on the data sheet");
    EXPECT_NE(complaintOfTemplate("infinity-fabric", {"gpus=9"}), "") << "seven links reach seven others";
}

TEST(SwitchedServers, TwoLikeDgx1AreJoinedAtTheirFirstSockets) {
    const Cluster cluster = make("switched", {"servers=2", "gpus_per_server=8", "inside=cube-mesh"});
    EXPECT_EQ(cluster.deviceCount(), 16);
    EXPECT_EQ(bandwidthsOf(cluster, "network", "ethernet"),
              (std::map<std::string, double>{{"s0socket0", 12.5e9}, {"s1socket0", 12.5e9}}));
    EXPECT_THROW(make("switched", {"gpus_per_server=4", "inside=cube-mesh"}), std::invalid_argument);
}

TEST(FatTree, ALeafsLinksUpCarryItsServersOverTheOversubscription) {
    const Cluster cluster = make("fat-tree", {"servers=10", "servers_per_leaf=4", "spines=2",
                                              "oversubscription=2", "network_bandwidth=100 Gbit/s"});
    const auto up = bandwidthsOf(cluster, "leaf0", "ethernet");
    EXPECT_EQ(up.at("s0pcie0"), 12.5e9);
    double total = 0;
    for (const auto& [other, bandwidth] : up)
        if (other.starts_with("spine")) total += bandwidth;
    EXPECT_EQ(total, 4 * 12.5e9 / 2);
    EXPECT_EQ(bandwidthsOf(cluster, "leaf2", "ethernet").size(), 4u)
        << "the last leaf has 2 servers and 2 spines";
    EXPECT_EQ(make("fat-tree", {"servers=4"}).switches.back().id, "leaf0") << "one leaf needs no spine";
}

TEST(RandomTemplates, SeedsDecideAndThePapersShapesAreEntries) {
    EXPECT_EQ(make("spp", {"seed=5"}), randomCluster(sppDefaultCluster(5)));
    const Cluster mixed = make("spp-mixed");
    EXPECT_EQ(mixed.deviceCount(), 32);
    EXPECT_EQ(mixed.servers().size(), 10u);
    EXPECT_NE(make("random", {"seed=1"}).links, make("random", {"seed=2"}).links);
    for (const Link& link : make("random", {"inside_least=10 GB/s", "inside_most=11 GB/s"}).links) {
        const bool inside = link.kind == "pcie";
        EXPECT_GE(link.bandwidthBps, inside ? 10e9 : 4e9);
        EXPECT_LE(link.bandwidthBps, inside ? 11e9 : 5e9);
    }
    EXPECT_THROW(make("random", {"inside_least=10 GB/s", "inside_most=9 GB/s"}), std::invalid_argument);
    EXPECT_THROW(make("random", {"servers=256", "gpus_per_server=64"}), std::invalid_argument);
}

TEST(TemplateCatalogue, SizesBeyondAllUseAreRefused) {
    EXPECT_THROW(make("switched", {"servers=4096", "gpus_per_server=64"}), std::invalid_argument);
}

double leastOnTheWay(const Cluster& cluster, const std::string& from, const std::string& to) {
    const Interconnect network(cluster);
    return network.bandwidthBps(cluster.deviceIndex(from), cluster.deviceIndex(to));
}

TEST(NamedMachines, HaveTheBandwidthsOfTheRealOnes) {
    struct Case {
        const char* id;
        double insideBps, betweenBps;  ///< what a GPU reaches of its NVLinks, and of its network card
    };
    // NVLinks as NCCL counts them (H100: 18 x 20.6, A100: 12 x 20); a card as its data sheet has it, or the
    // PCIe below it as NCCL counts that (Gen 5: 48, Gen 4: 24).
    for (const Case& each : {Case{"dgx-h100", 18 * 20.6e9, 48e9}, Case{"dgx-h200", 18 * 20.6e9, 48e9},
                             Case{"nd-h100-v5", 18 * 20.6e9, 48e9}, Case{"p5", 18 * 20.6e9, 48e9},
                             Case{"dgx-a100", 12 * 20e9, 24e9}, Case{"p4d", 12 * 20e9, 12.5e9}}) {
        const Cluster two = make(each.id, {"servers=2"});
        ASSERT_EQ(two.deviceCount(), 16) << each.id;
        EXPECT_DOUBLE_EQ(leastOnTheWay(two, "s0g0", "s0g7"), each.insideBps) << each.id;
        EXPECT_DOUBLE_EQ(leastOnTheWay(two, "s0g3", "s1g3"), each.betweenBps) << each.id;
        EXPECT_EQ(two.name.rfind("2 × ", 0), 0u) << two.name;
    }
}

TEST(NamedMachines, ACardIsBelowTheSwitchOfTheGpusThatItServes) {
    const Cluster h100 = make("dgx-h100"), a100 = make("dgx-a100");
    for (int gpu = 0; gpu < 8; ++gpu) {
        const std::string pcie = "s0pcie" + std::to_string(gpu);
        EXPECT_EQ(bandwidthsOf(h100, "s0nic" + std::to_string(gpu), "pcie"),
                  (std::map<std::string, double>{{pcie, 48e9}}));
        EXPECT_TRUE(bandwidthsOf(h100, "s0g" + std::to_string(gpu), "pcie").contains(pcie));
        EXPECT_TRUE(bandwidthsOf(a100, "s0nic" + std::to_string(gpu), "pcie")
                        .contains("s0pcie" + std::to_string(gpu / 2)));
    }
}

TEST(NamedMachines, RailsJoinTheCardsOfTheSameNumber) {
    const Cluster rails = make("dgx-h100", {"servers=4", "fabric=rails", "spines=1"});
    for (int card = 0; card < 8; ++card) {
        const std::string rail = "rail" + std::to_string(card);
        const auto joined = bandwidthsOf(rails, rail, "infiniband");
        ASSERT_EQ(joined.size(), 5u);
        for (int server = 0; server < 4; ++server)
            EXPECT_DOUBLE_EQ(joined.at("s" + std::to_string(server) + "nic" + std::to_string(card)), 50e9);
        EXPECT_DOUBLE_EQ(joined.at("spine0"), 4 * 50e9);
    }
}

TEST(NamedMachines, ARackHasSeventyTwoGpusOnOneSwitch) {
    const Cluster racks = make("gb200-nvl72", {"racks=2"});
    EXPECT_EQ(racks.deviceCount(), 144);
    EXPECT_EQ(racks.servers().size(), 36u);
    EXPECT_EQ(bandwidthsOf(racks, "rack1nvswitch", "nvlink").size(), 72u);
    EXPECT_GT(leastOnTheWay(racks, "s0g0", "s17g3"), 5 * leastOnTheWay(racks, "s0g0", "s18g0"));
}

TEST(Fabrics, OfATorusEachServerHasTwoNeighboursInEachDimension) {
    const Cluster torus = make("torus", {"x=4", "y=3", "z=2", "gpus_per_server=1"});
    EXPECT_EQ(torus.servers().size(), 24u);
    for (const std::string& server : torus.servers())
        // Two along x and y, and the one other along z.
        EXPECT_EQ(bandwidthsOf(torus, server + "pcie0", "ethernet").size(), 5u) << server;
}

TEST(Fabrics, OfADragonflyEachTwoGroupsAreJoinedOnce) {
    const Cluster cluster =
        make("dragonfly", {"groups=5", "routers_per_group=3", "servers_per_router=2", "gpus_per_server=1"});
    EXPECT_EQ(cluster.servers().size(), 30u);
    std::map<std::pair<int, int>, int> between;
    int inside = 0;
    for (const Link& link : cluster.links) {
        if (link.a.rfind("group", 0) != 0) continue;
        const std::pair groups(link.a[5] - '0', link.b[5] - '0');
        if (groups.first == groups.second)
            ++inside;
        else
            ++between[groups];
    }
    EXPECT_EQ(inside, 5 * 3);
    ASSERT_EQ(between.size(), 10u);
    for (const auto& [groups, links] : between) EXPECT_EQ(links, 1);
}

TEST(ClusterTemplates, ARackIsServersBelowOneSwitch) {
    for (const ClusterTemplate& server : rackServers()) {
        const Cluster rack = rackOf(server, 3);
        EXPECT_EQ(rack.servers().size(), 3u) << server.id;
        EXPECT_NE(server.id, "gb200-nvl72") << "it is a rack itself";
        const auto network = std::count_if(rack.switches.begin(), rack.switches.end(),
                                           [](const Switch& each) { return each.server.empty(); });
        EXPECT_EQ(network, 1) << server.id;
        const auto ports = std::count_if(rack.links.begin(), rack.links.end(),
                                         [](const Link& link) { return link.a == "tor" || link.b == "tor"; });
        EXPECT_GE(ports, 3) << server.id;
        EXPECT_GT(Interconnect(rack).bandwidthBps(0, rack.deviceCount() - 1), 0) << server.id;
        EXPECT_THROW(rackOf(server, 1), std::invalid_argument);
    }
}

}  // namespace
}  // namespace stagecraft
