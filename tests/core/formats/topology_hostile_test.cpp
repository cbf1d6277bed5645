// Untrusted texts: whatever is done to a topology, it is read or refused, within limits.
#include "core/formats/files/project_file.h"
#include "core/formats/files/import.h"
#include "tests/support/every_room.h"
#include "tests/core/formats/topology_complaint.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

bool isRefused(const std::string& text, const std::string& with) {
    const std::string found = topologyComplaint(text);
    if (found.find(with) == std::string::npos)
        ADD_FAILURE() << "'" << found << "' does not say '" << with << "'";
    return !found.empty();
}

std::string repeated(const std::string& part, std::size_t times) {
    std::string text;
    text.reserve(part.size() * times);
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}

/// Small texts of every kind.
std::vector<std::string> seeds() {
    return {
        R"(<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
<pci busid="0000:05:00.0" class="0x060400" vendor="0x1000" device="0xc030" subsystem_vendor="0x1000" subsystem_device="0x0072" link_speed="8.0 GT/s PCIe" link_width="16">
<pci busid="0000:07:00.0" class="0x030200" vendor="0x10de" device="0x1db1" link_speed="8.0 GT/s PCIe" link_width="16">
<gpu dev="0" sm="70" rank="0" gdr="1"><nvlink target="0000:08:00.0" count="2" tclass="0x030200"/><c2c bw="1" count="2"/></gpu></pci>
<pci busid="0000:08:00.0" class="0x030200" vendor="0x10de" device="0x1db1" link_speed="8.0 GT/s PCIe" link_width="16">
<gpu dev="1" sm="70" rank="1" gdr="1"><nvlink target="0000:07:00.0" count="2" tclass="0x030200"/></gpu></pci></pci>
<nic><net name="eth0" dev="0" speed="10000"/><net name="eth1" dev="1" speed="10000"/></nic></cpu>
<cpu numaid="1" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85"/></system>)",
        R"(<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0"><object type="Machine"><info name="Architecture" value="ppc64le"/>
<object type="Package" gp_index="3"><object type="Bridge" gp_index="4" bridge_type="0-1"><object type="PCIDev" gp_index="5" pci_type="0302 [10de:15f9] [10de:116b] a1" pci_link_speed="15.75">
<object type="OSDev" gp_index="6" name="cuda0" osdev_type="5"/></object></object></object>
<object type="Package" gp_index="7"><object type="PCIDev" gp_index="8" pci_type="0302 [10de:15f9] [10de:116b] a1" pci_link_speed="15.75"><object type="OSDev" gp_index="9" name="cuda1"/></object></object></object>
<distances2 type="OSDev" nbobjs="2" name="NVLinkBandwidth" indexing="gp"><indexes length="4">6 9 </indexes><u64values length="9">1000000 40000 40000 1000000 </u64values></distances2></topology>)",
        "$ nvidia-smi topo -m\n\x1b[4m\tGPU0\tGPU1\tmlx5_0\tCPU Affinity\x1b[0m\nGPU0\t X "
        "\tNV2\tPIX\t0-11\nGPU1\tNV2\t X "
        "\tSYS\t12-23\nmlx5_0\tPIX\tSYS\t X \n\nLegend:\n\n  X = Self\n",
        "GPU 0: Tesla V100-SXM2-32GB\n\t Link 0: 25.781 GB/s\n\t Link 1: <inactive>\nGPU 1: Tesla "
        "V100-SXM2-32GB (UUID: "
        "GPU-0)\n\t Link 0: 25.781 GB/s\n",
        "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 25 ]\nlatency: [ 500, 1 ]\n",
        "Nodes 8\nTiers 3\nPodsize 4\n\nTier 0\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 2\n\nTier "
        "1\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 4\nBundle 1\n\nTier 2\nDownlink_speed_Gbps "
        "100\nRadix_Down "
        "4\nBundle 2\n",
        R"({"name": "NDv2", "gpus_per_node": 8, "node_invbws_list": [23, 46], "remote_invbw": 107})",
        "GB/s,a,b,c\na,,10,20\nb,10,,30\nc,20,30,\n",
    };
}

