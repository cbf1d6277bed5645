// What importers make of small topologies: variants of a text, options, presets, several servers.
#include "core/cost/interconnect.h"
#include "tests/support/every_room.h"
#include "core/formats/topology/cluster_export.h"
#include "core/formats/topology/gpu_models.h"
#include "core/formats/files/import.h"
#include "core/formats/topology/nccl_rules.h"
#include "tests/core/formats/public_case.h"
#include "tests/core/formats/topology_complaint.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace stagecraft {
namespace {

const std::string fourGpus =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tmlx5_0\tCPU Affinity\tNUMA Affinity\n"
    "GPU0\t X \tNV4\tNV4\tNV4\tPIX\t0-11\t0\n"
    "GPU1\tNV4\t X \tNV4\tNV4\tSYS\t0-11\t0\n"
    "GPU2\tNV4\tNV4\t X \tNV4\tSYS\t12-23\t1\n"
    "GPU3\tNV4\tNV4\tNV4\t X \tSYS\t12-23\t1\n"
    "mlx5_0\tPIX\tSYS\tSYS\tSYS\t X \t\t\n";

TEST(NvidiaSmi, TabsBlanksColoursPromptsAndLineEndsMakeNoDifference) {
    const Cluster plain = importCluster(fourGpus, "F").cluster;
    ASSERT_EQ(plain.deviceCount(), 4);
    std::string blanks, windows, coloured = "user@host:~$ nvidia-smi topo -m\n\x1b[4m";
    for (const char letter : fourGpus) {
        blanks += letter == '\t' ? std::string("     ") : std::string(1, letter);
        windows += letter == '\n' ? std::string("\r\n") : std::string(1, letter);
        coloured += letter == '\n' ? std::string("\x1b[0m\n") : std::string(1, letter);
    }
    coloured +=
        "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\nuser@host:~$ ";
    for (const std::string& text : {blanks, windows, coloured})
        EXPECT_EQ(importCluster(text, "F").cluster, plain);
}

TEST(NvidiaSmi, TheNicLegendNamesNumberedNics) {
    std::string numbered = fourGpus;
    for (std::size_t at; (at = numbered.find("mlx5_0")) != std::string::npos;)
        numbered.replace(at, 6, "NIC0");
    const Cluster cluster = importCluster(numbered + "\nNIC Legend:\n\n  NIC0: mlx5_0\n", "F").cluster;
    EXPECT_EQ(cluster, importCluster(fourGpus, "F").cluster);
}

TEST(NvidiaSmi, NvlinksAreASwitchOnlyWhereTheyAddUpToMoreThanAGpuHas) {
    ImportOptions options;
    options.gpu = "A100-SXM4-40GB";  // 3 × 4 = its 12
    EXPECT_EQ(linkOf(importCluster(fourGpus, "F", options).cluster, "s0g0", "s0g1")->source,
              "4 × NVLink at 20 GB/s, sm80, table of NCCL 2.30; 25 GB/s per link on the data sheet");
    options.gpu = "Tesla V100-SXM2-32GB";  // it has 6
    const Cluster switched = importCluster(fourGpus, "F", options).cluster;
    EXPECT_EQ(linkOf(switched, "s0g0", "s0g1"), nullptr);
    EXPECT_EQ(linkOf(switched, "s0g0", "s0nvswitch")->bandwidthBps, 80e9);
    EXPECT_EQ(switched.devices[0].gpu, "V100-SXM2-32GB");
    EXPECT_EQ(switched.devices[0].memoryBytes, 32.0 * (1 << 30));
}

TEST(NvidiaSmi, WhatTheTextDoesNotSayIsAssumedAskedForAndSettledByOptions) {
    const ImportedCluster assumed = importCluster(fourGpus, "F");
    std::vector<std::string> asked;
    for (const Parameter& question : importQuestions(fourGpus, "F")) asked.push_back(question.name);
    EXPECT_EQ(asked, (std::vector<std::string>{"gpu", "pcie_generation", "nic_rate", "cpu", "copies",
                                               "network_rate", "rates"}));
    EXPECT_EQ(importQuestions(fourGpus, "F")[0].defaultValue, ParameterValue(std::string("A100-SXM4-40GB")));
    for (const Assumption& assumption : assumed.assumed) EXPECT_TRUE(saysOf(assumed, assumption.text));

    ParameterValues answers = defaultValues(importQuestions(fourGpus, "F"));
    EXPECT_EQ(importCluster(fourGpus, "F", importOptions(answers)).cluster.links.size(),
              assumed.cluster.links.size());
    answers["pcie_generation"] = 5;
    answers["cpu"] = std::string("amd");
    answers["nic_rate"] = 25e9;
    const ImportedCluster settled = importCluster(fourGpus, "F", importOptions(answers));
    EXPECT_EQ(settled.assumed.size(), 1u) << "the speed alone";
    EXPECT_EQ(linkOf(settled.cluster, "s0cpu0", "s0cpu1")->bandwidthBps, 16e9);
    EXPECT_EQ(linkOf(settled.cluster, "s0g1", "s0cpu0")->bandwidthBps, 48e9);
    EXPECT_EQ(linkOf(settled.cluster, "s0net-mlx5_0", "s0pci0")->bandwidthBps, 25e9);
}

TEST(NvidiaSmi, FaultsAreNamedWithTheirLine) {
    const auto changed = [](const std::string& what, const std::string& to) {
        std::string text = fourGpus;
        return text.replace(text.find(what), what.size(), to);
    };
    EXPECT_EQ(topologyComplaint(changed("GPU1\tNV4", "GPU1\tNV2")),
              "F: line 2: between GPU0 and GPU1 the text has NV4 and NV2; expected the same both ways");
    EXPECT_EQ(topologyComplaint(changed("GPU1\tNV4", "GPU1\tFOO")),
              "F: line 3: nvidia-smi prints no 'FOO'; expected X, NV#, PIX, PXB, PHB, NODE, SYS or SOC");
    EXPECT_EQ(topologyComplaint(fourGpus.substr(0, fourGpus.find("GPU3\tNV4\t"))),
              "F: the row of GPU3 is missing; expected the whole matrix");
    EXPECT_EQ(topologyComplaint(fourGpus.substr(0, fourGpus.find("SYS\t12-23"))),
              "F: line 4: the row of GPU2 has 4 cells; expected 5, one per device");
}

TEST(NvidiaSmi, NamesOfNvlinkStatusBesideTheMatrixTellTheGpus) {
    std::string text = fourGpus;
    for (int gpu = 0; gpu < 4; ++gpu) {
        text += "GPU " + std::to_string(gpu) + ": NVIDIA A100-SXM4-80GB (UUID: GPU-0)\n";
        for (int link = 0; link < 12; ++link) text += "\t Link " + std::to_string(link) + ": 25 GB/s\n";
    }
    const ImportedCluster imported = importCluster(text, "F");
    EXPECT_EQ(imported.cluster.devices[3].gpu, "A100-SXM4-80GB");
    EXPECT_EQ(linkOf(imported.cluster, "s0g0", "s0g3")->bandwidthBps, 80e9);
    EXPECT_TRUE(
        saysOf(imported, "12 × 25 GB/s per GPU one way; bandwidths are those of NCCL, 20 GB/s per link"));
}

std::string ncclServer(const std::string& gpuClass, bool isTemplate) {
    std::string text =
        R"(<system version="1"><cpu arch="x86_64" vendor="AuthenticAMD" familyid="23" modelid="49">)";
    for (int gpu = 0; gpu < 8; ++gpu) {
        const std::string number = std::to_string(gpu);
        text += "<pci busid=\"0000:0" + number + ":00.0\" class=\"" + gpuClass +
                R"(" vendor="0x10de" device="0x1db5" link_speed="8.0 GT/s PCIe" link_width="16">)";
        if (!isTemplate) text += "<gpu dev=\"" + number + "\" sm=\"70\" rank=\"" + number + "\"/>";
        text += "</pci>";
    }
    return text + R"(<pci busid="0000:20:00.0" class="0x020000" link_speed="16 GT/s" link_width="16"><nic>)"
                  R"(<net name="mlx5_0" dev="0" speed="100000"/></nic></pci></cpu></system>)";
}

