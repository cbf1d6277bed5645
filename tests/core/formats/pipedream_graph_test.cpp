#include "core/formats/files/project_file.h"
#include "core/formats/profiles/import.h"
#include "tests/support/every_room.h"
#include "examples.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace stagecraft {
namespace {

using examples::complaint;

std::string node(int number, const std::string& description, double forward, double bytes,
                 double parameters = 0) {
    return "node" + std::to_string(number) + " -- " + description +
           " -- forward_compute_time=" + std::to_string(forward) +
           ", backward_compute_time=" + std::to_string(2 * forward) +
           ", activation_size=" + std::to_string(bytes) + ", parameter_size=" + std::to_string(parameters) +
           "\n";
}
std::string edge(int from, int to) {
    return "\tnode" + std::to_string(from) + " -- node" + std::to_string(to) + "\n";
}
LayerProfile readGraph(const std::string& text) { return readGraphText(text, "G", {1}).profile; }

TEST(PipeDreamGraph, AChainStaysAChainAndMillisecondsBecomeSeconds) {
    const LayerProfile profile =
        readGraph(node(3, "ReLU(inplace)", 1, 30) + node(2, "Conv2d(3, 4)", 2, 20, 8) + edge(2, 3));
    ASSERT_EQ(profile.layerCount(), 2);
    EXPECT_EQ(profile.layers[0].name, "node2 Conv2d");
    EXPECT_DOUBLE_EQ(profile.layers[0].forwardS, 0.002);
    EXPECT_DOUBLE_EQ(profile.layers[0].backwardS, 0.004);
    EXPECT_EQ(profile.layers[0].parameterBytes, 8);
    EXPECT_EQ(profile.layers[0].outputBytes, 20);
    EXPECT_EQ(profile.layers[1].storedActivationBytes, 20);
    EXPECT_EQ(profile.layers[1].outputBytes, 0) << "nobody reads the last output";
}

TEST(PipeDreamGraph, WhatLiesBetweenTwoArticulationPointsIsOneLayer) {
    // 2 -> 3 -> 5 and 2 -> 4 -> 5: a residual block that 5 closes.
    const std::string text = node(2, "a", 1, 20) + node(3, "b", 2, 30) + node(4, "c", 4, 40) +
                             node(5, "d", 8, 50) + node(6, "e", 16, 60) + edge(2, 3) + edge(2, 4) +
                             edge(3, 5) + edge(4, 5) + edge(5, 6);
    const ImportedProfile imported = readGraphText(text, "G", {7});
    const LayerProfile& profile = imported.profile;
    ASSERT_EQ(profile.layerCount(), 3);
    EXPECT_EQ(profile.microbatchSize, 7);
    EXPECT_EQ(profile.layers[1].name, "node3…node5 (3 nodes)");
    EXPECT_DOUBLE_EQ(profile.layers[1].forwardS, 0.014);
    EXPECT_EQ(profile.layers[1].outputBytes, 50);
    EXPECT_EQ(profile.layers[1].storedActivationBytes, 20 + 30 + 40) << "each tensor that is read, once";
    EXPECT_EQ(imported.notes.back().kind, ImportNote::Kind::grouped);
    EXPECT_EQ(imported.notes.back().text, "layer 1 groups 3 nodes: node3 node4 node5");
}

TEST(PipeDreamGraph, ASecondSourceStandsRightBeforeWhatReadsIt) {
    // 2 is a source that only 5 reads; it must not glue 3 and 4 together.
    const std::string text = node(2, "decoder", 1, 20) + node(3, "a", 1, 30) + node(4, "b", 1, 40) +
                             node(5, "join", 1, 50) + edge(3, 4) + edge(4, 5) + edge(2, 5);
    const LayerProfile profile = readGraph(text);
    ASSERT_EQ(profile.layerCount(), 3);
    EXPECT_EQ(profile.layers[0].name, "node3 a");
    EXPECT_EQ(profile.layers[1].outputBytes, 40);
    EXPECT_EQ(profile.layers[2].name, "node2…node5 (2 nodes)");
}

TEST(PipeDreamGraph, AnAuxiliaryHeadIsALayerThatPassesTheTrunkOn) {
    const std::string text = node(2, "trunk", 1, 20) + node(5, "head", 1, 30) + node(3, "rest", 1, 40) +
                             node(4, "end", 1, 40) + edge(2, 5) + edge(2, 3) + edge(3, 4);
    const LayerProfile profile = readGraph(text);
    ASSERT_EQ(profile.layerCount(), 4);
    EXPECT_EQ(profile.layers[1].name, "node5 head");
    EXPECT_EQ(profile.layers[1].outputBytes, 20) << "the trunk's output goes past the head";
}

TEST(PipeDreamGraph, InputsAndUnreadItemsAreDroppedAndListsAreSummed) {
    const std::string text = node(1, "Input0", 9, 3 * 224 * 224 * 4 * 5) +
                             "node2 -- LSTM(4, 8) -- forward_compute_time=1, backward_compute_time=1, "
                             "activation_size=[20; 30; 50], "
                             "parameter_size=0\n" +
                             node(3, "__getitem__(0)", 1, 70) + node(4, "__getitem__(1)", 1, 80) +
                             node(5, "Linear(1)", 1, 90) + edge(1, 2) + edge(2, 3) + edge(2, 4) + edge(3, 5);
    const ImportedProfile imported = readGraphText(text, "G");
    ASSERT_EQ(imported.profile.layerCount(), 3);
    EXPECT_EQ(imported.profile.layers[0].outputBytes, 100);
    EXPECT_EQ(imported.profile.microbatchSize, 5) << "five images of 3 x 224 x 224 floats";
}

TEST(PipeDreamGraph, FaultsAreNamedWithTheirLine) {
    const std::string two = node(1, "a", 1, 1) + node(2, "b", 1, 1);
    const std::vector<std::pair<std::string, std::string>> faults = {
        {"", "G: line 1: no node"},
        {"{}", "G: line 1: the line has 1 field"},
        {two + node(1, "c", 1, 1), "G: line 3: node 'node1' is there already"},
        {two + edge(1, 9), "G: line 3: no node 'node9'"},
        {two + edge(1, 1), "G: line 3: node 'node1' reads itself"},
        {two + edge(1, 2) + edge(1, 2), "G: line 4: the edge is given twice"},
        {two + edge(1, 2) + edge(2, 1), "G: line 3: the edges run in a circle"},
        {two + edge(1, 2) + node(3, "c", 1, 1), "G: line 4: a node line follows the edges"},
        {two, "G: line 1: node 'node1' has no edge; expected"},
        {two + node(3, "c", 1, 1) + edge(1, 2), "G: line 3: node 'node3' has no edge"},
        {two + "node3 -- c -- forward_compute_time=1e308, backward_compute_time=1, activation_size=1, "
               "parameter_size=1",
         "G: line 3: forward_compute_time is '1e308'; expected a number from 0 to 1e24"},
        {two + "node3 -- c -- forward_compute_time=1, backward_compute_time=1, activation_size=1, "
               "parameter_size=1 -- stage_id=x",
         "G: line 3: the fourth field is 'stage_id=x'"},
        {two + node(3, "c", -1, 1), "G: line 3: forward_compute_time is '-1.000000'"},
        {two + "node3 -- c -- forward_compute_time=nan, backward_compute_time=1, activation_size=1, "
               "parameter_size=1",
         "G: line 3: forward_compute_time is 'nan'"},
        {two + "node3 -- c -- forward_compute_time=1, activation_size=1, parameter_size=1",
         "G: line 3: found 'activation_size=1' instead of backward_compute_time"},
        {two + "node3 -- c -- forward_compute_time=1, backward_compute_time=1, activation_size=[1; 2, "
               "parameter_size=1",
         "G: line 3: activation_size is '[1; 2'"},
        {"x -- y -- z", "G: line 1: the id 'x' has no number"},
        {node(1, "Input", 1, 1), "G: all nodes are inputs"}};
    for (const auto& [text, message] : faults) {
        const std::string found = complaint([&, &file = text] { readGraphText(file, "G"); });
        EXPECT_EQ(found.substr(0, message.size()), message) << found;
    }
}

TEST(PipeDreamGraph, AFileCutShortAtAnyByteIsReadOrRefusedButNeverCrashes) {
    const std::string text =
        node(1, "Input", 1, 1) + node(2, "b", 1, 1) + node(3, "c", 1, 1) + edge(1, 2) + edge(2, 3);
    for (std::size_t length = 0; length < text.size(); ++length) {
        try {
            readGraphText(text.substr(0, length), "G");
        } catch (const InputError&) {
            // refused: as good as read
        }
    }
}

/// NodeLineSums over a file's node lines, by reading them in the plainest way.
struct NodeLineSums {
    double forward = 0, backward = 0, parameters = 0;
};
NodeLineSums sumsOfNodeLines(const std::filesystem::path& path) {
    NodeLineSums sums;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto value = [&](const std::string& field) {
            const std::size_t start = line.find(field + "=");
            return start == std::string::npos ? 0 : std::stod(line.substr(start + field.size() + 1));
        };
        if (line.find(" -- Input") != std::string::npos) continue;
        sums.forward += value("forward_compute_time") / 1000;
        sums.backward += value("backward_compute_time") / 1000;
        sums.parameters += value("parameter_size");
    }
    return sums;
}

