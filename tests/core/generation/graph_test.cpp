#include "core/base/indices.h"
#include "tests/support/every_room.h"
#include "core/generation/generated_profile.h"
#include "core/graph/grouping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace stagecraft {
namespace {

const char* const graphs[] = {"resnet-50",    "resnet-101",   "resnet-152",
                              "inception-v3", "densenet-121", "amoebanet-d"};

TEST(NetworkGraphs, TheLayersAreRunsOfTheirNodes) {
    for (const char* model : graphs) {
        const LayerProfile profile = generatedProfile(model, {});
        EXPECT_TRUE(operatorsDescribeLayers(profile)) << model;
        EXPECT_TRUE(profile.isChain()) << model;
    }
}

TEST(NetworkGraphs, NodesHaveIdsOfTheirOwn) {
    for (const char* model : graphs) {
        std::set<std::string> ids;
        for (const NetworkLayer& node : network(model).nodes)
            EXPECT_TRUE(ids.insert(node.name.substr(0, node.name.find(' '))).second) << model << node.name;
    }
}

TEST(NetworkGraphs, LayersAreTheSumsOfTheirNodesToTheNanosecond) {
    for (const char* model : graphs) {
        const LayerProfile profile = generatedProfile(model, {{"microbatch_size", 4}});
        std::vector<Layer> sums(profile.layers.size());
        for (std::size_t node = 0; node < profile.operators.nodes.size(); ++node) {
            const Layer& part = profile.operators.nodes[node];
            Layer& sum = sums[at(profile.operators.layerOf[node])];
            sum.forwardS += part.forwardS;
            sum.backwardS += part.backwardS;
            sum.weightGradientS += part.weightGradientS;
            sum.parameterBytes += part.parameterBytes;
            sum.storedActivationBytes += part.storedActivationBytes;
        }
        for (std::size_t layer = 0; layer < sums.size(); ++layer) {
            EXPECT_NEAR(profile.layers[layer].forwardS, sums[layer].forwardS, 1e-12) << model;
            EXPECT_NEAR(profile.layers[layer].backwardS, sums[layer].backwardS, 1e-12) << model;
            EXPECT_NEAR(profile.layers[layer].weightGradientS, sums[layer].weightGradientS, 1e-12) << model;
            EXPECT_EQ(profile.layers[layer].parameterBytes, sums[layer].parameterBytes) << model;
            EXPECT_EQ(profile.layers[layer].storedActivationBytes, sums[layer].storedActivationBytes)
                << model;
        }
    }
}

TEST(NetworkGraphs, ALayerHandsOnWhateverLaterLayersRead) {
    for (const char* model : graphs) {
        const LayerProfile profile = generatedProfile(model, {});
        const NetworkGraph& graph = profile.operators;
        for (int layer = 0; layer + 1 < profile.layerCount(); ++layer) {
            double bytes = 0;
            for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
                const bool crosses =
                    graph.layerOf[node] <= layer &&
                    std::any_of(graph.edges.begin(), graph.edges.end(), [&](const LayerEdge& edge) {
                        return at(edge.from) == node && graph.layerOf[at(edge.to)] > layer;
                    });
                if (crosses) bytes += graph.nodes[node].outputBytes;
            }
            EXPECT_EQ(profile.layers[at(layer)].outputBytes, bytes) << model << " layer " << layer;
        }
    }
}

// Of the classical networks one tensor goes from layer to layer, of AmoebaNet-D's cells two.
TEST(NetworkGraphs, CellsHandOnTwoTensors) {
    for (const char* model : graphs) {
        const LayerProfile profile = generatedProfile(model, {});
        const std::vector<int> crossing = tensorsCrossing(profile.operators);
        int most = 0;
        for (const int cut : cutsOf(profile)) most = std::max(most, crossing[at(cut)]);
        EXPECT_EQ(most, std::string(model) == "amoebanet-d" ? 2 : 1) << model;
    }
}

TEST(NetworkGraphs, AmoebaNetHasThousandsOfNodes) {
    EXPECT_GT(network("amoebanet-d").nodes.size(), 1500u);
    EXPECT_GT(network("amoebanet-d", {{"depth", 72}}).nodes.size(), 3000u);
    EXPECT_EQ(network("amoebanet-d").layers.size(), 1u + 2u + 36u + 2u + 1u);
}

TEST(NetworkGraphs, WhatIsAddedOrJoinedHasTheSameSides) {
    // 7x7 is what 224x224 comes to after five halvings; all of a cell's tensors are of that size.
    const NetworkDescription amoeba = network("amoebanet-d");
    const double channels = 544.0 / 4 * 16;  // doubled by each of four reductions
    EXPECT_EQ(amoeba.nodes[amoeba.nodes.size() - 2].outputElements, 4 * channels * 7 * 7);
    const NetworkDescription dense = network("densenet-121");
    EXPECT_EQ(dense.layers[dense.layers.size() - 2].outputElements, 1024 * 7 * 7);
}

// The 3x3 and the shortcut convolution of a group's first block read the same tensor; so do the branches of
// an Inception module.
TEST(NetworkGraphs, ATensorThatSeveralNodesKeepCountsOnce) {
    const NetworkDescription resnet = network("resnet-50");
    const double image = 56 * 56, entering = 64 * image;
    // convolutions keep their inputs, norms theirs: entering, 256, then 64 64, 64 64, 64 256 channels of
    // 56x56
    EXPECT_EQ(resnet.layers[1].storedElements(), entering + image * (256 + 64 + 64 + 64 + 64 + 256));
    const NetworkDescription inception = network("inception-v3");
    const auto keepers =
        std::count_if(inception.edges.begin(), inception.edges.end(), [&](const LayerEdge& edge) {
            const Operation& first = inception.nodes[at(edge.to)].operations.front();
            return inception.layerOf[at(edge.to)] == 7 && inception.layerOf[at(edge.from)] == 6 &&
                   first.storedElements > 0;
        });
    EXPECT_EQ(keepers, 1);
}

}  // namespace
}  // namespace stagecraft
