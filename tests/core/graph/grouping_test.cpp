#include "core/graph/grouping.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace stagecraft {
namespace {

/// Nodes "n0", "n1", … of one second forward and two backward, that keep what they read.
NetworkGraph graphOf(const std::vector<double>& outputs, std::vector<LayerEdge> edges) {
    NetworkGraph graph;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        graph.nodes.push_back({"n" + std::to_string(i) + " op(" + std::to_string(i) + ")", 1, 2, 10,
                               outputs[i], outputs[i], 0, 1});
    graph.edges = std::move(edges);
    graph.layerOf.assign(outputs.size(), 0);
    const std::vector<double> inputs = inputBytes(graph.nodes, graph.edges);
    for (std::size_t i = 0; i < inputs.size(); ++i) graph.nodes[i].storedActivationBytes = inputs[i];
    return graph;
}

/// 0 -> 1 -> 3 and 0 -> 2 -> 3 -> 4.
LayerProfile diamond() {
    LayerProfile profile;
    profile.operators = graphOf({1, 20, 300, 4000, 0}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}});
    groupOperators(profile, chooseCuts(profile.operators).cuts);
    return profile;
}

TEST(Grouping, CountsTheTensorsThatCrossBehindEachNode) {
    EXPECT_EQ(tensorsCrossing(diamond().operators), (std::vector<int>{1, 2, 2, 1, 0}));
}

TEST(Grouping, ATensorBesideAMuchLargerOneIsCountedToTheByte) {
    LayerProfile profile;
    profile.operators = graphOf({1e26, 4097, 11, 5, 0}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}});
    groupOperators(profile, {0, 1, 2, 3});
    ASSERT_EQ(profile.layerCount(), 5);
    EXPECT_EQ(profile.layers[2].outputBytes, 4097 + 11);
    EXPECT_EQ(profile.layers[3].outputBytes, 5);
}

TEST(Grouping, WhatLiesBetweenTwoCutsIsOneLayerWithTheSumsOfItsNodes) {
    const LayerProfile profile = diamond();
    ASSERT_EQ(profile.layerCount(), 3);
    EXPECT_EQ(profile.operators.layerOf, (std::vector<int>{0, 1, 1, 1, 2}));
    const Layer& block = profile.layers[1];
    EXPECT_EQ(block, (Layer{"n1…n3 (3 nodes)", 3, 6, 30, 4000, 4000, 1 + 20 + 300, 3}))
        << "what 1 and 2 both read is stored once";
    EXPECT_EQ(profile.layers[0].name, "n0 op");
}

TEST(Grouping, ACutThatSeveralTensorsCrossHandsOnTheirSum) {
    const LayerProfile profile = regrouped(diamond(), {0, 1});
    ASSERT_EQ(profile.layerCount(), 3);
    EXPECT_EQ(profile.layers[1].outputBytes, 1 + 20) << "0's output on its way to 2, and 1's to 3";
    EXPECT_EQ(profile.layers[2].storedActivationBytes, 1 + 20 + 300 + 4000);
    EXPECT_EQ(cutsOf(profile), (std::vector<int>{0, 1, 4}));
}

TEST(Grouping, NodesThatKeepOtherThanWhatTheyReadCountByThemselves) {
    LayerProfile profile = diamond();
    profile.operators.nodes[1].storedActivationBytes = 7;
    EXPECT_EQ(regrouped(profile, {4}).layers[0].storedActivationBytes, 7 + (1 + 20 + 300 + 4000));
}

TEST(Grouping, RegroupingIsRefusedWithAReason) {
    const LayerProfile profile = diamond();
    EXPECT_THROW(regrouped(profile, {5}), std::invalid_argument);
    EXPECT_THROW(regrouped(profile, {-1}), std::invalid_argument);
    EXPECT_THROW(regrouped(profile, {2, 1}), std::invalid_argument);
    EXPECT_THROW(regrouped(profile, {1, 1}), std::invalid_argument);
    LayerProfile stale = profile;
    stale.layers.pop_back();
    EXPECT_FALSE(operatorsDescribeLayers(stale));
    EXPECT_THROW(regrouped(stale, {1}), std::invalid_argument);
    EXPECT_THROW(regrouped(LayerProfile{}, {}), std::invalid_argument);
}

TEST(Grouping, RegroupingBackGivesTheSameProfile) {
    LayerProfile profile = diamond();
    profile.otherSizes = {{4, {{1, 2, 1}, {2, 8, 4}, {3, 3, 1}}}};
    profile.microbatchSize = 2;
    const LayerProfile merged = regrouped(profile, {4});
    ASSERT_EQ(merged.layerCount(), 1);
    EXPECT_DOUBLE_EQ(merged.otherSizes[0].layers[0].forwardS, 6)
        << "measured times are shared out and summed";
    EXPECT_DOUBLE_EQ(merged.otherSizes[0].layers[0].backwardS, 13);
    EXPECT_EQ(regrouped(profile, cutsOf(profile)), profile);
}

