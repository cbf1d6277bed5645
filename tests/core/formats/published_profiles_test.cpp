// Sums over what other projects published, worked out in the plainest way, against those of the profiles.
#include "core/formats/files/project_file.h"
#include "core/formats/files/import.h"
#include "tests/support/every_room.h"
#include "core/graph/grouping.h"
#include "examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

struct Sums {
    double time = 0, parameters = 0, outputs = 0;
};

/// Over the nodes of the file, left out or not.
Sums sumsOfNodes(const LayerProfile& profile) {
    Sums sums;
    for (const Layer& node : profile.operators.nodes) {
        sums.time += node.forwardS + node.backwardS;
        sums.parameters += node.parameterBytes;
        sums.outputs += node.outputBytes;
    }
    return sums;
}

Sums sumsOfText(const fs::path& path) {
    Sums sums;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto from = [&](const std::string& field) {
            const std::size_t start = line.find(field + "=");
            return start == std::string::npos ? std::string("0") : line.substr(start + field.size() + 1);
        };
        sums.time +=
            (std::stod(from("forward_compute_time")) + std::stod(from("backward_compute_time"))) / 1000;
        sums.parameters += std::stod(from("parameter_size"));
        std::string sizes = from("activation_size");
        sizes = sizes.substr(sizes.front() == '[' ? 1 : 0,
                             sizes.find_first_of("],", sizes.front() == '[' ? 1 : 0));
        for (char& letter : sizes)
            if (letter == ';') letter = ' ';
        std::istringstream numbers(sizes);
        for (double bytes = 0; numbers >> bytes;) sums.outputs += bytes;
    }
    return sums;
}

Sums sumsOfDnnPartitioning(const nlohmann::json& file, double bytesOfCost) {
    Sums sums;
    std::map<int, double> outputs;
    std::map<int, bool> reads;
    // Of an end the edge between backward nodes that mirrors its own says it; ends that take no time are
    // output.
    std::map<int, const nlohmann::json*> byId;
    std::map<int, int> forwardOfColour;
    for (const auto& node : file.at("nodes")) byId[node.at("id")] = &node;
    for (const auto& node : file.at("nodes"))
        if (node.contains("colorClass") &&
            (node.at("isBackwardNode") == 0 || node.at("isBackwardNode") == false))
            forwardOfColour[node.at("colorClass")] = node.at("id");
    std::map<int, bool> isRead;
    for (const auto& edge : file.at("edges")) isRead[edge.at("sourceId")] = true;
    for (const auto& edge : file.at("edges")) {
        const nlohmann::json& reader = *byId.at(edge.at("destId"));
        const bool isForward = reader.at("isBackwardNode") == 0 || reader.at("isBackwardNode") == false;
        if (isForward || !reader.contains("colorClass") || !edge.contains("size")) continue;
        const auto twin = forwardOfColour.find(reader.at("colorClass"));
        if (twin != forwardOfColour.end() && !isRead[twin->second]) outputs[twin->second] = edge.at("size");
    }
    for (const auto& node : file.at("nodes"))
        if (!isRead[node.at("id")] && node.at("fpgaLatency") == 0 && outputs[node.at("id")] == 0)
            outputs[node.at("id")] = node.at("size");
    for (const auto& edge : file.at("edges")) {
        double& bytes = outputs[edge.at("sourceId")];
        bytes = std::max(bytes, edge.at("cost").get<double>() * bytesOfCost);
        reads[edge.at("destId")] = true;
    }
    const auto isSet = [](const nlohmann::json& value) {
        return value.is_boolean() ? value.get<bool>() : value == 1;
    };
    double weights = 0, rest = 0, weightOutputs = 0;
    for (const auto& node : file.at("nodes")) {
        const int id = node.at("id");
        sums.time += node.at("fpgaLatency").get<double>() / 1000;
        if (isSet(node.at("isBackwardNode"))) continue;
        const double size = node.at("size"), output = outputs[id];
        const bool isWeight =
            !reads[id] && node.at("fpgaLatency") == 0 && size > 0 && std::abs(size - output) < 1;
        if (isWeight)
            weightOutputs += output;
        else
            rest += std::max(0.0, size - std::round(output));
        if (isWeight) weights += size;
        sums.outputs += output;
    }
    sums.outputs -= weightOutputs;
    sums.parameters = weights > 0 ? weights : rest;
    return sums;
}