TEST(NcclXml, ATemplateSaysThatItsNvlinkIsMissingAndTakesAPreset) {
    const std::string text = ncclServer("0x030200", true);
    const ImportedCluster bare = importCluster(text, "F");
    EXPECT_TRUE(saysOf(bare, "This is a template"));
    const auto questions = importQuestions(text, "F");
    EXPECT_TRUE(std::any_of(questions.begin(), questions.end(),
                            [](const Parameter& question) { return question.name == "nvlink"; }));
    EXPECT_EQ(Interconnect(bare.cluster).bandwidthBps(0, 3), 12e9);

    ImportOptions mesh;
    mesh.nvlink = "cube-mesh";
    const ImportedCluster meshed = importCluster(text, "F", mesh);
    EXPECT_FALSE(saysOf(meshed, "This is a template"));
    EXPECT_EQ(Interconnect(meshed.cluster).bandwidthBps(0, 3), 40e9);
    EXPECT_EQ(Interconnect(meshed.cluster).bandwidthBps(0, 5), 12e9);
    EXPECT_NE(linkOf(meshed.cluster, "s0g0", "s0g3")->source.find("not in the text"), std::string::npos);
    EXPECT_EQ(meshed.cluster.devices[0].gpu, "V100-SXM2-32GB") << "as its PCI id says";
    mesh.nvlink = "direct-v100";
    EXPECT_NE(topologyComplaint(text, mesh).find("6 links do not reach 7 other GPUs"), std::string::npos);
}