TEST(PipeDreamGraph, EveryShippedFileKeepsItsSumsAndItsBatch) {
    const std::filesystem::path directory =
        std::filesystem::path(STAGECRAFT_SHARED_DIR) / "profiles/pipedream";
    if (!std::filesystem::exists(directory)) GTEST_SKIP() << "the shipped profiles are not here";
    const std::map<std::string, std::pair<int, int>> batchAndLayers = {
        {"densenet121", {64, 77}},   {"gnmt", {32, 31}},
        {"inception_v3", {128, 33}}, {"resnet18", {256, 70}},
        {"resnet50", {128, 39}},     {"resnext50", {128, 39}},
        {"vgg16", {128, 39}},        {"vgg16_partitioned", {128, 39}}};
    for (const auto& [name, expected] : batchAndLayers) {
        const std::filesystem::path path = directory / (name + ".graph.txt");
        const LayerProfile profile = openProfile(path).profile;
        const NodeLineSums sums = sumsOfNodeLines(path);
        double forward = 0, backward = 0, parameters = 0;
        for (const Layer& layer : profile.layers) {
            forward += layer.forwardS;
            backward += layer.backwardS;
            parameters += layer.parameterBytes;
        }
        EXPECT_EQ(profile.name, name);
        EXPECT_EQ(profile.microbatchSize, expected.first) << name;
        EXPECT_NEAR(forward, sums.forward, 1e-9) << name;
        EXPECT_NEAR(backward, sums.backward, 1e-9) << name;
        EXPECT_NEAR(parameters, sums.parameters, 1e-3) << name;
        EXPECT_EQ(profile.layerCount(), expected.second) << name;
        EXPECT_EQ(readProfile(writeProfile(profile), "FILE"), profile) << name;
    }
}

}  // namespace
}  // namespace stagecraft
