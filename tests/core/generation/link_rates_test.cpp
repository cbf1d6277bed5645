// Link technologies and their two rates: the table itself, and that templates and imports of one machine take
// the same ones under each choice.
#include "tests/support/every_room.h"
#include "core/formats/files/import.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/link_rates.h"
#include "core/generation/template_catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

namespace stagecraft {
namespace {

constexpr LinkRates bothRates[] = {LinkRates::reached, LinkRates::dataSheet};
const char* nameOfRates(LinkRates rates) {
    return rates == LinkRates::reached ? reachedChoice : dataSheetChoice;
}

Cluster byTemplate(const std::string& id, LinkRates rates, const std::vector<std::string>& assignments = {}) {
    const ClusterTemplate* found = findClusterTemplate(id);
    ParameterValues values = defaultValues(found->parameters);
    for (const std::string& assignment : assignments) setParameter(found->parameters, values, assignment);
    setParameter(found->parameters, values, std::string("rates=") + nameOfRates(rates));
    return found->make(values);
}

Cluster byImport(const std::string& text, const std::string& rates, const std::string& gpu = {}) {
    ParameterValues values = defaultValues(importParameters());
    setParameter(importParameters(), values, "rates=" + rates);
    if (!gpu.empty()) setParameter(importParameters(), values, "gpu=" + gpu);
    return importCluster(text, "F", importOptions(values)).cluster;
}

/// The rates of the links of a kind that end at a GPU.
std::set<double> ratesAtGpus(const Cluster& cluster, const std::string& kind) {
    std::set<double> found;
    for (const Link& link : cluster.links)
        if (link.kind == kind && (cluster.deviceIndex(link.a) >= 0 || cluster.deviceIndex(link.b) >= 0))
            found.insert(link.bandwidthBps);
    return found;
}

/// Eight GPUs on NVSwitches, as nvidia-smi topo -m prints them.
std::string switchedMatrix(int links) {
    std::string text = "\t";
    for (int gpu = 0; gpu < 8; ++gpu) text += "GPU" + std::to_string(gpu) + "\t";
    text += "CPU Affinity\n";
    for (int gpu = 0; gpu < 8; ++gpu) {
        text += "GPU" + std::to_string(gpu);
        for (int other = 0; other < 8; ++other)
            text += gpu == other ? "\t X " : "\tNV" + std::to_string(links);
        text += gpu < 4 ? "\t0-55\n" : "\t56-111\n";
    }
    return text;
}

TEST(LinkTechnologies, EachRateHasItsSourceAndNoneIsReachedThatTheDataSheetDoesNotHave) {
    std::set<std::string> ids;
    for (const LinkTechnology& each : linkTechnologies()) {
        EXPECT_TRUE(ids.insert(each.id).second) << each.id;
        EXPECT_EQ(each.dataSheetBps > 0, *each.dataSheetSource != 0) << each.id;
        EXPECT_EQ(each.reachedBps > 0, *each.reachedSource != 0) << each.id;
        EXPECT_GT(each.bps(LinkRates::reached), 0) << each.id << ": the other stands for one without source";
        EXPECT_GT(each.bps(LinkRates::dataSheet), 0) << each.id;
        if (each.dataSheetBps > 0) {
            EXPECT_LE(each.reachedBps, each.dataSheetBps) << each.id;
        }
        EXPECT_EQ(findLinkTechnology(each.id), &each);
    }
}

TEST(LinkTechnologies, TheDataSheetsOfGpusAddUpToTheTable) {
    for (const Gpu& gpu : gpuCatalogue()) {
        const LinkTechnology* technology = linkTechnologyOf(gpu);
        if (technology) {
            EXPECT_NEAR(technology->dataSheetBps, gpu.nvlinkBps / gpu.nvlinks, 1e-9 * gpu.nvlinkBps)
                << gpu.name;
        }
        EXPECT_EQ(pcieBps(gpu, LinkRates::reached), gpu.hostBandwidthBps) << gpu.name;
    }
}

TEST(LinkRates, AMachineHasTheSameRatesByTemplateAndByImport) {
    const struct {
        const char *id, *gpu;
        int links;
    } machines[] = {{"dgx-h100", "H100-SXM5-80GB", 18},
                    {"dgx-h200", "H200-SXM-141GB", 18},
                    {"dgx-a100", "A100-SXM4-80GB", 12},
                    {"dgx-b200", "B200-SXM-180GB", 18}};
    for (const auto& machine : machines)
        for (const LinkRates rates : bothRates) {
            const Cluster made = byTemplate(machine.id, rates);
            const std::string lines =
                std::string("servers: 1\ngpus: 8\nlinks: nvswitch\ngpu: ") + machine.gpu;
            for (const std::string& text : {switchedMatrix(machine.links), lines}) {
                const Cluster read = byImport(text, nameOfRates(rates), machine.gpu);
                for (const char* kind : {"nvlink", "pcie"}) {
                    EXPECT_EQ(ratesAtGpus(read, kind).size(), 1u) << machine.id << kind;
                    EXPECT_EQ(ratesAtGpus(made, kind), ratesAtGpus(read, kind)) << machine.id << kind;
                }
                EXPECT_EQ(made.devices[0].hostBandwidthBps, read.devices[0].hostBandwidthBps) << machine.id;
            }
        }
    EXPECT_EQ(ratesAtGpus(byTemplate("dgx-h100", LinkRates::reached), "nvlink"), std::set<double>{370.8e9});
    EXPECT_EQ(ratesAtGpus(byTemplate("dgx-h100", LinkRates::dataSheet), "nvlink"), std::set<double>{450e9});
}

TEST(LinkRates, EveryGpuOfTheCatalogueHasTheSameRatesByTemplateAndByLines) {
    for (const Gpu& gpu : gpuCatalogue())
        for (const LinkRates rates : bothRates) {
            if (gpu.pcieGeneration == 0 || gpu.name == "MI250X-128GB") continue;  // a card of two GPUs
            const bool isXgmi = !isNvidia(gpu) && gpu.nvlinks > 0, isLinked = gpu.nvlinks > 0;
            const Cluster made = byTemplate(isXgmi     ? "infinity-fabric"
                                            : isLinked ? "nvlink-ring"
                                                       : "pcie",
                                            rates, {"gpu=" + gpu.name, "gpus=2"});
            const Cluster read =
                byImport("servers: 1\ngpus: 2\ngpu: " + gpu.name + (isLinked ? "\nlinks: mesh\n" : "\n"),
                         nameOfRates(rates));
            for (const char* kind : {"nvlink", "xgmi", "pcie"})
                EXPECT_EQ(ratesAtGpus(made, kind), ratesAtGpus(read, kind)) << gpu.name << " " << kind;
        }
}

TEST(LinkRates, WhatATemplateMadeNamesItsTechnologyAndHasThatRate) {
    for (const ClusterTemplate& each : clusterTemplates())
        for (const LinkRates rates : bothRates) {
            const Cluster cluster = byTemplate(each.id, rates);
            bool any = false;
            for (const Link& link : cluster.links) {
                const auto figures = figuresOf(link);
                EXPECT_EQ(figures.has_value(),
                          !link.source.empty() && link.source.find("over") == link.source.npos)
                    << each.id << ": " << link.source;
                if (!figures) continue;
                any = true;
                EXPECT_NEAR(figures->count * figures->technology->bps(rates), link.bandwidthBps,
                            1e-6 * link.bandwidthBps)
                    << each.id << ": " << link.source;
            }
            if (any) {
                EXPECT_EQ(ratesOf(cluster), rates) << each.id;
            }
        }
}

TEST(LinkRates, ARateThatTheTextStatesStaysUnlessTheReachedOneIsAskedFor) {
    const auto path =
        std::filesystem::path(STAGECRAFT_SHARED_DIR) / "topologies" / "hwloc" / "power8_4x_p100_nvlink.xml";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no shared topologies";
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Cluster stated = byImport(text, "stated"), sheet = byImport(text, dataSheetChoice),
                  reached = byImport(text, reachedChoice);
    EXPECT_EQ(stated.links, sheet.links) << "hwloc has the data sheet's";
    ASSERT_EQ(stated.links.size(), reached.links.size());
    int converted = 0;
    for (std::size_t link = 0; link < stated.links.size(); ++link) {
        const Link &before = stated.links[link], &after = reached.links[link];
        if (before.bandwidthBps == after.bandwidthBps) continue;
        ++converted;
        const double share = after.bandwidthBps / before.bandwidthBps;
        EXPECT_TRUE(std::abs(share - 12 / 15.7538) < 1e-3 || std::abs(share - 0.9) < 1e-9)
            << before.source << " became " << after.source;
    }
    EXPECT_GT(converted, 4);
    EXPECT_EQ(byImport(switchedMatrix(18), "stated", "H100-SXM5-80GB").links,
              byImport(switchedMatrix(18), reachedChoice, "H100-SXM5-80GB").links);
}

TEST(LinkRates, WhatAMachineReportsNamesItsTechnologyAndHasThatRate) {
    const auto folder = std::filesystem::path(STAGECRAFT_SHARED_DIR) / "topologies";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared topologies";
    int links = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".xml" && entry.path().extension() != ".txt") continue;
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        for (const LinkRates rates : bothRates)
            for (const Link& link : byImport(text, nameOfRates(rates)).links) {
                const auto figures = figuresOf(link);
                if (!figures) {
                    EXPECT_TRUE(link.kind == "socket" || link.kind == "network" || link.kind == "c2c" ||
                                link.source.find("of hwloc") != std::string::npos ||
                                link.source.find("no limit") != std::string::npos)
                        << entry.path() << ": " << link.source;
                    continue;
                }
                ++links;
                EXPECT_NEAR(figures->count * figures->technology->bps(rates), link.bandwidthBps,
                            1e-3 * link.bandwidthBps)
                    << entry.path() << ": " << link.source;
            }
    }
    EXPECT_GT(links, 500);
}