TEST(NcclXml, GpusWithoutARankAreDroppedUnlessNoneHasOne) {
    std::string text = ncclServer("0x030200", false);
    EXPECT_EQ(importCluster(text, "F").cluster.deviceCount(), 8);
    text.replace(text.find(" rank=\"3\""), 9, "");
    EXPECT_EQ(importCluster(text, "F").cluster.deviceCount(), 7);
    for (std::size_t at; (at = text.find(" rank=")) != std::string::npos;) text.erase(at, 9);
    EXPECT_EQ(importCluster(text, "F").cluster.deviceCount(), 8);
}

/// What is still assumed, by the option that would settle it.
std::vector<std::string> openQuestions(const ImportedCluster& imported) {
    std::vector<std::string> options;
    for (const Assumption& assumption : imported.assumed) options.push_back(assumption.option);
    return options;
}

const std::string twoGpus =
    "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
    "GPU0\t X \tSYS\t0-11\t0\n"
    "GPU1\tSYS\t X \t12-23\t1\n";

TEST(ImportChoices, TheTypeOfGpuSettlesItselfAndLeavesOtherGuessesGuesses) {
    const ImportedCluster guessed = importCluster(twoGpus, "F");
    EXPECT_EQ(linkOf(guessed.cluster, "s0g0", "s0cpu0")->bandwidthBps, 24e9) << "Gen 4 is a guess";
    EXPECT_TRUE(guessed.chosen.empty());
    const ImportedCluster chosen =
        importCluster(twoGpus, "F", importOptions({{"gpu", std::string("H100-SXM5-80GB")}}));
    EXPECT_EQ(linkOf(chosen.cluster, "s0g0", "s0cpu0")->bandwidthBps, 48e9)
        << "the guess follows the type that was chosen";
    EXPECT_EQ(chosen.chosen, std::vector<std::string>{"GPU: H100-SXM5-80GB"});
    EXPECT_EQ(openQuestions(chosen), (std::vector<std::string>{"pcie_generation", "cpu", ""}));
    for (const Parameter& question : importQuestions({{"F", twoGpus}}, chosen))
        if (question.name == "pcie_generation") {
            EXPECT_EQ(question.defaultValue, ParameterValue(5));
        }
}

