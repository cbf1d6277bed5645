// What a fabric, a scheduler of containers and another vendor's tool say of machines.
#include "core/base/units.h"
#include "core/cost/interconnect.h"
#include "tests/core/formats/public_case.h"
#include "tests/core/formats/topology_complaint.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

std::string seed(const std::string& name) {
    return readTextFile(STAGECRAFT_SOURCE_DIR "/tests/fuzz/seeds/" + name);
}

TEST(IbNetDiscover, ServersSwitchesAndBundlesAreTheFabrics) {
    const std::string text = seed("ibNetDiscover/two-leaves.txt");
    const ImportedCluster imported = importCluster(text, "F");
    const Cluster& cluster = imported.cluster;
    // A GPU for each card; the node that aggregates is no server.
    ASSERT_EQ(cluster.deviceCount(), 4);
    EXPECT_EQ(cluster.servers(), (std::vector<std::string>{"node001", "node002"}));
    EXPECT_NE(linkOf(cluster, "node001nic0", "node001cpu"), nullptr) << "cards are counted from 0";
    EXPECT_NE(linkOf(cluster, "node001nic1", "node001cpu"), nullptr);
    EXPECT_DOUBLE_EQ(bpsOf(cluster, "leaf-01", "leaf-02"), 100e9) << "two of 400 Gbit/s";
    EXPECT_NE(linkOf(cluster, "leaf-01", "leaf-02")->source.find("2 links, 4xNDR"), std::string::npos);
    double hdr = 0, unknown = 0;
    for (const Link& link : cluster.links)
        if (link.a == "leaf-02" || link.b == "leaf-02") (link.bandwidthBps == 25e9 ? hdr : unknown) += 1;
    EXPECT_EQ(hdr, 1) << "4xHDR";
    EXPECT_TRUE(saysOf(imported, "1 link has no width and speed"));
    EXPECT_TRUE(saysOf(imported, "1 node of another kind"));
    EXPECT_GT(Interconnect(cluster).bandwidthBps(0, 3), 0);
    ImportOptions options;
    options.gpusPerServer = 8;
    options.gpu = "H100-SXM5-80GB";
    EXPECT_EQ(importCluster(text, "F", options).cluster.deviceCount(), 16);
    EXPECT_EQ(importCluster(text, "F", options).cluster.devices[9].id, "node002g1");
}

TEST(IbNetDiscover, CardsThatNoHostNamedGoByTheirGuids) {
    // As the man page of ibnetdiscover has them.
    const ImportedCluster imported = importCluster(
        "Non-Chassis Nodes\n\nvendid=0x8f1\nswitchguid=0x5442ba00003080(5442ba00003080)\n"
        "Switch  24 \"S-005442ba00003080\"         # \"ISR9024 Voltaire\" base port 0 lid 6 lmc 0\n"
        "[22]    \"H-0008f10403961354\"[1](8f10403961355)         # \"MT23108 InfiniHost Mellanox "
        "Technologies\" lid 4 "
        "4xSDR\n"
        "[8]     \"H-0008f10403960558\"[2](8f1040396055a)         # \"MT23108 InfiniHost Mellanox "
        "Technologies\" lid 14 "
        "4xSDR\n"
        "[12]    \"H-0008f10403960558\"[1](8f10403960559)         # \"MT23108 InfiniHost Mellanox "
        "Technologies\" lid 10 "
        "1xSDR\n",
        "F");
    EXPECT_EQ(imported.cluster.deviceCount(), 2);
    EXPECT_NE(imported.cluster.deviceIndex("H-0008f10403960558g0"), -1);
    double widest = 0;
    for (const Link& link : imported.cluster.links)
        if (link.kind == "infiniband") widest = std::max(widest, link.bandwidthBps);
    EXPECT_DOUBLE_EQ(widest, 1.25e9) << "1 and 0.25 GB/s to the same card";
    EXPECT_EQ(
        topologyComplaint("switchguid=0x1(1)\nSwitch 8 \"S-1\" # \"a\"\n[1] nobody\n"),
        "F: line 3: found '[1] nobody'; expected a port below its node, such as [1] \"S-0002c902\"[6] # …");
    EXPECT_EQ(topologyComplaint("switchguid=0x1(1)\nSwitch 8 \"S-1\" # \"a\"\n"),
              "F: no network card in the text; expected cards, such as \"H-0002c902\"");
}

