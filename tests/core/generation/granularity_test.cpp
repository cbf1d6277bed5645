// The finest chain of a network: each operator a layer.
#include "core/base/indices.h"
#include "tests/support/every_room.h"
#include "core/editing/granularity.h"
#include "core/generation/generated_profile.h"
#include "core/graph/grouping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace stagecraft {
namespace {

/// Small enough that all models together take a moment.
ParameterValues small(const ModelDescription& model) {
    ParameterValues values = {{"microbatch_size", 3}, {"microbatch_sizes", std::string("2")}};
    for (const Parameter& parameter : model.parameters)
        if (parameter.name == "depth") values["depth"] = 3;
    return values;
}

ParameterValues atFinest(ParameterValues values) {
    values["granularity"] = std::string("finest");
    return values;
}

/// The layer that each operator is part of.
std::vector<int> layerOf(const ModelDescription& model) {
    ParameterValues shape;
    if (const ParameterValues values = small(model); values.contains("depth"))
        shape["depth"] = values.at("depth");
    return withOperators(network(model.name, shape)).layerOf;
}

Layer sumOf(const std::vector<Layer>& layers) {
    Layer sum;
    for (const Layer& layer : layers) {
        sum.forwardS += layer.forwardS;
        sum.backwardS += layer.backwardS;
        sum.weightGradientS += layer.weightGradientS;
        sum.parameterBytes += layer.parameterBytes;
        sum.storedActivationBytes += layer.storedActivationBytes;
        sum.weightGradientBytes = sum.weightGradientBytes.value_or(0) + layer.weightGradientBytes.value();
    }
    return sum;
}

TEST(Granularity, TheFinestChainOfEveryModelHasTheSumsAndHandsOnWhatItsLayersDo) {
    for (const ModelDescription& model : modelZoo()) {
        const LayerProfile whole = generatedProfile(model.name, small(model));
        const LayerProfile finest = generatedProfile(model.name, atFinest(small(model)));
        ASSERT_TRUE(isFinest(finest) && finest.isChain()) << model.name;
        EXPECT_GT(finest.layerCount(), whole.layerCount()) << model.name;
        const std::vector<int> own = layerOf(model);
        ASSERT_EQ(own.size(), finest.layers.size()) << model.name;
        for (int layer = 0; layer < whole.layerCount(); ++layer) {
            std::vector<Layer> parts;
            for (std::size_t node = 0; node < own.size(); ++node)
                if (own[node] == layer) parts.push_back(finest.layers[node]);
            ASSERT_FALSE(parts.empty()) << model.name;
            const Layer sum = sumOf(parts);
            const Layer& expected = whole.layers[at(layer)];
            EXPECT_NEAR(sum.forwardS, expected.forwardS, 1e-12) << model.name << " " << expected.name;
            EXPECT_NEAR(sum.backwardS, expected.backwardS, 1e-12) << model.name << " " << expected.name;
            EXPECT_NEAR(sum.weightGradientS, expected.weightGradientS, 1e-12) << model.name;
            EXPECT_EQ(sum.parameterBytes, expected.parameterBytes) << model.name << " " << expected.name;
            EXPECT_EQ(sum.storedActivationBytes, expected.storedActivationBytes)
                << model.name << " " << expected.name;
            // What two convolutions of a layer read counts once there, and with each of them here.
            EXPECT_GE(sum.weightGradientBytes, expected.weightGradientBytes)
                << model.name << " " << expected.name;
            if (layer + 1 == whole.layerCount()) continue;
            EXPECT_EQ(parts.back().outputBytes, expected.outputBytes) << model.name << " " << expected.name;
            EXPECT_EQ(parts.back().outputGradientBytes, expected.outputGradientBytes) << model.name;
        }
        ASSERT_EQ(finest.otherSizes.size(), 1u) << model.name;
        double otherS = 0, expectedS = 0;
        for (const LayerTimes& layer : finest.otherSizes[0].layers)
            otherS += layer.forwardS + layer.backwardS;
        for (const LayerTimes& layer : whole.otherSizes[0].layers)
            expectedS += layer.forwardS + layer.backwardS;
        EXPECT_NEAR(otherS, expectedS, 1e-11) << model.name;
    }
}

/// "softmax" of "encoder_0/2 softmax".
std::string kindOf(const NetworkLayer& node) { return node.name.substr(node.name.find(' ') + 1); }

/// Nodes of that kind, and how many tensors they read together.
struct Joints {
    int nodes = 0, inputs = 0;
};
Joints jointsOf(const NetworkDescription& network, const std::string& name) {
    Joints joints;
    for (std::size_t node = 0; node < network.nodes.size(); ++node) {
        if (kindOf(network.nodes[node]) != name) continue;
        ++joints.nodes;
        for (const LayerEdge& edge : network.edges) joints.inputs += at(edge.to) == node;
    }
    return joints;
}

TEST(Granularity, OperatorsReadWhatTheArchitectureSaysTheyRead) {
    const NetworkDescription transformer = withOperators(network("transformer", {{"depth", 3}}));
    const Joints shortcuts = jointsOf(transformer, "shortcut addition");
    EXPECT_EQ(shortcuts.nodes, 3 * 2 + 3 * 3);
    EXPECT_EQ(shortcuts.inputs, 2 * shortcuts.nodes);
    // All of the decoder's blocks read the encoder's output: that of its last norm.
    const Joints crossings = jointsOf(transformer, "key and value projection");
    EXPECT_EQ(crossings.nodes, 3);
    std::size_t maker = 0;
    for (std::size_t node = 0; node < transformer.nodes.size(); ++node)
        if (transformer.layerOf[node] == 3) maker = node;
    for (std::size_t node = 0; node < transformer.nodes.size(); ++node) {
        if (kindOf(transformer.nodes[node]) != "key and value projection") continue;
        EXPECT_TRUE(std::any_of(
            transformer.edges.begin(), transformer.edges.end(),
            [&](const LayerEdge& edge) { return at(edge.from) == maker && at(edge.to) == node; }));
    }
    const NetworkDescription gnmt = withOperators(network("gnmt", {{"depth", 4}}));
    EXPECT_EQ(jointsOf(gnmt, "LSTM").nodes, 4 + 1 + 4) << "one operator each; the first layer runs both ways";
    EXPECT_EQ(jointsOf(gnmt, "concatenation").inputs, 2 + 3 * 2);
    for (const NetworkDescription& each : {transformer, gnmt})
        for (const LayerEdge& edge : each.edges) EXPECT_LT(edge.from, edge.to);
}

// vPipe's Table 4: 976, 662, 4380 and 190 nodes.
TEST(Granularity, TheNetworksOfVpipesTableFourHaveHundredsOfOperators) {
    const auto count = [](const char* model, int depth, std::size_t least, std::size_t most) {
        const std::size_t nodes = withOperators(network(model, {{"depth", depth}})).nodes.size();
        EXPECT_GE(nodes, least) << model;
        EXPECT_LE(nodes, most) << model;
    };
    count("bert-large", 96, 700, 2000);
    count("transformer", 48, 500, 2500);
    count("amoebanet-d", 48, 2000, 5000);
    count("gnmt", 32, 150, 300);
}

TEST(Granularity, WithoutAGraphThereIsNoFinerOne) {
    LayerProfile profile = generatedProfile("bert-large", {{"depth", 2}});
    EXPECT_TRUE(profile.operators.nodes.empty()) << "a profile of layers stays as small as it is";
    EXPECT_EQ(atGranularity(profile, Granularity::layers), profile);
    EXPECT_THROW(atGranularity(profile, Granularity::finest), std::invalid_argument);
    const LayerProfile cells = generatedProfile("amoebanet-d", {{"depth", 3}});
    EXPECT_FALSE(isFinest(cells));
    const LayerProfile finest = atGranularity(cells, Granularity::finest);
    EXPECT_EQ(finest.layers.size(), cells.operators.nodes.size());
    EXPECT_EQ(atGranularity(finest, Granularity::finest), finest);
}

}  // namespace
}  // namespace stagecraft