TEST(ImportChoices, AGpuThatNobodyKnowsIsRefusedWithTheNearestNames) {
    const auto refusal = [](const char* gpu) -> std::string {
        try {
            importOptions({{"gpu", std::string(gpu)}});
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(refusal("A100-SXM4-90GB"),
              "the catalogue has no GPU 'A100-SXM4-90GB'; the nearest are A100-SXM4-40GB, A100-SXM4-80GB, "
              "A100-PCIe-40GB; a custom GPU needs its memory as well");
    EXPECT_NE(refusal("nonsense"), "");
    EXPECT_EQ(refusal("Tesla V100-SXM2-32GB"), "");
    EXPECT_NO_THROW(importOptions({{"gpu", std::string("mine")}, {"memory", 24e9}}));
}

TEST(ImportChoices, AGpuWithoutNvlinkGetsNone) {
    ImportOptions options;
    options.gpu = "L40S";
    EXPECT_EQ(
        topologyComplaint(fourGpus, options),
        "F: the text has NVLink between g0 and g1, and an L40S-48GB has none; expected another type of GPU");
    options.nvlink = "nvswitch-h100";
    EXPECT_EQ(
        topologyComplaint(twoGpus, options),
        "F: an L40S-48GB has no NVLink, which 'nvswitch-h100' would add; expected GPUs with NVLink, or no "
        "preset");
    options.gpu = "A100-SXM4-40GB";
    EXPECT_NE(topologyComplaint(twoGpus, options), "") << "these are the links of another generation";
    options.gpu = "H200";
    EXPECT_EQ(linkOf(importCluster(twoGpus, "F", options).cluster, "s0g0", "s0nvswitch")->bandwidthBps,
              370.8e9);
    options = {};
    options.gpu = "V100-SXM2-16GB";
    std::string eighteen = fourGpus;
    for (std::size_t at; (at = eighteen.find("NV4")) != std::string::npos;) eighteen.replace(at, 3, "NV18");
    EXPECT_EQ(
        topologyComplaint(eighteen, options),
        "F: a pair of GPUs has NV18, and a V100-SXM2-16GB has 6 NVLinks in all; expected another type of "
        "GPU");
}

std::string ncclPair(const std::string& count, const std::string& devAndRank0,
                     const std::string& devAndRank1) {
    const auto gpu = [&](const char* bus, const std::string& attributes, const char* other) {
        return std::string("<pci busid=\"") + bus +
               R"(" class="0x030200" vendor="0x10de" device="0x1db5" link_speed="8.0 GT/s PCIe" link_width="16">)" +
               "\n<gpu sm=\"70\" " + attributes + ">\n<nvlink target=\"" + other + "\" count=\"" + count +
               "\" tclass=\"0x030200\"/></gpu></pci>\n";
    };
    return "<system version=\"1\">\n<cpu arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"23\" "
           "modelid=\"49\">\n" +
           gpu("0000:01:00.0", devAndRank0, "0000:02:00.0") +
           gpu("0000:02:00.0", devAndRank1, "0000:01:00.0") + "</cpu></system>\n";
}

TEST(NcclXml, ImpossibleNumbersOfLinksAreRefusedWithTheirLine) {
    const auto refusal = [](const char* count) {
        return topologyComplaint(ncclPair(count, "dev=\"0\" rank=\"0\"", "dev=\"1\" rank=\"1\""));
    };
    EXPECT_EQ(refusal("2"), "");
    EXPECT_EQ(refusal("0"), "");
    EXPECT_EQ(refusal("-2"), "F: line 5: 'nvlink' has count '-2'; expected a number of links from 0 to 64");
    EXPECT_EQ(refusal("1000000000"),
              "F: line 5: 'nvlink' has count '1000000000'; expected a number of links from 0 to 64");
    EXPECT_NE(refusal("two"), "");
    EXPECT_NE(refusal(""), "");
}

TEST(NcclXml, GpusAreInTheOrderOfDevAndKeepTheirRank) {
    const ImportedCluster swapped =
        importCluster(ncclPair("2", "dev=\"1\" rank=\"0\"", "dev=\"0\" rank=\"7\""), "F");
    const Link* first = linkOf(swapped.cluster, "s0g0", "s0cpu0");
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->source, "PCIe 8 GT/s × 16, table of NCCL 2.30, '0000:02:00.0', rank 7");
    EXPECT_TRUE(
        saysOf(swapped,
               "GPUs are in the order of 'dev', as nvidia-smi numbers them, and not of their ranks: g0 has "
               "rank 7, g1 has rank 0"));
    EXPECT_TRUE(saysOf(importCluster(ncclPair("2", "dev=\"0\" rank=\"0\"", "dev=\"1\" rank=\"1\""), "F"),
                       "their ranks are the same numbers"));
    const ImportedCluster ranked = importCluster(ncclPair("2", "rank=\"1\"", "rank=\"0\""), "F");
    EXPECT_NE(linkOf(ranked.cluster, "s0g0", "s0cpu0")->source.find("'0000:02:00.0'"), std::string::npos)
        << "without 'dev' the rank is the order";
}

