// Every collected topology against what an independent reading of the rules makes of it.
#include "core/cost/interconnect.h"
#include "core/formats/files/import.h"
#include "core/formats/files/project_file.h"
#include "core/formats/topology/nccl_paths.h"
#include "core/formats/topology/topology_format.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path collection = fs::path(STAGECRAFT_SHARED_DIR) / "topologies";

/// What the file does not hold and expected.json assumes.
ImportOptions optionsFor(const std::string& file) {
    ImportOptions options;
    const auto named = [&](const char* part) { return file.find(part) != std::string::npos; };
    if (named("topo/v100") || named("dgx1v")) options.gpu = "V100-SXM2-16GB";
    if (named("topo/a100")) options.gpu = "A100-SXM4-40GB";
    if (named("topo/h200")) options.gpu = "H200-SXM-141GB";
    if (named("pair_nv2")) options.gpu = "RTX-3090-24GB";
    if (named("p100_pcie")) options.gpu = "P100-PCIe-16GB";
    if (named("rtx4090_5x")) options.gpu = "RTX-4090-24GB";
    if (named("rtxa5000")) options.gpu = "RTX-A5000-24GB";
    return options;
}

class Topologies : public ::testing::Test {
protected:
    void SetUp() override {
        if (!fs::exists(collection / "expected.json"))
            GTEST_SKIP() << "no collection of topologies at " << collection;
        std::ifstream file(collection / "expected.json");
        files_ = json::parse(file).at("files");
        ASSERT_GE(files_.size(), 35u);
    }

    ImportedCluster import(const std::string& file) const {
        return importClusters({readTopologyFile(collection / file)}, optionsFor(file));
    }

    /// Runs a check for every file of which expected.json has that field.
    template <class Check>
    void forEachWith(const char* field, std::size_t atLeast, const Check& check) {
        std::size_t seen = 0;
        for (const auto& [file, expected] : files_.items()) {
            if (!expected.contains(field)) continue;
            ++seen;
            SCOPED_TRACE(file);
            ASSERT_NO_THROW(check(file, expected));
        }
        EXPECT_GE(seen, atLeast);
    }

    json files_;
};

template <class Found>
void expectMatrix(const json& expected, const Found& found) {
    for (std::size_t a = 0; a < expected.size(); ++a)
        for (std::size_t b = 0; b < expected[a].size(); ++b) {
            if (expected[a][b].is_null()) continue;
            EXPECT_NEAR(found(static_cast<int>(a), static_cast<int>(b)), expected[a][b].get<double>(),
                        1e-9 * expected[a][b].get<double>())
                << "between " << a << " and " << b;
        }
}

void expectBandwidths(const Cluster& cluster, const json& expected) {
    ASSERT_EQ(static_cast<std::size_t>(cluster.deviceCount()), expected.size());
    const Interconnect interconnect(cluster);
    expectMatrix(expected, [&](int a, int b) { return interconnect.bandwidthBps(a, b); });
}

TEST_F(Topologies, TheMatrixOfEachNcclAndRcclFileIsTheExpectedOne) {
    forEachWith("widest_no_relay_Bps", 15, [&](const std::string& file, const json& expected) {
        const json& widest = expected["widest_no_relay_Bps"];
        expectBandwidths(import(file).cluster, widest.is_string() ? expected["nccl_Bps"] : widest);
    });
}

TEST_F(Topologies, NcclsOwnChoiceOfPathsIsTheExpectedOne) {
    forEachWith("nccl_Bps", 15, [&](const std::string& file, const json& expected) {
        const Machine machine = readNcclXml(readTopologyFile(collection / file).text, file, {});
        const NcclPaths paths(machine);
        expectMatrix(expected["nccl_Bps"], [&](int a, int b) { return paths.between(a, b).bps; });
        const bool xgmi = machine.hasLinkOfKind("xgmi");
        for (int a = 0; a < paths.gpuCount(); ++a)
            for (int b = 0; b < paths.gpuCount(); ++b) {
                if (a == b) continue;
                const std::string type = pathTypeName(paths.between(a, b).type);
                const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
                EXPECT_EQ(xgmi && type == "NVL" ? "XGMI" : type, expected["type"][row][column]);
            }
    });
}