TEST(LinkRates, AnotherTypeOfGpuKeepsTheChoice) {
    Cluster cluster = byTemplate("nvswitch", LinkRates::dataSheet, {"gpus=2"});
    for (std::size_t device = 0; device < 2; ++device) {
        const std::string before = cluster.devices[device].gpu;
        cluster.devices[device].gpu = "H100-SXM5-80GB";
        followGpu(cluster, device, before);
    }
    EXPECT_EQ(ratesAtGpus(cluster, "nvlink"), std::set<double>{450e9});
    EXPECT_EQ(ratesAtGpus(cluster, "pcie"), std::set<double>{pcieTechnology(5).dataSheetBps});
    EXPECT_EQ(ratesOf(cluster), LinkRates::dataSheet);
}

TEST(LinkRates, FiguresOfALinkAreSaidInWords) {
    const auto said = [](const Cluster& cluster, const std::string& kind) {
        const auto link = std::find_if(cluster.links.begin(), cluster.links.end(),
                                       [&](const Link& each) { return each.kind == kind; });
        return figuresText(*figuresOf(*link));
    };
    for (const LinkRates rates : bothRates) {
        EXPECT_EQ(said(byTemplate("dgx-h100", rates), "nvlink"),
                  "Reached 20.6 GB/s (NCCL); data sheet 25 GB/s, per link");
        EXPECT_EQ(said(byImport(switchedMatrix(18), nameOfRates(rates), "H100-SXM5-80GB"), "nvlink"),
                  "Reached 20.6 GB/s (NCCL); data sheet 25 GB/s, per link");
        EXPECT_EQ(said(byTemplate("dgx-h100", rates), "pcie"), "Reached 48 GB/s (NCCL); data sheet 63 GB/s");
    }
    EXPECT_EQ(figuresText({findLinkTechnology("gaudi-3"), 1}),
              "What is reached is in no source; data sheet 25 GB/s");
    EXPECT_FALSE(figuresOf({"a", "b", 1e9, 0, "nvlink", "measured by hand"}));
    EXPECT_FALSE(figuresOf({"a", "b", 1e9, 0, "nvlink", ""}));
}

TEST(LinkRates, AMeasurementIsTakenBack) {
    Link link{"a", "b", 26e9, 3e-6, "nvlink", "measured, nvbandwidth: a to b", 20e9, "1 × NVLink at 20 GB/s"};
    takeDerivedRate(link);
    EXPECT_EQ(link, (Link{"a", "b", 20e9, 3e-6, "nvlink", "1 × NVLink at 20 GB/s"}));
    const Link before = link;
    takeDerivedRate(link);
    EXPECT_EQ(link, before) << "nothing to take back";
}

}  // namespace
}  // namespace stagecraft