/// Shared ones as well, where they are beside the checkout.
std::vector<std::string> allSeeds() {
    std::vector<std::string> texts = seeds();
    const fs::path folder = fs::path(STAGECRAFT_SHARED_DIR) / "topologies";
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
        const std::string extension = entry.path().extension().string();
        if (extension == ".md" || entry.path().filename() == "expected.json" || !entry.is_regular_file())
            continue;
        if (entry.file_size() < 20000) texts.push_back(readTextFile(entry.path()));
    }
    return texts;
}

TEST(HostileTopologies, TheSeedsThemselvesAreRead) {
    for (const std::string& text : seeds()) EXPECT_EQ(topologyComplaint(text), "") << text;
}

TEST(HostileTopologies, ATextCutShortAnywhereIsReadOrRefused) {
    for (const std::string& text : seeds())
        for (std::size_t length = 0; length < text.size(); ++length)
            topologyComplaint(text.substr(0, length));
}

TEST(HostileTopologies, ATextWithBytesChangedPartsDoubledOrSplicedIsReadOrRefused) {
    const std::vector<std::string> texts = allSeeds();
    std::mt19937_64 random(20260822);
    const auto below = [&](std::size_t count) {
        return static_cast<std::size_t>(random() % std::max<std::size_t>(count, 1));
    };
    std::size_t refused = 0, accepted = 0;
    for (std::size_t round = 0; round < 6000; ++round) {
        std::string text = texts[round % texts.size()];
        for (std::size_t change = below(4); change < 4; ++change) {
            const std::size_t at = below(text.size()), length = below(40);
            const std::string& other = texts[below(texts.size())];
            switch (below(6)) {
                case 0:
                    text[at] = static_cast<char>(random());
                    break;
                case 1:
                    text.erase(at, length);
                    break;
                case 2:
                    text.insert(at, text.substr(below(text.size()), below(400)));
                    break;
                case 3:
                    text.insert(at, other.substr(below(other.size()), length));
                    break;
                case 4:
                    text[at] = static_cast<char>('0' + below(10));
                    break;
                default:
                    text.insert(at, "99999999999999999999e308");
            }
        }
        (topologyComplaint(text).empty() ? accepted : refused)++;
    }
    // Both happen, so the changes are neither harmless nor all fatal.
    EXPECT_GT(refused, 500u);
    EXPECT_GT(accepted, 500u);
}

TEST(HostileTopologies, BillionLaughsAreRefusedAndNotExpanded) {
    std::string text = "<?xml version=\"1.0\"?><!DOCTYPE system [<!ENTITY l0 \"ha\">";
    for (int level = 1; level < 10; ++level)
        text += "<!ENTITY l" + std::to_string(level) + " \"" +
                repeated("&l" + std::to_string(level - 1) + ";", 10) + "\">";
    text += "]><system version=\"1\"><cpu arch=\"&l9;\"/></system>";
    EXPECT_TRUE(isRefused("<system>" + text, "declares entities"));
    ImportOptions options;
    try {
        importClusters({{"F", text}}, options, FileKind::ncclTopology);
        ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("declares entities"), std::string::npos) << error.what();
    }
}

TEST(HostileTopologies, DeepAndWideXmlIsRefusedWithItsLimit) {
    EXPECT_TRUE(isRefused(
        "<system><cpu>" + repeated("<pci>", 300000) + repeated("</pci>", 300000) + "</cpu></system>",
        "nested deeper than 64"));
    EXPECT_TRUE(isRefused("<system>" + repeated("<a/>", 1000001) + "</system>", "more than a million tags"));
    std::string gpus = "<system><cpu>";
    for (int gpu = 0; gpu < 100000; ++gpu)
        gpus += "<pci busid=\"" + std::to_string(gpu) + "\" class=\"0x03\"><gpu rank=\"0\"/></pci>";
    EXPECT_TRUE(isRefused(gpus + "</cpu></system>", "more than 4,096 GPUs"));
}