TEST_F(Topologies, TheNumbersOfPartsAndTheGpusModelsAreTheExpectedOnes) {
    forEachWith("nccl_Bps", 15, [&](const std::string& file, const json& expected) {
        const Machine machine = readNcclXml(readTopologyFile(collection / file).text, file, {});
        using Kind = MachineNode::Kind;
        EXPECT_EQ(machine.count(Kind::gpu), expected["counts"]["gpus"]);
        EXPECT_EQ(machine.count(Kind::cpu), expected["counts"]["cpus"]);
        EXPECT_EQ(machine.count(Kind::bridge), expected["counts"]["pci_switches_after_flattening"]);
        EXPECT_EQ(machine.count(Kind::nvSwitch), expected["nvswitch"] ? 1 : 0);
        if (expected["mode"] == "dump") {
            EXPECT_EQ(machine.count(Kind::port), expected["counts"]["net_elements"]);
        }
        const std::vector<int> gpus = machine.gpusInOrder();
        for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
            const json& model = expected["gpus"][gpu]["model"];
            if (model.is_null()) continue;
            EXPECT_EQ(machine.nodes[static_cast<std::size_t>(gpus[gpu])].gpu,
                      findGpuModel(model.get<std::string>())->name);
        }
    });
}

/// The way to a port, for pairs in different servers; a port that is listed twice has the better of both.
TEST_F(Topologies, TheWayFromEachGpuToEachPortIsTheExpectedOne) {
    forEachWith("nets", 10, [&](const std::string& file, const json& expected) {
        Cluster cluster = import(file).cluster;
        const int gpus = cluster.deviceCount();
        std::map<std::string, std::vector<int>> ports;
        for (const json& net : expected["nets"]) {
            const std::string base = "s0net-" + net["name"].get<std::string>();
            for (const Switch& node : std::vector<Switch>(cluster.switches)) {
                if (node.id != base && node.id.rfind(base + "-1", 0) != 0) continue;
                // A device in the port's place shows what reaches it.
                const std::string probe = "probe " + node.id;
                ports[net["name"]].push_back(cluster.deviceCount());
                cluster.devices.push_back({.id = probe, .server = "probe"});
                cluster.links.push_back({probe, node.id, 1e15, 0, "", ""});
            }
        }
        const Interconnect interconnect(cluster);
        for (const json& net : expected["nets"]) {
            ASSERT_FALSE(ports[net["name"]].empty()) << net["name"];
            for (int gpu = 0; gpu < gpus; ++gpu) {
                double best = 0;
                for (const int port : ports[net["name"]])
                    best = std::max(best, interconnect.bandwidthBps(gpu, port));
                EXPECT_DOUBLE_EQ(best, net["to_gpu_Bps"][static_cast<std::size_t>(gpu)].get<double>())
                    << net["name"] << " " << gpu;
            }
        }
    });
}

TEST_F(Topologies, TheMatrixOfEachNvidiaSmiTextIsTheExpectedOne) {
    forEachWith("direct_Bps", 11, [&](const std::string& file, const json& expected) {
        expectBandwidths(import(file).cluster, expected["direct_Bps"]);
        const bool hub = expected["nvlink"] == "switch";
        const ImportedCluster imported = import(file);
        EXPECT_EQ(hub, std::any_of(imported.cluster.switches.begin(), imported.cluster.switches.end(),
                                   [](const Switch& node) { return node.id == "s0nvswitch"; }));
    });
}

TEST_F(Topologies, NvlinkStatusGivesNcclsFiguresAndNamesTheRawOnes) {
    forEachWith("raw_link_Bps", 2, [&](const std::string& file, const json& expected) {
        const ImportedCluster imported = import(file);
        ASSERT_EQ(imported.cluster.deviceCount(), expected["counts"]["gpus"]);
        double ofGpu0 = 0;
        for (const Link& link : imported.cluster.links)
            if (link.kind == "nvlink" && (link.a == "s0g0" || link.b == "s0g0")) ofGpu0 += link.bandwidthBps;
        EXPECT_DOUBLE_EQ(ofGpu0, expected["nccl_total_Bps"]);
        EXPECT_EQ(imported.cluster.devices[0].gpu, findGpuModel(expected["model"])->name);
    });
}