/// One GPU and one card whose OS device has that name and type.
std::string hwlocWith(const char* version, const char* nic, int nicType, int gpuType) {
    return std::string("<topology version=\"") + version +
           R"("><object type="Machine" gp_index="1"><object type="Package" gp_index="2">)"
           R"(<object type="Bridge" bridge_type="0-1" gp_index="3">)"
           R"(<object type="PCIDev" gp_index="4" pci_type="0302 [10de:1db5] [10de:1249] a1" pci_link_speed="15.753846">)"
           R"(<object type="OSDev" gp_index="5" name="nvml0" osdev_type=")" +
           std::to_string(gpuType) + R"("/></object>)" +
           R"(<object type="PCIDev" gp_index="6" pci_type="0207 [15b3:1017] [15b3:0007] 00" pci_link_speed="15.753846">)"
           R"(<object type="OSDev" gp_index="7" name=")" +
           nic + R"(" osdev_type=")" + std::to_string(nicType) +
           R"("/></object></object></object></object></topology>)";
}

TEST(HwlocXml, NetworkCardsAreToldByTheTypeOfTheirDeviceWhateverTheirName) {
    const auto hasPort = [](const Cluster& cluster, const std::string& id) {
        return std::any_of(cluster.switches.begin(), cluster.switches.end(),
                           [&](const Switch& node) { return node.id == id; });
    };
    for (const char* name : {"mlx5_0", "rdmap197s0", "rocep1s0", "ibp12s0", "hfi1_0"}) {
        const std::string id = std::string("s0net-") + name;
        EXPECT_TRUE(hasPort(importCluster(hwlocWith("2.0", name, 3, 1), "F").cluster, id)) << name;
        EXPECT_TRUE(hasPort(importCluster(hwlocWith("3.0", name, 32, 12), "F").cluster, id)) << name;
    }
    const ImportedCluster plain = importCluster(hwlocWith("2.0", "mlx5_0", 2, 1), "F");
    EXPECT_FALSE(hasPort(plain.cluster, "s0net-mlx5_0")) << "a name proves nothing";
    EXPECT_TRUE(saysOf(plain, "1 network card without an OpenFabrics (RDMA) device"));
}