TEST(HostileTopologies, MillionsOfGpusAreRefusedInEveryFormat) {
    EXPECT_TRUE(isRefused(
        "topology: [Ring, Ring]\nnpus_count: [1000000, 1000000]\nbandwidth: [1, 1]\nlatency: [1, 1]\n",
        "more than 4,096 GPUs"));
    EXPECT_TRUE(isRefused("topology: [FullyConnected]\nnpus_count: [4000]\nbandwidth: [1]\nlatency: [1]\n",
                          "more than 600,000 links"));
    EXPECT_TRUE(
        isRefused("Nodes 1000000\nTiers 2\nTier 0\nDownlink_speed_Gbps 1\nRadix_Down 1\nRadix_Up 1\nTier "
                  "1\nDownlink_speed_Gbps 1\nRadix_Down 1\n",
                  "more than 4,096 GPUs"));
    EXPECT_TRUE(isRefused(R"({"gpus_per_node": 1000000, "node_invbws_list": [1]})", "/gpus_per_node"));
    std::string header = "\t";
    for (int gpu = 0; gpu < 1000000; ++gpu) header += "GPU" + std::to_string(gpu) + "\t";
    EXPECT_TRUE(isRefused(header + "\nGPU0\tX\tNV1\n", "more than 1,024 devices"));
    EXPECT_TRUE(isRefused("0,1\n" + repeated("1,0\n", 100000), "more than 1,024 rows"));
    std::string rows = "GPU 0: x y\n Link 0: 1 GB/s\n";
    std::string numbered;
    for (int gpu = 0; gpu < 2000; ++gpu) numbered += "GPU " + std::to_string(gpu) + ": x y\n";
    EXPECT_TRUE(isRefused(rows + numbered, "more than 1,024 GPUs"));
    ImportOptions copies;
    copies.copies = 4096;
    EXPECT_NE(topologyComplaint(seeds()[0], copies).find("more than 4,096 GPUs"), std::string::npos);
}

TEST(HostileTopologies, ALineOfTwoGigabytesIsRefusedUnread) {
    const fs::path path = fs::temp_directory_path() / ("stagecraft-long-" + std::to_string(::getpid()));
    const auto mostKib = [] {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    const long beforeKib = mostKib();
    for (const char* beginning : {"<system version=\"1\">", "{\"gpus_per_node\": 8", "GPU0", "",
                                  "{\"format\": \"stagecraft/cluster\""}) {
        std::ofstream(path) << beginning;
        fs::resize_file(path, std::uintmax_t{2} << 30);  // sparse: it holds no more than its beginning
        EXPECT_THROW(openCluster(path), InputError) << beginning;
    }
    fs::remove(path);
    EXPECT_LT(mostKib() - beforeKib, 1L << 20) << "KiB more than before";
}

TEST(HostileTopologies, BinaryAndEmptyTextsAreRefused) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
        std::string noise(static_cast<std::size_t>(random() % 3000), '\0');
        for (char& letter : noise) letter = static_cast<char>(random());
        EXPECT_NE(topologyComplaint(noise), "");
        for (const FileKind kind :
             {FileKind::ncclTopology, FileKind::hwlocTopology, FileKind::nvidiaSmi, FileKind::astraNetwork,
              FileKind::htsimTopology, FileKind::tacclTopology, FileKind::bandwidthMatrix})
            EXPECT_THROW(importClusters({{"F", noise}}, {}, kind), InputError);
    }
    EXPECT_TRUE(isRefused("", "not a cluster or topology"));
}

TEST(HostileTopologies, YamlThatIsNoneOfItsFourListsIsRefusedWithItsLine) {
    const std::string good = seeds()[4];
    EXPECT_TRUE(isRefused(good + "npus_count: [1]\n", "line 5: 'npus_count' is given twice"));
    EXPECT_TRUE(isRefused("npus_count: &a [2]\ntopology: *a\nbandwidth: [1]\nlatency: [1]\n",
                          "line 2: found an alias"));
    EXPECT_TRUE(isRefused(good + "x: {a: 1}\n", "line 5: found a list or mapping"));
    EXPECT_TRUE(
        isRefused("topology: [Ring]\nnpus_count: [0]\nbandwidth: [1]\nlatency: [1]\n", "line 2: found '0'"));
    EXPECT_TRUE(isRefused("topology: [Mesh]\nnpus_count: [4]\nbandwidth: [1]\nlatency: [1]\n",
                          "line 1: found 'Mesh'"));
    EXPECT_TRUE(isRefused("topology: [Ring]\nnpus_count: [4, 4]\nbandwidth: [1]\nlatency: [1]\n",
                          "'npus_count' has 2 entries"));
}

}  // namespace
}  // namespace stagecraft
