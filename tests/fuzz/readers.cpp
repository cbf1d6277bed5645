#include "tests/fuzz/readers.h"

#include "core/formats/configurations/configuration_formats.h"
#include "core/formats/files/project_file.h"
#include "core/formats/orders/order_table.h"
#include "core/formats/orders/pipelining_csv.h"
#include "core/formats/profiles/csv_profile.h"
#include "core/formats/profiles/efficiency_file.h"
#include "core/formats/files/import.h"
#include "core/formats/measurements/measured_cluster.h"
#include "core/formats/profiles/network_script.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/recordings/import.h"
#include "core/graph/grouping.h"
#include "core/onnx/onnx_profile.h"
#include "tests/support/every_room.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace stagecraft::fuzz {

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "does not hold: " << what << std::endl;
    std::abort();
}

/// What was imported can be planned on, is written, and reads back the same.
void checkProfile(const ImportedProfile& imported) {
    Problem problem;
    problem.profile = imported.profile;
    problem.cluster.devices = {{"g", "s", "", 1, 1, 0}};
    require(!whyUnplannable(problem) || imported.profile.layers.empty(), "the profile can be planned on");
    require(readProfile(writeProfile(imported.profile), "") == imported.profile, "the profile reads back");
    if (!imported.profile.operators.nodes.empty())
        require(operatorsDescribeLayers(imported.profile), "the nodes describe the layers");
    for (const ImportedSplit& split : imported.splits) {
        require(!split.parts.empty() && split.parts.front().firstLayer == 0 &&
                    split.parts.back().lastLayer + 1 == imported.profile.layerCount(),
                "a split has all layers");
        for (std::size_t i = 1; i < split.parts.size(); ++i)
            require(split.parts[i].firstLayer == split.parts[i - 1].lastLayer + 1,
                    "a split has each layer once");
    }
}

/// The texts between lines that are "----".
std::vector<std::string> partsOf(std::string_view text) {
    constexpr std::string_view border = "\n----\n";
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = text.find(border);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + border.size());
    }
}

/// Of a format that takes several files, all of them, called as Metis calls its own.
void profileOfSeveral(FileKind kind, std::string_view text) {
    const auto named = [](std::size_t file) {
        return "DeviceType.G_tp" + std::to_string(1 << std::min<std::size_t>(file, 16)) + "_bs1.json";
    };
    const std::vector<std::string> parts = partsOf(text);
    ProfileImportOptions options;
    for (std::size_t part = 1; part < parts.size(); ++part)
        options.more.push_back({named(part), parts[part]});
    checkProfile(importProfile(parts.front(), named(0), options, kind));
}

Reader profile(FileKind kind) {
    const ProfileFormat* format = profileFormatOf(kind);
    if (format && format->takesMore) return [kind](std::string_view text) { profileOfSeveral(kind, text); };
    return [kind](std::string_view text) { checkProfile(importProfile(text, "F", {}, kind)); };
}

Reader topology(FileKind kind) {
    return [kind](std::string_view text) {
        const Cluster cluster = importClusters({{"F", std::string(text)}}, {}, kind).cluster;
        require(readCluster(writeCluster(cluster), "") == cluster, "the cluster reads back");
    };
}

/// Events that are read can be applied, or are refused with a sentence.
void networkScript(std::string_view text) {
    StagedNetwork network;
    for (int layer = 0; layer < 8; ++layer)
        network.profile.layers.push_back({"l" + std::to_string(layer), 1, 2, 1, 1, 1, 1, 1});
    network.stages = {{0, 3, {0}}, {4, 7, {1}}};
    for (const NetworkEvent& event : readNetworkScript(text, "F").events) {
        if (network.profile.layerCount() + event.layers > 1000) return;
        try {
            applyEvent(network, event);
        } catch (const std::invalid_argument&) {
            return;
        }
        require(network.stages.back().lastLayer + 1 == network.profile.layerCount(),
                "the stages have all layers");
    }
}

/// A graph and a split of it, divided by the first line that is "----".
void graphWithSplit(std::string_view text) {
    const std::size_t border = text.find("\n----\n");
    if (border == std::string_view::npos) return;
    ProfileImportOptions options;
    options.splitFile = "S";
    options.splitText = text.substr(border + 6);
    checkProfile(importProfile(text.substr(0, border), "F", options));
}

void onnxModel(std::string_view text) {
    OnnxOptions options;
    options.gpu = gpuCatalogue().front();
    options.analytic.microbatchSize = 2;
    for (const OpenDimension& open : openDimensions(text, "F"))
        if (!open.isBatch) options.dimensions[open.name] = 3;
    checkProfile(readOnnx(text, "F", options));
}

void pipeliningCsv(std::string_view text) {
    const RankOrders orders = readPipeliningCsv(text, "F");
    std::string written;
    try {
        written = writePipeliningCsv(orders, PipeliningForm::computeComms);
    } catch (const std::invalid_argument&) {
        return;  // it deadlocks
    }
    require(readPipeliningCsv(written, "G") == orders, "the order reads back");
}

void orderTable(std::string_view text) {
    Cluster cluster;
    cluster.devices = {{"a"}, {"b"}};
    const TabledOrder order = readOrderTable(text, "F", cluster);
    Plan plan;
    plan.schedule = order.schedule;
    require(readOrderTable(writeOrderTable(plan, cluster), "G", cluster).schedule == order.schedule,
            "the table reads back");
}

