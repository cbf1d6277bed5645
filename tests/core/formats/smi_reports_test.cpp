// What nvidia-smi and the reports around it say, as people paste it.
#include "core/base/units.h"
#include "core/formats/topology/gpu_models.h"
#include "tests/core/formats/public_case.h"
#include "tests/core/formats/topology_complaint.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

constexpr double gigabytes = 1e9;

/// The matrix of `gpus` GPUs, all pairs with the same label.
std::string matrixOf(int gpus, const std::string& label) {
    std::string text;
    for (int gpu = 0; gpu < gpus; ++gpu) text += "\tGPU" + std::to_string(gpu);
    text += "\tCPU Affinity\tNUMA Affinity\n";
    for (int row = 0; row < gpus; ++row) {
        text += "GPU" + std::to_string(row);
        for (int column = 0; column < gpus; ++column) text += "\t" + (row == column ? " X " : label);
        text += "\t0-31\t0\n";
    }
    return text;
}

std::string listOf(int gpus, const std::string& name) {
    std::string text;
    for (int gpu = 0; gpu < gpus; ++gpu)
        text += "GPU " + std::to_string(gpu) + ": " + name + " (UUID: GPU-" + std::to_string(gpu) + ")\n";
    return text;
}

std::string linksOf(int gpu, const std::string& name, int active, int inactive, const char* speed) {
    std::string text = "GPU " + std::to_string(gpu) + ": " + name + " (UUID: GPU-0)\n";
    for (int link = 0; link < active + inactive; ++link)
        text += "\t Link " + std::to_string(link) + ": " + (link < active ? speed : "<inactive>") + "\n";
    return text;
}

bool assumes(const ImportedCluster& imported, const std::string& part) {
    return std::any_of(imported.assumed.begin(), imported.assumed.end(), [&](const Assumption& assumption) {
        return assumption.text.find(part) != std::string::npos;
    });
}

TEST(SmiReports, AListAboveTheMatrixNamesTheGpus) {
    const ImportedCluster h20 = importCluster(publicCase("01-h20-nv18.txt"), "F");
    ASSERT_EQ(h20.cluster.deviceCount(), 8);
    EXPECT_EQ(h20.cluster.devices[7].gpu, "H20-96GB");
    EXPECT_EQ(h20.cluster.devices[7].memoryBytes, 96 * gib);
    for (int gpu = 0; gpu < 8; ++gpu)
        EXPECT_DOUBLE_EQ(bpsOf(h20.cluster, "s0g" + std::to_string(gpu), "s0nvswitch"), 370.8 * gigabytes);
    EXPECT_FALSE(saysOf(h20, "what GPUs these are"));
}

TEST(SmiReports, AGpuThatNobodyKnowsKeepsItsNameAndItsSwitch) {
    const ImportedCluster unknown = importCluster(listOf(8, "NVIDIA H30") + matrixOf(8, "NV18"), "F");
    EXPECT_EQ(unknown.cluster.devices[0].gpu, "NVIDIA H30");
    EXPECT_DOUBLE_EQ(bpsOf(unknown.cluster, "s0g0", "s0nvswitch"), 370.8 * gigabytes);
    EXPECT_TRUE(assumes(unknown, "The catalogue has no GPU 'NVIDIA H30'"));
    EXPECT_TRUE(assumes(unknown, "--memory"));
    EXPECT_FALSE(assumes(unknown, "what GPUs these are"));
    bool asksForMemory = false;
    for (const Parameter& question : importQuestions(listOf(8, "NVIDIA H30") + matrixOf(8, "NV18"), "F"))
        asksForMemory = asksForMemory || question.name == "memory";
    EXPECT_TRUE(asksForMemory);
    ImportOptions options;
    options.memoryBytes = 120 * gib;
    const ImportedCluster told = importCluster(listOf(8, "NVIDIA H30") + matrixOf(8, "NV18"), "F", options);
    EXPECT_EQ(told.cluster.devices[0].memoryBytes, 120 * gib);
    EXPECT_FALSE(assumes(told, "has no GPU"));

    // Four that may well be joined directly are.
    const Cluster four = importCluster(listOf(4, "NVIDIA H30") + matrixOf(4, "NV6"), "F").cluster;
    EXPECT_DOUBLE_EQ(bpsOf(four, "s0g0", "s0g3"), 6 * 20.6 * gigabytes);
}

TEST(SmiReports, MemoryIsReadFromANameThatSaysIt) {
    EXPECT_EQ(memoryInName("NVIDIA A800-SXM4-80GB"), 80 * gib);
    EXPECT_EQ(memoryInName("NVIDIA X9 144G HBM3e"), 144 * gib);
    EXPECT_EQ(memoryInName("NVIDIA H20"), 0);
    EXPECT_EQ(memoryInName("NVIDIA RTX 6000"), 0);
    EXPECT_EQ(memoryInName("GRID A100-40C"), 0);
    const ImportedCluster custom = importCluster(listOf(4, "NVIDIA A100-SXM-64GB") + matrixOf(4, "NV4"), "F");
    EXPECT_EQ(custom.cluster.devices[0].gpu, "NVIDIA A100-SXM-64GB");
    EXPECT_EQ(custom.cluster.devices[0].memoryBytes, 64 * gib);
    EXPECT_TRUE(assumes(custom, "its memory of 64 GiB is what its name says"));
}