Sums sumsOfPiper(const nlohmann::json& file, double unitS) {
    Sums sums;
    for (const auto& node : file.at("nodes")) {
        const auto& plain = node.at("TMPCs").at("1").at(0);
        EXPECT_EQ(plain.at("id"), "vanilla");
        sums.time += plain.at("timePerSample").get<double>() * unitS;
        sums.parameters += plain.at("parameterSize").get<double>();
    }
    std::map<int, double> outputs;
    for (const auto& edge : file.at("edges"))
        outputs[edge.at("sourceId")] =
            std::max(outputs[edge.at("sourceId")], edge.at("communicationCost").get<double>());
    for (const auto& [node, bytes] : outputs) sums.outputs += bytes;
    return sums;
}

Sums sumsOfFile(const fs::path& path, FileKind kind) {
    constexpr double gibibytes2 = 2147483648.0;
    if (kind == FileKind::pipeDreamGraph) return sumsOfText(path);
    const nlohmann::json file = nlohmann::json::parse(readTextFile(path));
    if (kind == FileKind::piperProfile) return sumsOfPiper(file, path.filename() == "resnet.json" ? 1e-3 : 1);
    const bool inSeconds = path.string().find("throughput-inputs/LayerGraphs") != std::string::npos;
    return sumsOfDnnPartitioning(file, inSeconds ? gibibytes2 : gibibytes2 / 1000);
}

TEST(PublishedProfiles, SumsOfTimeParametersAndActivationsAreThoseOfTheFile) {
    const fs::path folder = fs::path(STAGECRAFT_SHARED_DIR) / "profiles";
    if (!fs::exists(folder)) GTEST_SKIP() << "the published profiles are not here";
    int seen = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        const FileKind kind = detectKind(readTextFile(entry.path()));
        if (!isForeignProfile(kind)) continue;
        SCOPED_TRACE(entry.path().string());
        ++seen;
        const LayerProfile profile = openProfile(entry.path()).profile;
        const Sums found = sumsOfNodes(profile), expected = sumsOfFile(entry.path(), kind);
        EXPECT_NEAR(found.time, expected.time, 1e-9 * expected.time);
        EXPECT_NEAR(found.parameters, expected.parameters, 1e-9 * expected.parameters + 1);
        EXPECT_NEAR(found.outputs, expected.outputs, 1e-9 * expected.outputs + 1);
        EXPECT_GT(expected.time * expected.parameters * expected.outputs, 0);
        // Layers have all of it but what is left out.
        double layers = 0, leftOut = 0;
        for (const Layer& layer : profile.layers) layers += layer.forwardS + layer.backwardS;
        for (std::size_t node = 0; node < profile.operators.nodes.size(); ++node)
            if (profile.operators.layerOf[node] < 0)
                leftOut += profile.operators.nodes[node].forwardS + profile.operators.nodes[node].backwardS;
        EXPECT_NEAR(layers + leftOut, expected.time, 1e-9 * expected.time);
        EXPECT_TRUE(operatorsDescribeLayers(profile));
        for (int layer = 0; layer < profile.layerCount(); ++layer) EXPECT_NE(whyOneLayer(profile, layer), "");
        EXPECT_EQ(readProfile(writeProfile(profile), "FILE"), profile);
    }
    EXPECT_EQ(seen, 24);
}

constexpr const char* training = R"({"nodes": [
    {"name": "a", "id": 1, "fpgaLatency": 1, "isBackwardNode": 0, "colorClass": 1, "size": 100},
    {"name": "b", "id": 2, "fpgaLatency": 2, "isBackwardNode": false, "size": 60},
    {"name": "bgrad", "id": 3, "fpgaLatency": 4, "isBackwardNode": true, "size": 60},
    {"name": "agrad", "id": 4, "fpgaLatency": 8, "isBackwardNode": 1, "colorClass": 1, "size": 100}],
  "edges": [{"sourceId": 1, "destId": 2, "cost": 1.862645149230957e-05, "size": 40},
            {"sourceId": 2, "destId": 3, "cost": 1.862645149230957e-05, "size": 40},
            {"sourceId": 3, "destId": 4, "cost": 1.862645149230957e-05, "size": 40}]})";

TEST(DnnPartitioning, BackwardNodesAreJoinedByColourAndElseByWhatTheyRead) {
    const LayerProfile profile = readDnnPartitioning(training, "F.json").profile;
    ASSERT_EQ(profile.layerCount(), 2);
    EXPECT_EQ(profile.name, "F");
    EXPECT_DOUBLE_EQ(profile.layers[0].backwardS, 8e-3);
    EXPECT_DOUBLE_EQ(profile.layers[1].backwardS, 4e-3) << "it reads b";
    EXPECT_EQ(profile.layers[0].outputBytes, 40) << "costs are milliseconds here";
    EXPECT_EQ(profile.layers[0].parameterBytes, 60);
}