TEST(Grouping, TheReasonNamesWhatWouldCrossACutInside) {
    const LayerProfile profile = diamond();
    EXPECT_EQ(whyOneLayer(profile, 0),
              "n0 alone is this layer. After it 1 tensor crosses to later layers: of n0.");
    EXPECT_EQ(whyOneLayer(profile, 1),
              "3 nodes are one layer, since a cut between them would be crossed by at least 2 tensors: "
              "after n1 by "
              "what n0, n1 hand on. After it 1 tensor crosses to later layers: of n3.");
    EXPECT_EQ(whyOneLayer(profile, 2), "n4 alone is this layer. Nothing is passed on to later layers.");
    EXPECT_EQ(whyOneLayer(LayerProfile{}, 0), "");
}

TEST(Grouping, ATensorThatEveryBlockReadsDoesNotGlueTheNetworkTogether) {
    // A mask (node 0) that all of 1..16 read, which are a chain themselves.
    std::vector<LayerEdge> edges;
    for (int node = 1; node <= 16; ++node) {
        edges.push_back({0, node});
        if (node > 1) edges.push_back({node - 1, node});
    }
    const NetworkGraph graph = graphOf(std::vector<double>(17, 8), edges);
    const ChosenCuts chosen = chooseCuts(graph);
    EXPECT_EQ(chosen.width, 2);
    EXPECT_EQ(chosen.cuts.size(), 17u);
}

TEST(Grouping, CutsStayNarrowWhereWiderOnesWouldNotHelp) {
    EXPECT_EQ(chooseCuts(graphOf({1, 1, 1, 0}, {{0, 1}, {1, 2}, {2, 3}})).width, 1);
}

TEST(Grouping, RequiredCutsAreMadeWhateverCrosses) {
    const ChosenCuts chosen = chooseCuts(diamond().operators, {2});
    EXPECT_TRUE(std::count(chosen.cuts.begin(), chosen.cuts.end(), 2));
}

TEST(Grouping, NodesThatAreLeftOutCarryNothing) {
    LayerProfile profile;
    profile.operators = graphOf({50, 1, 1, 0}, {{0, 1}, {0, 3}, {1, 2}, {2, 3}});
    profile.operators.layerOf[0] = -1;
    groupOperators(profile, chooseCuts(profile.operators).cuts);
    ASSERT_EQ(profile.layerCount(), 3);
    EXPECT_EQ(profile.layers[0].outputBytes, 1);
    EXPECT_EQ(profile.operators.layerOf, (std::vector<int>{-1, 0, 1, 2}));
    EXPECT_TRUE(operatorsDescribeLayers(profile));
}

TEST(Grouping, AnyCutsOfAnyGraphKeepTheSumsAndFitTheLayers) {
    EXPECT_TRUE(rc::check([] {
        const int nodes = *rc::gen::inRange(1, 14);
        std::vector<double> outputs;
        std::vector<LayerEdge> edges;
        for (int to = 0; to < nodes; ++to) {
            outputs.push_back(*rc::gen::inRange(0, 3));
            for (int from = 0; from < to; ++from)
                if (*rc::gen::inRange(0, 3) == 0) edges.push_back({from, to});
        }
        LayerProfile profile;
        profile.operators = graphOf(outputs, edges);
        std::vector<int> kept;
        for (int node = 0; node < nodes; ++node) {
            if (*rc::gen::inRange(0, 5) == 0)
                profile.operators.layerOf[static_cast<std::size_t>(node)] = -1;
            else
                kept.push_back(node);
        }
        RC_PRE(!kept.empty());
        groupOperators(profile, chooseCuts(profile.operators).cuts);
        std::vector<int> cuts;
        for (const int node : kept)
            if (*rc::gen::arbitrary<bool>()) cuts.push_back(node);
        profile = regrouped(profile, cuts);
        RC_ASSERT(operatorsDescribeLayers(profile));
        double forward = 0, parameters = 0;
        for (const Layer& layer : profile.layers) {
            forward += layer.forwardS;
            parameters += layer.parameterBytes;
        }
        RC_ASSERT(forward == static_cast<double>(kept.size()));
        RC_ASSERT(parameters == 10.0 * static_cast<double>(kept.size()));
        // What crosses each cut, counted afresh.
        const std::vector<int>& layerOf = profile.operators.layerOf;
        for (int layer = 0; layer < profile.layerCount(); ++layer) {
            double bytes = 0;
            for (int node = 0; node < nodes; ++node) {
                const auto isIn = [&](int index) { return layerOf[static_cast<std::size_t>(index)] >= 0; };
                bool crosses = false;
                for (const LayerEdge& edge : edges)
                    crosses = crosses || (edge.from == node && isIn(edge.to) && isIn(node) &&
                                          layerOf[static_cast<std::size_t>(node)] <= layer &&
                                          layerOf[static_cast<std::size_t>(edge.to)] > layer);
                if (crosses) bytes += outputs[static_cast<std::size_t>(node)];
            }
            RC_ASSERT(profile.layers[static_cast<std::size_t>(layer)].outputBytes == bytes);
        }
    }));
}

}  // namespace
}  // namespace stagecraft