TEST(SmiReports, NamesOfPublicReportsAreTheirOwnGpus) {
    const std::pair<const char*, const char*> printed[] = {
        {"NVIDIA H20", "H20-96GB"},
        {"NVIDIA H20-3e", "H20-141GB"},
        {"NVIDIA A800-SXM4-80GB", "A800-SXM4-80GB"},
        {"NVIDIA A800 80GB PCIe", "A800-PCIe-80GB"},
        {"NVIDIA GeForce RTX 5090", "RTX-5090-32GB"},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX-PRO-6000-96GB"},
        {"NVIDIA B300 SXM6 AC", "B300-SXM-288GB"},
        {"NVIDIA GB200", "GB200-186GB"},
        {"NVIDIA GB300", "GB300-279GB"},
        {"NVIDIA GH200 480GB", "GH200-96GB"},
        {"NVIDIA GH200 144G HBM3e", "GH200-141GB"},
        {"NVIDIA H100 NVL", "H100-NVL-94GB"},
        {"NVIDIA H200 NVL", "H200-NVL-141GB"},
        {"NVIDIA A30", "A30-24GB"},
        {"NVIDIA A40", "A40-48GB"},
        {"NVIDIA L40", "L40-48GB"},
        {"NVIDIA L40S", "L40S-48GB"},
        {"Tesla V100-SXM3-32GB", "V100-SXM3-32GB"},
        {"NVIDIA GeForce RTX 4090 D", "RTX-4090-D-24GB"}};
    for (const auto& [name, model] : printed) {
        ASSERT_NE(findGpuModel(name), nullptr) << name;
        EXPECT_EQ(findGpuModel(name)->name, model) << name;
    }
    for (const char* other : {"NVIDIA L400", "NVIDIA RTX", "NVIDIA MI300", "NVIDIA TITAN RTX", "NVIDIA H2"})
        EXPECT_EQ(findGpuModel(other), nullptr) << other;
    EXPECT_EQ(findGpuModel("a100")->name, "A100-SXM4-40GB");
}

TEST(SmiReports, OneLineMayNameAllGpus) {
    const ImportedCluster b200 = importCluster(publicCase("02-sglang-environment.txt"), "F");
    EXPECT_EQ(b200.cluster.devices[5].gpu, "B200-SXM-180GB");
    EXPECT_EQ(b200.cluster.devices[5].memoryBytes, 180 * gib);
    EXPECT_DOUBLE_EQ(bpsOf(b200.cluster, "s0g5", "s0nvswitch"), 721.8 * gigabytes);
    EXPECT_FALSE(saysOf(b200, "does not name the GPUs"));
    // The capability that the report prints tells how fast the links of an unknown GPU are.
    const Cluster unknown =
        importCluster("GPU 0,1,2,3: NVIDIA Z1\nGPU 0,1,2,3 Compute Capability: 10.0\n" + matrixOf(4, "NV18"),
                      "F")
            .cluster;
    EXPECT_DOUBLE_EQ(bpsOf(unknown, "s0g3", "s0nvswitch"), 721.8 * gigabytes);
    EXPECT_EQ(unknown.devices[3].gpu, "NVIDIA Z1");
}

TEST(SmiReports, AListAMatrixAndLinksOfOneMachineAreOneMachine) {
    const ImportedCluster pair = importCluster(publicCase("03-list-topo-nvlink.txt"), "F");
    ASSERT_EQ(pair.cluster.deviceCount(), 2);
    EXPECT_EQ(pair.cluster.devices[0].gpu, "H100-PCIe-80GB");
    EXPECT_DOUBLE_EQ(bpsOf(pair.cluster, "s0g0", "s0g1"), 247.2 * gigabytes);
    // In any order, and pasted twice.
    const std::string name = "NVIDIA A100-SXM4-80GB";
    std::string status;
    for (int gpu = 0; gpu < 4; ++gpu) status += linksOf(gpu, name, 12, 0, "25 GB/s");
    const Cluster once = importCluster(matrixOf(4, "NV4") + status, "F").cluster;
    EXPECT_EQ(importCluster(status + listOf(4, name) + matrixOf(4, "NV4") + status, "F").cluster, once);
    EXPECT_EQ(importCluster(listOf(4, name) + status + status, "F").cluster,
              importCluster(status, "F").cluster);
}