TEST(NcclXml, SeveralFilesAreServersJoinedByANetworkOfTheGivenRate) {
    const std::string text = ncclServer("0x030200", false);
    const ImportedCluster imported = importClusters({{"a.xml", text}, {"b.xml", text}});
    const Interconnect asFastAsTheNic(imported.cluster);
    EXPECT_EQ(imported.cluster.servers(), (std::vector<std::string>{"s0", "s1"}));
    EXPECT_EQ(asFastAsTheNic.bandwidthBps(0, 8), 12e9) << "PCIe of the GPU is narrower than the port";
    EXPECT_EQ(imported.cluster.source, "NCCL topology XML: a.xml, b.xml");
    ImportOptions slow;
    slow.networkBps = 1.25e9;
    slow.networkLatencyS = 5e-6;
    const Interconnect slower(importClusters({{"a.xml", text}, {"b.xml", text}}, slow).cluster);
    EXPECT_EQ(slower.bandwidthBps(0, 8), 1.25e9);
    EXPECT_NEAR(slower.latencyS(0, 8), 1e-5, 1e-12);
    EXPECT_EQ(slower.bandwidthBps(0, 7), 12e9);
    slow.copies = 3;
    EXPECT_EQ(importClusters({{"a.xml", text}}, slow).cluster.deviceCount(), 24);
    EXPECT_THROW(importClusters({{"a.xml", text}, {"b.csv", "GB/s,a,b\na,,1\nb,1,\n"}}), InputError);
}

TEST(NcclXml, PairsThatGoAroundThroughTheNetworkAreCounted) {
    std::string text = "<system version=\"1\">";
    for (const std::string number : {"1", "2"}) {
        const std::string pcie = R"( link_speed="16 GT/s" link_width="16")";
        text += R"(<cpu arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85"><pci busid=")" +
                number + R"(:00.0" class="0x06")" + pcie + "><pci busid=\"" + number +
                R"(:01.0" class="0x03" vendor="0x10de" device="0x20b0")" + pcie + "><gpu dev=\"" + number +
                R"(" sm="80" rank="0"/></pci><pci class="0x02")" + pcie +
                R"(><nic><net dev="0" speed="200000"/></nic></pci></pci></cpu>)";
    }
    text += "</system>";
    EXPECT_EQ(Interconnect(importCluster(text, "F").cluster).bandwidthBps(0, 1), 10e9);
    const std::vector<TopologyText> two = {{"a", text}, {"b", text}};
    EXPECT_TRUE(saysOf(importClusters(two),
                       "2 pairs of GPUs in one server are joined better through two of its NICs"));
    EXPECT_EQ(Interconnect(importClusters(two).cluster).bandwidthBps(0, 1), 24e9);
    ImportOptions slow;
    slow.networkBps = 10e9;
    EXPECT_FALSE(saysOf(importClusters(two, slow), "through two of its NICs"));
}

TEST(MatrixCsv, EachPairHasItsEntryInTheUnitThatIsSaid) {
    EXPECT_EQ(Interconnect(importCluster("Gbit/s,a,b\na,0,100\nb,100,0\n", "F").cluster).bandwidthBps(0, 1),
              12.5e9);
    EXPECT_EQ(Interconnect(importCluster("0;3\n2;0\n", "F").cluster).bandwidthBps(0, 1), 2e9);
    ImportOptions options;
    options.unit = "MB/s";
    options.gpusPerServer = 1;
    const Cluster cluster = importCluster("0\t3\n3\t0\n", "F", options).cluster;
    EXPECT_EQ(Interconnect(cluster).bandwidthBps(0, 1), 3e6);
    EXPECT_EQ(cluster.servers().size(), 2u);
    EXPECT_TRUE(topologyComplaint("GB/s,a,b\na,0,x\nb,1,0\n").starts_with("F: line 2: found 'x'"));
    EXPECT_TRUE(topologyComplaint("GB/s,a,b\na,0,1\nb,\"1,0\n").starts_with("F: line 3: a quote is open"));
    EXPECT_EQ(topologyComplaint("GB/s,a,b\na,0,1\nb,1\n"),
              "F: line 3: the row has 1 entry; expected 2, as there are rows");
}

