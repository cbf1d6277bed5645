// Tables of other vendors' tools, of programs that measure links, and of older simulators.
#include "core/base/units.h"
#include "tests/core/formats/public_case.h"
#include "tests/core/formats/topology_complaint.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

std::string withChange(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    return at == std::string::npos ? "not in the text: " + what : text.replace(at, what.size(), by);
}

TEST(RocmSmi, AFullMeshOfWeight15IsOneLinkAPair) {
    ImportOptions options;
    options.gpu = "MI300X-192GB";
    const Cluster mesh = importCluster(publicCase("07-rocm-smi-showtopo.txt"), "F", options).cluster;
    ASSERT_EQ(mesh.deviceCount(), 8);
    EXPECT_EQ(mesh.devices[0].memoryBytes, 192 * gib);
    for (int a = 0; a < 8; ++a)
        for (int b = a + 1; b < 8; ++b)
            EXPECT_EQ(bpsOf(mesh, "s0g" + std::to_string(a), "s0g" + std::to_string(b)), 48e9) << a << b;
    EXPECT_NE(linkOf(mesh, "s0g0", "s0cpu0"), nullptr);
    EXPECT_NE(linkOf(mesh, "s0g7", "s0cpu1"), nullptr);
    EXPECT_NE(linkOf(mesh, "s0cpu0", "s0cpu1"), nullptr);

    const ImportedCluster guessed = importCluster(publicCase("07-rocm-smi-showtopo.txt"), "F");
    EXPECT_EQ(guessed.cluster.devices[0].gpu, "MI300X-192GB");
    EXPECT_TRUE(saysOf(guessed, "does not name the GPUs"));
    options.gpu = "H100-SXM5-80GB";
    EXPECT_NE(
        topologyComplaint(publicCase("07-rocm-smi-showtopo.txt"), options).find("expected a GPU of AMD"),
        std::string::npos);
}

// As AMD's documentation of rocm-smi shows them: two of four GPUs are two hops apart, one pair is on PCIe
// alone.
const std::string fourMi250 =
    "====================== ROCm System Management Interface ======================\n"
    "========================= Weight between two GPUs =========================\n"
    "       GPU0   GPU1   GPU2   GPU3\n"
    "GPU0   0      15     30     40\n"
    "GPU1   15     0      15     30\n"
    "GPU2   30     15     0      15\n"
    "GPU3   40     30     15     0\n"
    "========================= Hops between two GPUs =========================\n"
    "       GPU0   GPU1   GPU2   GPU3\n"
    "GPU0   0      1      1      2\n"
    "GPU1   1      0      1      1\n"
    "GPU2   1      1      0      1\n"
    "GPU3   2      1      1      0\n"
    "========================= Link Type between two GPUs =========================\n"
    "       GPU0   GPU1   GPU2   GPU3\n"
    "GPU0   0      XGMI   XGMI   PCIE\n"
    "GPU1   XGMI   0      XGMI   XGMI\n"
    "GPU2   XGMI   XGMI   0      XGMI\n"
    "GPU3   PCIE   XGMI   XGMI   0\n"
    "================================= Product Info =================================\n"
    "GPU[0]\t\t: Card Series: \t\tAMD Instinct MI250X\n"
    "GPU[1]\t\t: Card Series: \t\tAMD Instinct MI250X\n"
    "GPU[2]\t\t: Card Series: \t\tAMD Instinct MI250X\n"
    "GPU[3]\t\t: Card Series: \t\tAMD Instinct MI250X\n";

TEST(RocmSmi, PairsOverGpusInBetweenHaveNoLinkOfTheirOwn) {
    const ImportedCluster four = importCluster(fourMi250, "F");
    EXPECT_EQ(four.cluster.devices[2].gpu, "MI250X-GCD-64GB");
    EXPECT_EQ(bpsOf(four.cluster, "s0g0", "s0g1"), 36e9);
    EXPECT_EQ(linkOf(four.cluster, "s0g0", "s0g2"), nullptr);
    EXPECT_EQ(linkOf(four.cluster, "s0g0", "s0g3"), nullptr);
    EXPECT_TRUE(saysOf(four, "2 pairs go over GPUs in between"));
    EXPECT_EQ(topologyComplaint(withChange(fourMi250, "GPU1   XGMI   0      XGMI   XGMI", "GPU1   XGMI   0")),
              "F: line 17: the row of GPU1 has 2 cells; expected 4, one per GPU");
    EXPECT_NE(
        topologyComplaint(fourMi250.substr(0, fourMi250.find("= Link Type"))).find("Link Type between two"),
        std::string::npos);
}

TEST(Nvbandwidth, ThreeGpusHaveTheLesserOfBothDirections) {
    const ImportedCluster three = importCluster(publicCase("13-nvbandwidth.txt"), "F");
    ASSERT_EQ(three.cluster.deviceCount(), 3);
    EXPECT_EQ(three.cluster.devices[1].gpu, "RTX-A6000-48GB");
    EXPECT_DOUBLE_EQ(bpsOf(three.cluster, "s0g0", "s0g1"), 26.34e9);
    EXPECT_DOUBLE_EQ(bpsOf(three.cluster, "s0g0", "s0g2"), 21.82e9);
    EXPECT_DOUBLE_EQ(bpsOf(three.cluster, "s0g1", "s0g2"), 21.80e9);
    EXPECT_NE(linkOf(three.cluster, "s0g0", "s0g1")->source.find("measured, nvbandwidth"), std::string::npos);
}