TEST(SmiReports, GluedTitlesAreTakenApartByTheNamesOfTheRows) {
    for (const char* file : {"04-glued-nic-columns.txt", "05-glued-affinity-title.txt"}) {
        SCOPED_TRACE(file);
        const Cluster cluster = importCluster(publicCase(file), "F").cluster;
        EXPECT_EQ(cluster.deviceCount(), 8);
        int nics = 0;
        for (const Switch& each : cluster.switches) nics += each.id.starts_with("s0net-mlx5_");
        EXPECT_EQ(nics, 13);
        EXPECT_TRUE(std::any_of(cluster.switches.begin(), cluster.switches.end(),
                                [](const Switch& each) { return each.id == "s0net-mlx5_12"; }));
    }
    const Cluster whole = importCluster(matrixOf(4, "NV4"), "F").cluster;
    for (const std::pair<std::string, std::string>& glued :
         {std::pair<std::string, std::string>{"\tGPU0\tGPU1\t", "\tGPU0GPU1\t"},
          {"GPU2\tGPU3\tCPU", "GPU2GPU3CPU"},
          {"GPU3\tCPU", "GPU3CPU"}}) {
        std::string text = matrixOf(4, "NV4");
        text.replace(text.find(glued.first), glued.first.size(), glued.second);
        EXPECT_EQ(importCluster(text, "F").cluster, whole) << glued.second;
    }
}

TEST(SmiReports, TitlesThatDoNotFitTheRowsAreNamedWithTheirLine) {
    std::string lost = matrixOf(4, "NV4");
    lost.replace(lost.find("\tGPU3\tCPU"), 9, "\tCPU");
    EXPECT_NE(
        topologyComplaint(lost).find("F: line 1: the titles name 3 devices, the last of them 'GPU2', and "
                                     "the row of GPU0 has 4 cells of links"),
        std::string::npos)
        << topologyComplaint(lost);
    std::string more = matrixOf(4, "NV4");
    more.replace(more.find("\tGPU3\tCPU"), 9, "\tGPU3\tmlx5_0\tCPU");
    EXPECT_TRUE(topologyComplaint(more).starts_with("F: line 1: the titles name 5 devices"))
        << topologyComplaint(more);
}

TEST(SmiReports, InactiveLinksLeaveACubeMeshACubeMesh) {
    const ImportedCluster mesh = importCluster(publicCase("06-v100-inactive-links.txt"), "F");
    EXPECT_TRUE(saysOf(mesh, "2 NVLinks of GPU 3"));
    std::string whole;
    for (int gpu = 0; gpu < 8; ++gpu) whole += linksOf(gpu, "Tesla V100-SXM2-32GB", 6, 0, "25.781 GB/s");
    EXPECT_EQ(mesh.cluster.links, importCluster(whole, "F").cluster.links);
    for (const Link& link : mesh.cluster.links)
        if (link.kind == "nvlink") {
            EXPECT_LE(link.bandwidthBps, 40 * gigabytes);
        }

    // Behind a switch each GPU has what is active of it.
    std::string switched;
    for (int gpu = 0; gpu < 8; ++gpu)
        switched +=
            linksOf(gpu, "NVIDIA H100 80GB HBM3", gpu == 5 ? 16 : 18, gpu == 5 ? 2 : 0, "26.562 GB/s");
    const Cluster hub = importCluster(switched, "F").cluster;
    EXPECT_DOUBLE_EQ(bpsOf(hub, "s0g0", "s0nvswitch"), 370.8 * gigabytes);
    EXPECT_DOUBLE_EQ(bpsOf(hub, "s0g5", "s0nvswitch"), 16 * 20.6 * gigabytes);
}

TEST(Hwloc, AnObjectCalledNvSwitchIsOneWhateverItsClass) {
    const Cluster cluster = importCluster(publicCase("08-hwloc-nvswitch-unknown-class.xml"), "F").cluster;
    ASSERT_EQ(cluster.deviceCount(), 4);
    for (int gpu = 0; gpu < 4; ++gpu)
        EXPECT_DOUBLE_EQ(bpsOf(cluster, "s0g" + std::to_string(gpu), "s0nvswitch"), 150 * gigabytes);
    // Its place in the matrix of NVLinks says it too, where neither its class nor its subtype does.
    std::string text = publicCase("08-hwloc-nvswitch-unknown-class.xml");
    for (std::size_t at = 0; (at = text.find(" subtype=\"NVSwitch\"")) != std::string::npos;)
        text.erase(at, 19);
    EXPECT_EQ(importCluster(text, "F").cluster, cluster);
}

TEST(NcclXml, TwoSystemsAreRefusedAndLinksToItselfAreNoLinks) {
    const std::string server =
        R"(<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">)"
        R"(<pci busid="0000:01:00.0" class="0x030200" link_speed="8 GT/s" link_width="16">)"
        R"(<gpu dev="0" sm="70" rank="0"><nvlink target="0000:01:00.0" count="2" tclass="0x030200"/></gpu></pci>)"
        R"(</cpu></system>)";
    const ImportedCluster one = importCluster(server, "F");
    EXPECT_TRUE(saysOf(one, "1 links of a GPU to itself"));
    EXPECT_FALSE(saysOf(one, "not in the file"));
    EXPECT_NE(topologyComplaint(server + "\n" + server)
                  .find("F: line 2: a second 'system' begins here; expected one server in a file"),
              std::string::npos)
        << topologyComplaint(server + "\n" + server);
}

}  // namespace
}  // namespace stagecraft