/// Measurements of a server of four GPUs, and of two such servers' network.
void measurements(std::string_view text) {
    Cluster cluster;
    cluster.switches = {{"network", ""}};
    for (int server = 0; server < 2; ++server) {
        const std::string name = "s" + std::to_string(server);
        cluster.switches.push_back({name + "pcie", name});
        cluster.links.push_back({name + "pcie", "network", 1e9, 0, "ethernet", ""});
        for (int gpu = 0; gpu < 4; ++gpu) {
            cluster.devices.push_back(
                {.id = name + "g" + std::to_string(gpu), .server = name, .memoryBytes = 1});
            cluster.links.push_back({cluster.devices.back().id, name + "pcie", 2e9, 0, "pcie", "table"});
        }
    }
    const Cluster measured = withMeasurements(cluster, text, "F").cluster;
    require(readCluster(writeCluster(measured), "") == measured, "the measured cluster reads back");
}

/// Every pass of a product and of an attention takes a time.
void efficiencies(std::string_view text) {
    const MeasuredEfficiencies measured = readEfficiencies(text, "F");
    Operation product, attention;
    product.matrix = MatrixShape{4096, 8192, 10240};
    attention.attention = AttentionCore{4096, 64, 8, 128, 128, 4096, true};
    for (const OperationPass pass :
         {OperationPass::forward, OperationPass::inputGradient, OperationPass::weightGradient})
        for (const Operation& operation : {product, attention})
            require(reachedShare(measured, operation, 1, pass).share > 0, "a share is more than nothing");
}

/// Each argument has become something, and stages hold all blocks in order.
Reader configuration(const ConfigurationFormat& format) {
    return [&format](std::string_view text) {
        const Configuration read = format.read(text, "F");
        for (const ConfigurationItem& item : read.items)
            require(!item.argument.empty() && !item.text.empty(), "an argument says what became of it");
        require(!whyNoGroup(read.group, 0), "the degrees go together");
        const int own = read.model ? read.model->model.layers : 8;
        const std::vector<StageContent> stages = read.stages(own, 0);
        require(std::ssize(stages) % read.ranks == 0, "ranks have equally many stages");
        require(stages.front().embedding && stages.back().head, "the ends are where they belong");
        int blocks = 0;
        for (const StageContent& stage : stages) {
            require(!stage.isEmpty() && stage.blocks >= 0, "a stage holds something");
            blocks += stage.blocks;
        }
        require(blocks == own, "stages hold all blocks");
    };
}

/// Blocks lie in their lanes in order, and name what there is.
Reader recordingText(FileKind kind) {
    return [kind](std::string_view text) {
        const Recording read = readRecordingText(text, "F", kind);
        const Timeline& timeline = read.timeline;
        std::uint32_t next = 0;
        for (const Lane& lane : timeline.lanes) {
            require(lane.firstBlock == next && lane.endBlock >= next, "lanes follow each other");
            for (const int device : lane.devices)
                require(device >= 0 && device < read.cluster.deviceCount(), "a lane is of devices");
            for (next = lane.firstBlock; next < lane.endBlock; ++next) {
                require(timeline.endS[next] >= timeline.startS[next], "a block ends after it starts");
                require(next == lane.firstBlock || timeline.startS[next] >= timeline.startS[next - 1],
                        "blocks of a lane are in order");
            }
        }
        require(next == timeline.blockCount(), "each block is in a lane");
        for (const std::uint32_t input : read.inputs)
            require(input < timeline.blockCount(), "an input is a block");
    };
}

Reader guarded(Reader reader) {
    return [reader = std::move(reader)](std::string_view text) {
        try {
            reader(text);
        } catch (const InputError& error) {
            require(std::string(error.what()).size() < 4096, "a complaint fits on a screen");
        }
    };
}

}  // namespace

const std::map<std::string, Reader>& readers() {
    static const std::map<std::string, Reader> all = [] {
        std::map<std::string, Reader> list = {
            {"profile_json", profile(FileKind::profile)},
            {"split", graphWithSplit},
            {"onnx", onnxModel},
            {"cluster_json", [](std::string_view text) { readCluster(text, "F"); }},
            {"project_json",
             [](std::string_view text) {
                 const Project project = readProject(text, "F", "/nonexistent");
                 require(readProject(writeProject(project), "", "/nonexistent") == project,
                         "the project reads back");
             }},
            {"plan_json", [](std::string_view text) { readPlan(text, "F", "/nonexistent"); }},
            {"network_script", networkScript},
            {"measurements", measurements},
            {"efficiencies", efficiencies},
            {"pipelining_csv", pipeliningCsv},
            {"order_table", orderTable}};
#define STAGECRAFT_PROFILE(name) \
    if (isForeignProfile(FileKind::name)) list[#name] = profile(FileKind::name);
#define STAGECRAFT_TOPOLOGY(name) list[#name] = topology(FileKind::name);
        STAGECRAFT_PROFILE_FORMATS(STAGECRAFT_PROFILE)
        STAGECRAFT_TOPOLOGY_FORMATS(STAGECRAFT_TOPOLOGY)
#define STAGECRAFT_RECORDING(name) list[#name] = recordingText(FileKind::name);
        STAGECRAFT_RECORDING_FORMATS(STAGECRAFT_RECORDING)
        for (const ConfigurationFormat& format : configurationFormats())
            list[format.id] = configuration(format);
        for (auto& [name, reader] : list) reader = guarded(std::move(reader));
        return list;
    }();
    return all;
}

}  // namespace stagecraft::fuzz
