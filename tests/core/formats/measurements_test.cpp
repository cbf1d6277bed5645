// What programs measured, put onto the links of a cluster that is there already.
#include "core/formats/measurements/measured_cluster.h"
#include "core/cost/interconnect.h"
#include "core/editing/cluster_edit.h"
#include "core/editing/cluster_rebase.h"
#include "tests/core/formats/public_case.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

/// Three GPUs of which two have a link of their own, all on a PCIe switch.
Cluster threeGpus(const std::string& server = "s0") {
    Cluster cluster;
    for (int gpu = 0; gpu < 3; ++gpu)
        cluster.devices.push_back(
            {.id = server + "g" + std::to_string(gpu), .server = server, .memoryBytes = 1e9});
    cluster.switches = {{server + "pcie", server}};
    for (int gpu = 0; gpu < 3; ++gpu)
        cluster.links.push_back(
            {server + "g" + std::to_string(gpu), server + "pcie", 24e9, 0, "pcie", "PCIe Gen 4"});
    cluster.links.push_back({server + "g0", server + "g1", 50e9, 0, "nvlink", "data sheet"});
    return cluster;
}

/// Two servers of that kind on a switch.
Cluster measuredServers() {
    Cluster cluster = threeGpus();
    const Cluster other = threeGpus("s1");
    cluster.devices.insert(cluster.devices.end(), other.devices.begin(), other.devices.end());
    cluster.switches.push_back(other.switches.front());
    cluster.switches.push_back({"network", ""});
    cluster.links.insert(cluster.links.end(), other.links.begin(), other.links.end());
    for (const char* end : {"s0pcie", "s1pcie"})
        cluster.links.push_back({end, "network", 12.5e9, 1e-6, "ethernet", "100 Gbit/s"});
    return cluster;
}

bool says(const MeasuredCluster& measured, ImportNote::Kind kind, const std::string& part) {
    return std::any_of(measured.notes.begin(), measured.notes.end(), [&](const ImportNote& note) {
        return note.kind == kind && note.text.find(part) != std::string::npos;
    });
}