/// c ends the graph: only the mirrored edge a' -> c' says how large its output is.
std::string mirrored(const std::string& sizeOfEnd, const std::string& timeOfEnd) {
    return R"({"nodes": [
    {"name": "a", "id": 1, "fpgaLatency": 1, "isBackwardNode": 0, "colorClass": 1, "size": 100},
    {"name": "b", "id": 2, "fpgaLatency": 1, "isBackwardNode": 0, "colorClass": 2, "size": 60},
    {"name": "c", "id": 3, "fpgaLatency": )" +
           timeOfEnd + R"(, "isBackwardNode": 0, "colorClass": 3, "size": 500},
    {"name": "a'", "id": 4, "fpgaLatency": 2, "isBackwardNode": 1, "colorClass": 1, "size": 100},
    {"name": "b'", "id": 5, "fpgaLatency": 2, "isBackwardNode": 1, "colorClass": 2, "size": 60},
    {"name": "c'", "id": 6, "fpgaLatency": 2, "isBackwardNode": 1, "colorClass": 3, "size": 500}],
  "edges": [{"sourceId": 1, "destId": 2, "cost": 1.862645149230957e-08, "size": 40},
            {"sourceId": 2, "destId": 3, "cost": 9.313225746154785e-09, "size": 20},
            {"sourceId": 4, "destId": 5, "cost": 1.862645149230957e-08, "size": 20},
            {"sourceId": 5, "destId": 6, "cost": 9.313225746154785e-09, "size": )" +
           sizeOfEnd + "}]}";
}

TEST(DnnPartitioning, TheOutputOfAnEndIsNotCountedAmongItsWeights) {
    const auto last = [](const std::string& text) {
        return readDnnPartitioning(text, "F.json").profile.layers.back();
    };
    EXPECT_EQ(last(mirrored("420", "3")).parameterBytes, 80);
    EXPECT_EQ(last(mirrored("600", "0")).parameterBytes, 0) << "what takes no time holds no weights";
    const ImportedProfile unsaid = readDnnPartitioning(mirrored("600", "3"), "F.json");
    EXPECT_EQ(unsaid.profile.layers.back().parameterBytes, 500) << "more than it holds cannot be its output";
    EXPECT_TRUE(std::any_of(unsaid.notes.begin(), unsaid.notes.end(), [](const ImportNote& note) {
        return note.kind == ImportNote::Kind::assumed &&
               note.text.find("how large the output of c is") != std::string::npos;
    }));
}

TEST(DnnPartitioning, ResNets50OfTheCollectionHasTheWeightsOfPipeDreams) {
    const fs::path folder = fs::path(STAGECRAFT_SHARED_DIR) / "profiles";
    const fs::path graph = folder / "dnn-partitioning/throughput-inputs/LayerGraphs/resnet50_training.json";
    if (!fs::exists(graph)) GTEST_SKIP() << "the published profiles are not here";
    EXPECT_NEAR(sumsOfNodes(openProfile(graph).profile).parameters,
                sumsOfText(folder / "pipedream/resnet50.graph.txt").parameters, 1);
}

TEST(DnnPartitioning, ASplitThatIsNoPipelineDoesNotComeAlongAndSaysWhy) {
    ProfileImportOptions options;
    options.splitFile = "S";
    const auto import = [&](const std::string& split) {
        options.splitText = split;
        return readDnnPartitioning(training, "F.json", options);
    };
    const ImportedProfile good = import(R"({"fpgas": [{"nodes": [2, 3]}, {"nodes": [1, 4]}]})");
    ASSERT_EQ(good.splits.size(), 1u) << "stages follow one another as data does, not as the file lists them";
    EXPECT_EQ(good.splits[0].parts[0].lastLayer, 0);
    for (const auto& [split, why] : std::vector<std::pair<std::string, std::string>>{
             {R"({"fpgas": [{"nodes": [1, 2, 3]}, {"nodes": [4]}]})", "it puts agrad and a, its forward, on"},
             {R"({"fpgas": [{"nodes": [1, 4]}]})", "node b has no stage"},
             {R"({"fpgas": [{"nodes": [1, 4]}], "cpus": [{"nodes": [2, 3]}]})", "it places nodes on CPUs"}}) {
        const ImportedProfile imported = import(split);
        EXPECT_TRUE(imported.splits.empty());
        const bool said = std::any_of(
            imported.notes.begin(), imported.notes.end(), [&, &reason = why](const ImportNote& note) {
                return note.text.find("does not come along: " + reason) != std::string::npos;
            });
        EXPECT_TRUE(said) << why;
    }
    EXPECT_THROW(import(R"({"fpgas": [{"nodes": [1, 9]}]})"), InputError) << "a node that is not there";
    EXPECT_THROW(import(R"({"fpgas": [{"nodes": [1, 1]}]})"), InputError);
}