TEST(Kubernetes, LabelsOfNodesAreServersInEveryFormThatKubectlPrints) {
    const ImportedCluster yaml = importCluster(seed("kubernetesNodes/nodes.yaml"), "F");
    ASSERT_EQ(yaml.cluster.deviceCount(), 10);
    EXPECT_EQ(yaml.cluster.servers(), (std::vector<std::string>{"gpu-node-1", "gpu-node-2"}));
    EXPECT_EQ(yaml.cluster.devices[9].id, "gpu-node-2g1") << "which is drawn as GPU 1";
    EXPECT_NE(linkOf(yaml.cluster, "gpu-node-1g7", "gpu-node-1nvswitch"), nullptr);
    EXPECT_EQ(yaml.cluster.devices[0].gpu, "H100-SXM5-80GB");
    EXPECT_EQ(yaml.cluster.devices[8].memoryBytes, 24576 * mib);
    EXPECT_GT(Interconnect(yaml.cluster).bandwidthBps(0, 1), 300e9) << "SXM modules are on an NVSwitch";
    EXPECT_TRUE(saysOf(yaml, "SXM modules were put on an NVSwitch"));
    EXPECT_TRUE(saysOf(yaml, "1 node without GPUs"));
    const ImportedCluster described = importCluster(seed("kubernetesNodes/describe.txt"), "F");
    ASSERT_EQ(described.cluster.deviceCount(), 4);
    EXPECT_EQ(described.cluster.devices[0].gpu, "A100-SXM4-40GB");
    const ImportedCluster listed = importCluster(seed("kubernetesNodes/nodes.json"), "F");
    ASSERT_EQ(listed.cluster.deviceCount(), 2);
    EXPECT_EQ(listed.cluster.devices[0].server, "n1");
    EXPECT_EQ(listed.cluster.devices[0].gpu, "L40S-48GB");
    const std::string divided =
        "kubernetes.io/hostname=a\nnvidia.com/gpu.count=7\nnvidia.com/"
        "gpu.product=NVIDIA-A100-SXM4-40GB-MIG-1g.5gb\n"
        "kubernetes.io/hostname=b\nnvidia.com/gpu.count=2\nnvidia.com/"
        "gpu.product=NVIDIA-A100-SXM4-40GB-SHARED\n";
    const ImportedCluster whole = importCluster(divided, "F");
    EXPECT_EQ(whole.cluster.deviceCount(), 2);
    EXPECT_EQ(whole.cluster.devices[0].gpu, "A100-SXM4-40GB");
    EXPECT_TRUE(saysOf(whole, "1 node whose GPUs are divided (MIG)"));
    EXPECT_EQ(topologyComplaint("kubernetes.io/hostname=a\nnvidia.com/gpu.count=many\n"),
              "F: line 2: nvidia.com/gpu.count is 'many'; expected a number up to 4,096");
    EXPECT_EQ(topologyComplaint("nvidia.com/gpu.count=0\n"),
              "F: no node has whole GPUs; expected nodes with the label nvidia.com/gpu.count");
}

TEST(NpuSmi, ATableOfAscendIsAMeshOrAPair) {
    const ImportedCluster mesh = importCluster(seed("npuSmi/hccs.txt"), "F");
    ASSERT_EQ(mesh.cluster.deviceCount(), 4);
    EXPECT_NE(linkOf(mesh.cluster, "s0g0", "s0g3"), nullptr);
    EXPECT_NE(linkOf(mesh.cluster, "s0g1", "s0cpu0"), nullptr);
    EXPECT_NE(linkOf(mesh.cluster, "s0g2", "s0cpu1"), nullptr);
    EXPECT_TRUE(saysOf(mesh, "28 GB/s one way were taken for each of 6 links"));
    EXPECT_EQ(importCluster(seed("npuSmi/sio.txt"), "F").cluster.deviceCount(), 2);
    // What follows a whole table is none of it.
    EXPECT_EQ(importCluster(seed("npuSmi/sio.txt") + seed("npuSmi/hccs.txt"), "F").cluster.deviceCount(), 2);
    EXPECT_EQ(topologyComplaint("NPU0 NPU1\nNPU0 X HCCS\n"),
              "F: the table of NPUs has 1 row; expected 2, as many as its heading has columns");
    EXPECT_EQ(topologyComplaint("NPU0 NPU1\nNPU0 X NVL\nNPU1 NVL X\n"),
              "F: line 2: found 'NVL'; expected X, SYS, PHB, PIX, PXB, HCCS, HCCS_SW, SIO, UB or NA");
    EXPECT_NE(topologyComplaint("NPU0 NPU1\nNPU0 X HCCS\nNPU1 SYS X\n").find("expected a symmetric table"),
              std::string::npos);
}