// As nvbandwidth's README has them: the host's tables, and both directions at once in one of its own.
const std::string bothWays =
    "Device 0: NVIDIA H100 80GB HBM3 (00000000:61:00)\n"
    "Device 1: NVIDIA H100 80GB HBM3 (00000000:62:00)\n\n"
    "Running host_to_device_memcpy_ce.\n"
    "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n"
    "           0         1\n"
    " 0     55.63     55.64\n\n"
    "SUM host_to_device_memcpy_ce 111.27\n\n"
    "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)\n"
    "           0         1\n"
    " 0     53.10     53.20\n\n"
    "memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s)\n"
    "           0         1\n"
    " 0       N/A    740.00\n"
    " 1    740.00       N/A\n";

TEST(Nvbandwidth, TheHostsTablesAreTheWayToHostMemoryAndBothDirectionsAreHalved) {
    const Cluster pair = importCluster(bothWays, "F").cluster;
    ASSERT_EQ(pair.deviceCount(), 2);
    EXPECT_EQ(pair.devices[0].gpu, "H100-SXM5-80GB");
    EXPECT_DOUBLE_EQ(bpsOf(pair, "s0g0", "s0g1"), 370e9);
    EXPECT_DOUBLE_EQ(pair.devices[0].hostBandwidthBps, 53.1e9);
    EXPECT_EQ(topologyComplaint(withChange(bothWays, " 1    740.00       N/A", " 1    740.00")),
              "F: line 18: the row 1 has 1 entry; expected 2, as the heading has");
    EXPECT_EQ(topologyComplaint(withChange(bothWays, "740.00\n 1", "fast\n 1")),
              "F: line 17: found 'fast'; expected a number, or N/A");
}

// As p2pBandwidthLatencyTest of NVIDIA's cuda-samples prints it.
const std::string p2pTest =
    "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n"
    "Device: 0, Tesla V100-SXM2-32GB, pciBusID: 16, pciDeviceID: 0, pciDomainID:0\n"
    "Device: 1, Tesla V100-SXM2-32GB, pciBusID: 3a, pciDeviceID: 0, pciDomainID:0\n"
    "P2P Connectivity Matrix\n"
    "     D\\D     0     1\n"
    "     0       1     1\n"
    "     1       1     1\n"
    "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n"
    "   D\\D     0      1 \n"
    "     0 741.18   9.81 \n"
    "     1   9.83 744.01 \n"
    "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n"
    "   D\\D     0      1 \n"
    "     0 742.59  48.35 \n"
    "     1  48.34 744.72 \n"
    "Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n"
    "   D\\D     0      1 \n"
    "     0 748.64  96.47 \n"
    "     1  96.45 749.36 \n"
    "P2P=Enabled Latency (P2P Writes) Matrix (us)\n"
    "   GPU     0      1 \n"
    "     0   1.76   1.87 \n"
    "     1   1.88   1.75 \n\n"
    "   CPU     0      1 \n"
    "     0   3.54   2.42 \n"
    "     1   2.47   3.61 \n";

TEST(P2pBandwidth, PeersHaveWhatOneDirectionReachedAndTheLatency) {
    const Cluster pair = importCluster(p2pTest, "F").cluster;
    ASSERT_EQ(pair.deviceCount(), 2);
    EXPECT_EQ(pair.devices[0].gpu, "V100-SXM2-32GB");
    ASSERT_NE(linkOf(pair, "s0g0", "s0g1"), nullptr);
    EXPECT_DOUBLE_EQ(linkOf(pair, "s0g0", "s0g1")->bandwidthBps, 48.34e9);
    EXPECT_DOUBLE_EQ(linkOf(pair, "s0g0", "s0g1")->latencyS, 1.88e-6);
    // Without peers' access there is one table, and it counts.
    const std::string disabled = p2pTest.substr(0, p2pTest.find("Unidirectional P2P=Enabled"));
    EXPECT_DOUBLE_EQ(bpsOf(importCluster(disabled, "F").cluster, "s0g0", "s0g1"), 9.81e9);
}

TEST(AstraSim, VersionOneHasLinksOfEachDimension) {
    const Cluster old = importCluster(publicCase("12-astra-v1-network.json"), "F").cluster;
    ASSERT_EQ(old.deviceCount(), 64);
    int inner = 0, outer = 0;
    for (const Link& link : old.links) {
        inner += link.bandwidthBps == 150e9;
        outer += link.bandwidthBps == 6.25e9;
    }
    EXPECT_EQ(inner, 64);
    EXPECT_EQ(outer, 64);
    const Cluster ring =
        importCluster(R"({"topologies-per-dim": ["Ring"], "units-count": [4], "links-count": [2],
                          "link-latency": [500], "link-bandwidth": [25]})",
                      "F")
            .cluster;
    EXPECT_EQ(ring.links.size(), 4u);
    EXPECT_EQ(ring.links.front().bandwidthBps, 25e9);
    EXPECT_EQ(topologyComplaint(R"({"topologies-per-dim": ["Ring"], "units-count": [4, 2], "links-count": [2],
                                    "link-latency": [500], "link-bandwidth": [25]})"),
              "F: /units-count: 2 entries; expected 1, one per dimension as 'topologies-per-dim' has");
    EXPECT_NE(topologyComplaint(R"({"topologies-per-dim": ["Ring"], "units-count": [4]})")
                  .find("the field 'links-count' is missing"),
              std::string::npos);
}

}  // namespace
}  // namespace stagecraft