TEST(ForeignJson, FaultsAreNamedWithTheirPlace) {
    using examples::complaint;
    const auto dnn = [](const std::string& text) {
        return complaint([&] { readDnnPartitioning(text, "F"); });
    };
    const std::string a = R"({"id": 1, "fpgaLatency": 1, "isBackwardNode": 0, "size": 1})",
                      b = R"({"id": 2, "fpgaLatency": 1, "isBackwardNode": 0, "size": 1})";
    const auto graph = [&](const std::string& nodes, const std::string& edges) {
        return R"({"maxFPGAs": 1, "nodes": [)" + nodes + R"(], "edges": [)" + edges + "]}";
    };
    const std::string ab = R"({"sourceId": 1, "destId": 2, "cost": 0})",
                      ba = R"({"sourceId": 2, "destId": 1, "cost": 0})";
    for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
             {graph("", ""), "F: /nodes: no node"},
             {graph(a + "," + a, ""), "F: /nodes/1/id: node 1 is there already"},
             {graph(a + "," + b, ""), "F: /nodes/0: the node has no edge"},
             {graph(a + "," + b, ab + "," + ba), "F: /edges/0: the edges run in a circle"},
             {graph(a + "," + b, ab + "," + ab), "F: /edges/1: the edge is given twice"},
             {graph(a, R"({"sourceId": 1, "destId": 7, "cost": 0})"), "F: /edges/0/destId: no node 7"},
             {graph(a, R"({"sourceId": 1, "destId": 1, "cost": 0})"), "F: /edges/0: the node reads itself"},
             {graph(R"({"id": 1, "fpgaLatency": -1, "isBackwardNode": 0, "size": 1})", ""),
              "F: /nodes/0/fpgaLatency: the number is negative"},
             {graph(R"({"id": 1, "fpgaLatency": 1e308, "isBackwardNode": 0, "size": 1})", ""),
              "F: /nodes/0/fpgaLatency: the number is too large; expected 0 to 1e+24"},
             {graph(R"({"id": 1, "fpgaLatency": 1, "isBackwardNode": 1, "size": 1})", ""),
              "F: /nodes: all nodes are backward nodes"},
             {graph(R"({"id": 1, "isBackwardNode": 0, "size": 1})", ""),
              "F: /nodes/0: the field 'fpgaLatency' is missing"}})
        EXPECT_EQ(dnn(text).substr(0, message.size()), message) << dnn(text);
    const auto piper = [](const std::string& text) { return complaint([&] { readPiper(text, "F"); }); };
    EXPECT_EQ(piper(R"({"nodes": [{"id": 1, "TMPCs": {}}], "edges": []})").substr(0, 18),
              "F: /nodes/0/TMPCs:");
    EXPECT_EQ(piper(R"({"nodes": [{"id": 1, "TMPCs": {"1": []}}], "edges": []})").substr(0, 20),
              "F: /nodes/0/TMPCs/1:");
}

TEST(GraphText, ARuntimePlanGivesTheStagesTheirReplicas) {
    const std::string node =
        " -- op -- forward_compute_time=1, backward_compute_time=1, activation_size=1, parameter_size=1";
    const std::string edges = "\n\tnode1 -- node2\n";
    const std::string staged = "node1" + node + " -- stage_id=0\nnode2" + node + " -- stage_id=1" + edges;
    ProfileImportOptions options;
    options.splitFile = "conf.json";
    options.splitText =
        R"({"module_to_stage_map": [0, 1, 1], "stage_to_rank_map": {"0": [0, 1, 2], "1": [3]}})";
    const ImportedProfile imported = readGraphText(staged, "G", options);
    ASSERT_EQ(imported.splits.size(), 1u);
    EXPECT_EQ(imported.splits[0].parts[0].replicas, 3);
    EXPECT_EQ(imported.splits[0].deviceCount(), 4);
    using examples::complaint;
    EXPECT_EQ(complaint([&] {
                  readGraphText("node1" + node + "\nnode2" + node + edges, "G", options);
              }).substr(0, 41),
              "conf.json: this gives the replicas of sta");
    options.splitText = R"({"stage_to_rank_map": {"0": [0]}})";
    EXPECT_EQ(complaint([&] { readGraphText(staged, "G", options); }).substr(0, 58),
              "conf.json: /stage_to_rank_map: this is for 1 stage; expect");
}

}  // namespace
}  // namespace stagecraft