TEST(MatrixCsv, AnExportedMatrixIsReadAgainWithItsNamesAndServers) {
    EXPECT_TRUE(rc::check("same bandwidths, ids and servers", [] {
        Cluster cluster;
        const int count = *rc::gen::inRange(2, 7);
        for (int device = 0; device < count; ++device) {
            const std::string server = "s" + std::to_string(device / 2);
            cluster.devices.push_back({.id = server + "g" + std::to_string(device % 2), .server = server});
        }
        for (int a = 0; a < count; ++a)
            for (int b = a + 1; b < count; ++b)
                cluster.links.push_back({cluster.devices[static_cast<std::size_t>(a)].id,
                                         cluster.devices[static_cast<std::size_t>(b)].id,
                                         *rc::gen::inRange(1, 1000000) * 1e5, 0, "", ""});
        const Interconnect before(cluster);
        const auto bandwidth = [&](int a, int b) { return before.bandwidthBps(a, b); };
        const Cluster again = importCluster(writeBandwidthCsv(cluster, bandwidth), "F").cluster;
        const Interconnect after(again);
        RC_ASSERT(again.deviceCount() == count);
        for (int a = 0; a < count; ++a) {
            const auto index = static_cast<std::size_t>(a);
            RC_ASSERT(again.devices[index].id == cluster.devices[index].id);
            RC_ASSERT(again.devices[index].server == cluster.devices[index].server);
            for (int b = 0; b < count; ++b)
                if (a != b)
                    RC_ASSERT(std::abs(after.bandwidthBps(a, b) / before.bandwidthBps(a, b) - 1) < 1e-12);
        }
    }));
}

TEST(ClusterDot, NamesAreQuotedAndServersAreBoxes) {
    Cluster cluster;
    cluster.name = "a \"name\"";
    cluster.devices = {{.id = "g\\0", .server = "s"}};
    cluster.switches = {{"w", ""}};
    cluster.links = {{"g\\0", "w", 12.5e9, 0, "pcie", "by hand"}};
    cluster.layout["w"] = {1, 2};
    const std::string dot = writeClusterDot(cluster);
    EXPECT_EQ(dot,
              "graph \"a \\\"name\\\"\" {\n"
              "\"w\" [shape=ellipse, pos=\"1,-2\"];\n"
              "subgraph cluster_0 {\nlabel=\"s\";\n\"g\\\\0\" [shape=box, tooltip=\"0 B\"];\n}\n"
              "\"g\\\\0\" -- \"w\" [label=\"12.5 GB/s\", tooltip=\"pcie: by hand\"];\n}\n");
}

TEST(GpuModels, NamesOfToolsAndOfClustersFindTheSameModel) {
    for (const GpuModel& model : gpuModels()) {
        EXPECT_EQ(findGpuModel(model.name), &model) << model.name;
        for (const int id : model.deviceIds)
            EXPECT_EQ(findGpuModelById(model.isNvidia() ? nvidiaVendor : amdVendor, id), &model)
                << model.name;
    }
    EXPECT_EQ(findGpuModel("NVIDIA H200")->name, "H200-SXM-141GB");
    EXPECT_EQ(findGpuModel("NVIDIA A100-SXM4-80GB")->name, "A100-SXM4-80GB");
    EXPECT_EQ(findGpuModel("NVIDIA GeForce RTX 4090")->name, "RTX-4090-24GB");
    EXPECT_EQ(findGpuModel("NVIDIA H100 80GB HBM3")->name, "H100-SXM5-80GB");
    EXPECT_EQ(findGpuModel("A10")->name, "A10-24GB") << "and no A100";
    EXPECT_EQ(findGpuModel("Voodoo 2"), nullptr);
}

}  // namespace
}  // namespace stagecraft
