// Clusters as schedulers list their servers, and as people write them by hand.
#include "core/base/units.h"
#include "core/cost/interconnect.h"
#include "core/formats/topology/host_list.h"
#include "tests/core/formats/public_case.h"
#include "tests/core/formats/topology_complaint.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

TEST(HostList, RangesKeepTheirDigitsAndBracketsMayBeSeveral) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(hostsIn("tux[0-2,12]", 100), (Names{"tux0", "tux1", "tux2", "tux12"}));
    EXPECT_EQ(hostsIn("n[008-011],login", 100), (Names{"n008", "n009", "n010", "n011", "login"}));
    EXPECT_EQ(hostsIn("r[1-2]n[1-2]-ib", 100), (Names{"r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"}));
    for (const char* bad : {"", "n[1-", "n1]", "n[3-1]", "n[a-b]", "n[1-1000]", "a,,b", "n[]"})
        EXPECT_TRUE(hostsIn(bad, 100).empty()) << bad;
}

// The example of topology.conf(5).
const std::string tree =
    "# topology.conf\n"
    "SwitchName=s0 Nodes=dev[0-1]\n"
    "switchname=s1 nodes=dev[2-3] LinkSpeed=900 # a remark\n"
    "SwitchName=top Switches=s[0-1]\n";

TEST(Slurm, SwitchesAndServersAreATree) {
    ImportOptions options;
    options.gpusPerServer = 4;
    options.gpu = "A100-SXM4-80GB";
    options.networkBps = 25e9;
    const ImportedCluster imported = importCluster(tree, "F", options);
    const Cluster& cluster = imported.cluster;
    ASSERT_EQ(cluster.deviceCount(), 16);
    EXPECT_EQ(cluster.devices[4].id, "dev1g0");
    EXPECT_EQ(cluster.devices[4].server, "dev1");
    EXPECT_EQ(bpsOf(cluster, "s0", "top"), 25e9);
    EXPECT_EQ(linkOf(cluster, "s0", "s1"), nullptr);
    EXPECT_GT(Interconnect(cluster).bandwidthBps(0, 15), 0);
    std::vector<std::string> asked;
    for (const Parameter& question : importQuestions(tree, "F")) asked.push_back(question.name);
    for (const char* name : {"gpu", "gpus_per_server", "network_rate"})
        EXPECT_NE(std::find(asked.begin(), asked.end(), name), asked.end()) << name;
}

TEST(Slurm, WhatScontrolShowsIsTheSameTree) {
    const std::string shown =
        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=dev[0-1]\n"
        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=dev[2-3]\n"
        "SwitchName=top Level=1 LinkSpeed=1 Nodes=dev[0-3] Switches=s[0-1]\n";
    const Cluster a = importCluster(tree, "F").cluster, b = importCluster(shown, "F").cluster;
    EXPECT_EQ(a.devices, b.devices);
    EXPECT_EQ(a.links, b.links);
}

TEST(Slurm, FaultsAreNamedWithTheirLine) {
    EXPECT_EQ(topologyComplaint("SwitchName=s0 Nodes=n[0-\n"),
              "F: line 1: found 'n[0-'; expected names such as n[001-128], 16,384 at most");
    EXPECT_EQ(topologyComplaint("SwitchName=s0 Nodes=a\nSwitchName=s0 Nodes=b\n"),
              "F: line 2: the switch 's0' is given twice; expected each switch once");
    EXPECT_NE(
        topologyComplaint("SwitchName=s0 Nodes=a\nSwitchName=t Switches=s[0-1]\n").find("'s1' has no line"),
        std::string::npos);
    EXPECT_NE(topologyComplaint("SwitchName=s0 Nodes=n[0-9999]\n").find("more than 4,096 GPUs"),
              std::string::npos);
}

TEST(ServerLines, AFewLinesMakeACluster) {
    const Cluster cluster = importCluster(
                                "servers: 2   # of one kind\ngpus: 8\ngpu: H100\nlinks: nvswitch\n"
                                "nics: 8\nnic: 400 Gbit/s\nnetwork: 400 Gbit/s\n",
                                "F")
                                .cluster;
    ASSERT_EQ(cluster.deviceCount(), 16);
    EXPECT_EQ(cluster.devices[15].gpu, "H100-SXM5-80GB");
    EXPECT_DOUBLE_EQ(bpsOf(cluster, "s1g0", "s1nvswitch"), 370.8e9);
    EXPECT_DOUBLE_EQ(bpsOf(cluster, "s1nic7", "network"), 50e9);
    const Cluster ring =
        importCluster("servers: 1\ngpus: 4\ngpu: Z1\nmemory: 48 GiB\nlinks: ring\nlink: 100 GB/s\n", "F")
            .cluster;
    EXPECT_EQ(ring.devices[0].gpu, "Z1");
    EXPECT_EQ(ring.devices[0].memoryBytes, 48 * gib);
    EXPECT_DOUBLE_EQ(bpsOf(ring, "s0g0", "s0g3"), 50e9);
    EXPECT_EQ(linkOf(ring, "s0g0", "s0g2"), nullptr);
}

TEST(ServerLines, FaultsAreNamedWithTheirLine) {
    EXPECT_NE(topologyComplaint("servers: 2\ngpus: 8\nnics: many\n").find("F: line 3: nics is 'many'"),
              std::string::npos);
    EXPECT_NE(topologyComplaint("servers: 2\ngpus: 8\nlinks: star\n").find("nvswitch, mesh, ring or pcie"),
              std::string::npos);
    EXPECT_NE(
        topologyComplaint("servers: 2\ngpus: 8\nlink speed: 3\n").find("F: line 3: found 'link speed: 3'"),
        std::string::npos);
    EXPECT_NE(topologyComplaint("servers: 2\ngpus: 8\ngpu: L4\nlinks: mesh\n").find("nothing says how fast"),
              std::string::npos);
    EXPECT_NE(topologyComplaint("servers: 4096\ngpus: 8\n").find("more than 4,096 GPUs"), std::string::npos);
}

}  // namespace
}  // namespace stagecraft