std::string complaint(const Cluster& cluster, const std::string& text, const MeasuredWhere& where = {}) {
    try {
        withMeasurements(cluster, text, "F", where);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(Measurements, ReplaceTheRatesOfLinksOneByOneAndKeepWhatTheyHad) {
    const MeasuredCluster measured = withMeasurements(threeGpus(), publicCase("13-nvbandwidth.txt"), "F");
    const Cluster& cluster = measured.cluster;
    // The pair with a link of its own measured that link; the others their ways over the switch.
    ASSERT_NE(linkOf(cluster, "s0g0", "s0g1"), nullptr);
    EXPECT_DOUBLE_EQ(bpsOf(cluster, "s0g0", "s0g1"), 26.34e9);
    EXPECT_EQ(linkOf(cluster, "s0g0", "s0g1")->derivedBps, 50e9);
    EXPECT_EQ(linkOf(cluster, "s0g0", "s0g1")->derivedSource, "data sheet");
    EXPECT_EQ(linkOf(cluster, "s0g0", "s0g1")->source, "measured, nvbandwidth: GPU 0 to GPU 1");
    // Of several pairs the best: GPU 2 with GPU 0, at 21.82, and with GPU 1, at 21.80.
    EXPECT_DOUBLE_EQ(bpsOf(cluster, "s0g2", "s0pcie"), 21.82e9);
    EXPECT_DOUBLE_EQ(bpsOf(cluster, "s0g1", "s0pcie"), 21.80e9);
    EXPECT_EQ(measured.links, 4);
    EXPECT_TRUE(says(measured, ImportNote::Kind::took, "4 links measured by nvbandwidth"));
    EXPECT_TRUE(says(measured, ImportNote::Kind::took, "s0g0 – s0g1 26.3 GB/s (50.0 GB/s)"));
    // The file keeps both.
    EXPECT_EQ(readCluster(writeCluster(cluster), "F"), cluster);
}

TEST(Measurements, TheNextMeasurementReplacesTheLastAndKeepsWhatWasDerived) {
    const Cluster once = withMeasurements(threeGpus(), publicCase("13-nvbandwidth.txt"), "F").cluster;
    Cluster faster = once;
    for (Link& link : faster.links) link.bandwidthBps *= 2;
    // A link that a measurement made slow is not thereby another way.
    const Cluster again = withMeasurements(faster, publicCase("13-nvbandwidth.txt"), "F").cluster;
    EXPECT_EQ(again, once);
}

TEST(Measurements, RowsOfGpusThatTheClusterLacksAreNamed) {
    Cluster two = threeGpus();
    removePart(two, {{2}, {}, {}});
    const MeasuredCluster measured = withMeasurements(two, publicCase("13-nvbandwidth.txt"), "F");
    EXPECT_EQ(measured.links, 1);
    EXPECT_TRUE(
        says(measured, ImportNote::Kind::ignored, "2 rows match no link: GPU 0 to GPU 2, GPU 1 to GPU 2"));
    Cluster one = two;
    removePart(one, {{1}, {}, {}});
    EXPECT_NE(complaint(one, publicCase("13-nvbandwidth.txt")).find("no row of nvbandwidth is of a link"),
              std::string::npos);
}

TEST(Measurements, EqualServersShareThemUnlessOneIsNamed) {
    const Cluster cluster = measuredServers();
    const MeasuredCluster both = withMeasurements(cluster, publicCase("13-nvbandwidth.txt"), "F");
    EXPECT_DOUBLE_EQ(bpsOf(both.cluster, "s1g0", "s1g1"), 26.34e9);
    EXPECT_TRUE(says(both, ImportNote::Kind::assumed, "all 2 servers alike"));
    const MeasuredCluster second =
        withMeasurements(cluster, publicCase("13-nvbandwidth.txt"), "F", {{}, "s1"});
    EXPECT_DOUBLE_EQ(bpsOf(second.cluster, "s1g0", "s1g1"), 26.34e9);
    EXPECT_DOUBLE_EQ(bpsOf(second.cluster, "s0g0", "s0g1"), 50e9);
    // RTX A6000 are not what these are.
    Cluster others = cluster;
    for (Device& device : others.devices)
        if (device.server == "s1") device.gpu = "H100-SXM5-80GB";
    const MeasuredCluster first = withMeasurements(others, publicCase("13-nvbandwidth.txt"), "F");
    EXPECT_DOUBLE_EQ(bpsOf(first.cluster, "s1g0", "s1g1"), 50e9);
    EXPECT_DOUBLE_EQ(bpsOf(first.cluster, "s0g0", "s0g1"), 26.34e9);
}

// As osu_bw, osu_bibw and osu_latency print them.
const std::string osuBw =
    "# OSU MPI-CUDA Bandwidth Test v7.5\n# Datatype: MPI_CHAR.\n# Size      Bandwidth (MB/s)\n"
    "1                       1.42\n1048576             11950.10\n4194304             11801.00\n";
const std::string osuBibw =
    "# OSU MPI Bi-Directional Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)        Validation\n"
    "1                       1.05              Pass\n4194304             22000.00              Pass\n";
const std::string osuLatency =
    "# OSU MPI Latency Test v7.5\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n"
    "1                       5.00\n4194304               400.00\n";

TEST(OsuTables, BetweenTwoServersTheirNetworkHasTheBestOfAllSizes) {
    const Cluster cluster = measuredServers();
    const MeasuredCluster bw = withMeasurements(cluster, osuBw + osuLatency, "F");
    EXPECT_DOUBLE_EQ(bpsOf(bw.cluster, "s0pcie", "network"), 11.9501e9);
    EXPECT_DOUBLE_EQ(bpsOf(bw.cluster, "s1pcie", "network"), 11.9501e9);
    EXPECT_DOUBLE_EQ(bpsOf(bw.cluster, "s0g0", "s0pcie"), 24e9)
        << "not the narrowest, nothing is known of it";
    // 5 µs, half of it for each of both links.
    EXPECT_DOUBLE_EQ(linkOf(bw.cluster, "s0pcie", "network")->latencyS, 2.5e-6);
    EXPECT_DOUBLE_EQ(Interconnect(bw.cluster).latencyS(0, 3), 5e-6);
    EXPECT_DOUBLE_EQ(bpsOf(withMeasurements(cluster, osuBibw, "F").cluster, "s0pcie", "network"), 11e9);
    // Latency alone leaves the rates.
    const Cluster late = withMeasurements(cluster, osuLatency, "F").cluster;
    EXPECT_FALSE(linkOf(late, "s0pcie", "network")->isMeasured());
    EXPECT_DOUBLE_EQ(linkOf(late, "s0pcie", "network")->latencyS, 2.5e-6);
    EXPECT_EQ(detectKind(osuBw), FileKind::measurements);
}

TEST(OsuTables, TheEndsAreNamedWhereTheyAreNotTheOnlyTwo) {
    const Cluster three = threeGpus();
    EXPECT_EQ(
        complaint(three, osuBw),
        "F: the text does not say between what it was measured; expected two GPUs or two servers, selected "
        "or named (--between A,B)");
    const MeasuredCluster pair = withMeasurements(three, osuBw, "F", {{"s0g0", "s0g2"}, ""});
    EXPECT_DOUBLE_EQ(bpsOf(pair.cluster, "s0g0", "s0pcie"), 11.9501e9);
    EXPECT_DOUBLE_EQ(bpsOf(pair.cluster, "s0g1", "s0pcie"), 24e9);
    EXPECT_EQ(complaint(three, osuBw, {{"s0g0", "s9"}, ""}),
              "F: no GPU or server 's9'; expected one of this cluster");
    EXPECT_EQ(complaint(three, osuBw, {{"s0g0", "s0"}, ""}),
              "F: both ends are 's0g0'; expected two different ones");
    EXPECT_EQ(complaint(three, osuBw + osuBw, {{"s0g0", "s0g1"}, ""}),
              "F: line 7: a second table of osu_bw; expected one of each test in a text");
}

// As nccl-tests prints them; the head is another in each version.
std::string ncclRun(const std::string& test, const std::string& ranks, const std::string& row) {
    return "# nccl-tests version 2.18.3 nccl-headers=22809 nccl-library=22809\n# Collective test starting: " +
           test +
           "_perf\n# nThread 1 nGpus 1 minBytes 8388608 maxBytes 17179869184 step: 2(factor) warmup iters: "
           "1\n#\n"
           "# Using devices\n" +
           ranks +
           "#\n#                                        out-of-place                       in-place\n"
           "#       size      count    type   redop    root     time   algbw   busbw  #wrong     time   "
           "algbw   busbw  "
           "#wrong\n#        (B)  (elements)                            (us)  (GB/s)  (GB/s)             "
           "(us)  (GB/s)\n" +
           row +
           "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 9.1\n#\n# Collective test concluded: " +
           test + "_perf\n";
}
std::string rank(int number, const std::string& host, int device) {
    return "#  Rank  " + std::to_string(number) + " Group  0 Pid 5484 on " + host + " device  " +
           std::to_string(device) + " [000f:01:00] NVIDIA GB10\n";
}

TEST(NcclTests, SendAndReceiveBetweenTwoRanksIsTheWayBetweenThem) {
    const std::string text = ncclRun("sendrecv", rank(0, "node-a", 0) + rank(1, "node-b", 2),
                                     "     8388608    2097152   float    none      -1   759.1   11.05   "
                                     "11.05       0   755.0   11.11   11.11     N/A\n"
                                     "    16777216    4194304   float    none      -1  1412.3   11.88   "
                                     "11.88       0  1413.0   11.87   11.87     N/A\n");
    const MeasuredCluster measured = withMeasurements(measuredServers(), text, "F");
    EXPECT_DOUBLE_EQ(bpsOf(measured.cluster, "s1pcie", "network"), 11.88e9);
    EXPECT_EQ(measured.links, 2);
    EXPECT_TRUE(says(measured, ImportNote::Kind::assumed, "node-a for s0, node-b for s1"));
    // Of an older version, in which nothing but the rows says that it is sendrecv; and hosts of that name.
    std::string old = text.substr(text.find("#  Rank"));
    old = old.substr(0, old.find("# Out of"));
    for (std::size_t at; (at = old.find("node-a")) != std::string::npos;) old.replace(at, 6, "s1");
    for (std::size_t at; (at = old.find("node-b")) != std::string::npos;) old.replace(at, 6, "s0");
    const MeasuredCluster same = withMeasurements(measuredServers(), old, "F");
    EXPECT_EQ(same.links, 2);
    EXPECT_FALSE(says(same, ImportNote::Kind::assumed, "taken for servers"));
    EXPECT_EQ(detectKind(text), FileKind::measurements);
}

/// Four GPUs at a switch.
Cluster switched() {
    Cluster cluster;
    cluster.switches = {{"s0nvs", "s0"}};
    for (int gpu = 0; gpu < 4; ++gpu) {
        cluster.devices.push_back({.id = "s0g" + std::to_string(gpu), .server = "s0", .memoryBytes = 1e9});
        cluster.links.push_back({cluster.devices.back().id, "s0nvs", 370.8e9, 0, "nvlink", "18 links"});
    }
    return cluster;
}

TEST(NcclTests, BusBandwidthIsOneNumberForTheLinksOfAGroup) {
    std::string ranks, mixed;
    for (int gpu = 0; gpu < 4; ++gpu) {
        ranks += rank(gpu, "node", gpu);
        mixed += rank(gpu, gpu < 2 ? "s0" : "s1", gpu % 2);
    }
    const std::string row =
        "  8589934592 2147483648   float     sum      -1    18006  240.05  360.08       0    17990  240.2  "
        "360.3      0\n";
    const MeasuredCluster group = withMeasurements(switched(), ncclRun("all_reduce", ranks, row), "F");
    for (const Link& link : group.cluster.links) EXPECT_DOUBLE_EQ(link.bandwidthBps, 360.3e9);
    EXPECT_EQ(group.cluster.links[0].source, "measured, nccl-tests: all_reduce of 4 GPUs");
    // A switch that reduces gives more than its links carry; and one number is not of the NICs of two
    // servers.
    const std::string more =
        "  8589934592 2147483648   float     sum      -1    18006  320.05  480.08       0    17990  320.2  "
        "480.3      0\n";
    const MeasuredCluster reduced = withMeasurements(switched(), ncclRun("all_reduce", ranks, more), "F");
    EXPECT_EQ(reduced.cluster, switched());
    EXPECT_TRUE(says(reduced, ImportNote::Kind::ignored, "480 GB/s: more than the links carry"));
    const MeasuredCluster across =
        withMeasurements(measuredServers(), ncclRun("all_reduce", mixed, row), "F");
    EXPECT_EQ(across.cluster, measuredServers());
    EXPECT_TRUE(says(across, ImportNote::Kind::ignored, "one number for several servers"));
}

TEST(NcclTests, FaultsAreNamedWithTheirLine) {
    const std::string ranks = rank(0, "a", 0) + rank(1, "a", 1);
    EXPECT_EQ(complaint(measuredServers(),
                        ncclRun("sendrecv", ranks, "8 2 float none -1 7.1 fast 1.0 0 7.1 1.0 1.0 0\n")),
              "F: line 12: found 'fast'; expected a bandwidth in GB/s");
    EXPECT_EQ(complaint(measuredServers(), ncclRun("sendrecv", ranks, "8 2 float none -1 7.1\n")),
              "F: line 12: the row has 6 entries; expected 13, as the heading has");
    EXPECT_EQ(
        complaint(measuredServers(), ncclRun("sendrecv", ranks, "")),
        "F: no table with rows in the text of nccl-tests; expected sizes with times and the column busbw");
}

TEST(Measurements, WhatAnImportAnswersWorksBeneathThem) {
    const Cluster before = threeGpus();
    Cluster after = before;
    after.links[3].bandwidthBps = 100e9;
    after.links[3].source = "two links";
    const Cluster measured = withMeasurements(before, publicCase("13-nvbandwidth.txt"), "F").cluster;
    const Link link = rebased(before, measured, after).links[3];
    EXPECT_DOUBLE_EQ(link.bandwidthBps, 26.34e9);
    EXPECT_EQ(link.derivedBps, 100e9);
    EXPECT_EQ(link.derivedSource, "two links");
}

}  // namespace
}  // namespace stagecraft