TEST_F(Topologies, TheMatrixOfEachHwlocFileIsTheExpectedOne) {
    forEachWith("pcie_by_device_link_Bps", 3, [&](const std::string& file, const json& expected) {
        ImportedCluster imported = import(file);
        json matrix = expected["pcie_by_device_link_Bps"];
        if (expected.contains("NVLinkBandwidth"))
            for (std::size_t a = 0; a < matrix.size(); ++a)
                for (std::size_t b = 0; b < matrix.size(); ++b) {
                    const double megabytes = expected["NVLinkBandwidth"]["MBps_or_hops"][a][b];
                    if (a != b && megabytes > 0) matrix[a][b] = megabytes * 1e6;
                }
        expectBandwidths(imported.cluster, matrix);
        ImportOptions narrow;
        narrow.narrowBridges = true;
        imported = importClusters({readTopologyFile(collection / file)}, narrow);
        if (!expected.contains("NVLinkBandwidth"))
            expectBandwidths(imported.cluster, expected["pcie_strict_minimum_Bps"]);
        EXPECT_EQ(static_cast<int>(
                      std::count_if(imported.cluster.switches.begin(), imported.cluster.switches.end(),
                                    [](const Switch& node) { return node.id.rfind("s0net-", 0) == 0; })),
                  expected["counts"]["nics"]);
    });
}

TEST_F(Topologies, AstraSimsNetworksHaveTheExpectedBandwidthsAndLatencies) {
    forEachWith("pairs", 4, [&](const std::string& file, const json& expected) {
        const Cluster cluster = import(file).cluster;
        ASSERT_EQ(cluster.deviceCount(), expected["counts"]["gpus"]);
        const Interconnect interconnect(cluster);
        for (const json& pair : expected["pairs"]) {
            EXPECT_DOUBLE_EQ(interconnect.bandwidthBps(pair["a"], pair["b"]), pair["Bps"]);
            EXPECT_NEAR(interconnect.latencyS(pair["a"], pair["b"]), pair["latency_s"], 1e-15);
        }
    });
}

TEST_F(Topologies, WhatMustBeRefusedIsRefusedWithItsLine) {
    forEachWith("refuse", 1, [&](const std::string& file, const json&) {
        try {
            import(file);
            ADD_FAILURE() << "accepted";
        } catch (const InputError& error) {
            EXPECT_EQ(error.place(), "line 11");
            EXPECT_NE(std::string(error.what()).find("'tbd'"), std::string::npos) << error.what();
        }
    });
}

TEST_F(Topologies, TacclsLevelsAreTheBandwidthsOfTheCubeMesh) {
    forEachWith("link_Bps_at_this_size", 1, [&](const std::string& file, const json& expected) {
        const Cluster cluster = import(file).cluster;
        ASSERT_EQ(cluster.deviceCount(), expected["counts"]["gpus"]);
        std::set<long> found, levels;
        for (const Link& link : cluster.links) found.insert(std::lround(link.bandwidthBps));
        for (const json& level : expected["link_Bps_at_this_size"]) levels.insert(level.get<long>());
        EXPECT_EQ(found, levels);
        ImportOptions two;
        two.copies = 2;
        const Cluster joined = importClusters({readTopologyFile(collection / file)}, two).cluster;
        EXPECT_NEAR(Interconnect(joined).bandwidthBps(0, 8), expected["remote_Bps_at_this_size"], 1);
    });
}

TEST_F(Topologies, EveryOtherFileHasItsNumberOfGpusAndEveryLinkSaysWhereItsBandwidthComesFrom) {
    forEachWith("counts", 34, [&](const std::string& file, const json& expected) {
        const ImportedCluster imported = import(file);
        EXPECT_EQ(imported.cluster.deviceCount(), expected["counts"]["gpus"]);
        EXPECT_FALSE(imported.notes.empty());
        EXPECT_NE(imported.cluster.source.find(fs::path(file).filename().string()), std::string::npos);
        for (const Link& link : imported.cluster.links) {
            EXPECT_FALSE(link.source.empty()) << link.a << " " << link.b;
            EXPECT_GT(link.bandwidthBps, 0) << link.a << " " << link.b;
        }
        // What was made can be kept.
        EXPECT_EQ(readCluster(writeCluster(imported.cluster), "again"), imported.cluster);
        EXPECT_EQ(openCluster(collection / file).deviceCount(), imported.cluster.deviceCount());
    });
}

TEST_F(Topologies, PairsThatNcclRelaysAreNamed) {
    std::set<std::string> relayed;
    for (const auto& [file, expected] : files_.items()) {
        if (!expected.contains("nccl_Bps")) continue;
        for (const ImportNote& note : import(file).notes)
            if (note.text.find("NVB") != std::string::npos) relayed.insert(fs::path(file).stem().string());
    }
    EXPECT_EQ(relayed, (std::set<std::string>{"v100_sxm2_8x_hybrid_cube_mesh", "topo_8p_90a", "topo_4p2h"}));
}

}  // namespace
}  // namespace stagecraft