TEST(MthreadsGmi, MtLinksJoinPairsAndBridgesArePcieSwitches) {
    const ImportedCluster four = importCluster(seed("mthreadsGmi/topo.txt"), "F");
    ASSERT_EQ(four.cluster.deviceCount(), 4);
    EXPECT_EQ(four.cluster.devices[3].gpu, "MTT S5000");
    EXPECT_EQ(four.cluster.source, "mthreads-gmi text: F");
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < a; ++b) {
            const Link* link = linkOf(four.cluster, "s0g" + std::to_string(b), "s0g" + std::to_string(a));
            ASSERT_NE(link, nullptr);
            EXPECT_DOUBLE_EQ(link->bandwidthBps, 56e9) << "two links of 28 GB/s";
            EXPECT_EQ(link->kind, "mtlink");
        }
    EXPECT_TRUE(saysOf(four, "28 GB/s one way were taken for each"));
    EXPECT_TRUE(saysOf(four, "--memory"));
    EXPECT_FALSE(saysOf(four, "NVLink"));
    // SPB and MPB are a bridge and bridges above it: GPU 0's card is nearer than GPU 1's.
    EXPECT_NE(linkOf(four.cluster, "s0g0", "s0pci0"), nullptr);
    EXPECT_NE(linkOf(four.cluster, "s0net-mlx5_0", "s0pci0"), nullptr);
    EXPECT_EQ(linkOf(four.cluster, "s0g1", "s0pci0"), nullptr);
}

TEST(MthreadsGmi, ATableWithoutLinksIsKnownByItsToolAndAWrongLabelIsNamed) {
    const std::string table = "GPU0 GPU1 CPU Affinity\nGPU0 X NODE 0-31\nGPU1 NODE X 0-31\n";
    EXPECT_EQ(importCluster("$ mthreads-gmi topo -m\n" + table, "F").cluster.source, "mthreads-gmi text: F");
    EXPECT_EQ(importCluster(table, "F").cluster.source, "nvidia-smi text: F");
    EXPECT_EQ(topologyComplaint("mthreads-gmi\nGPU0 GPU1\nGPU0 X NV4\nGPU1 NV4 X\n"),
              "F: line 3: mthreads-gmi prints no 'NV4'; expected X, MT#, SPB, MPB, PHB, NODE or SYS");
    EXPECT_EQ(topologyComplaint("GPU0 GPU1\nGPU0 X MT2\nGPU1 MT4 X\n"),
              "F: line 2: between GPU0 and GPU1 the text has MT2 and MT4; expected the same both ways");
}

TEST(HlSmi, ModulesOfGaudiAreOnTheirSocketsAndJoinedEachToEach) {
    const ImportedCluster eight = importCluster(seed("hlSmi/topo.txt"), "F");
    ASSERT_EQ(eight.cluster.deviceCount(), 8);
    EXPECT_EQ(eight.cluster.devices[0].gpu, "Gaudi-3-128GB");
    EXPECT_DOUBLE_EQ(bpsOf(eight.cluster, "s0g0", "s0g7"), 75e9);
    EXPECT_NE(linkOf(eight.cluster, "s0g3", "s0cpu0"), nullptr);
    EXPECT_NE(linkOf(eight.cluster, "s0g4", "s0cpu1"), nullptr);
    EXPECT_TRUE(saysOf(eight, "three ports of 200 Gbit/s"));
    ImportOptions options;
    options.gpu = "Gaudi-2-96GB";
    options.memoryBytes = 96 * gib;
    EXPECT_DOUBLE_EQ(bpsOf(importCluster(seed("hlSmi/topo.txt"), "F", options).cluster, "s0g0", "s0g7"),
                     37.5e9);
    EXPECT_EQ(topologyComplaint("modID CPU Affinity NUMA Affinity\n1 0-39 0\n"),
              "F: line 2: found the module '1'; expected 0, the next one");
}

}  // namespace
}  // namespace stagecraft
