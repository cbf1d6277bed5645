#include "core/planners/vpipe/kernighan_lin.h"
#include "tests/support/every_room.h"
#include "core/planners/vpipe/repartition.h"
#include "tests/core/support/golden_cases.h"

#include "core/generation/generated_profile.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>
#include <random>

namespace stagecraft::planners::vpipe {
namespace {

using stagecraft::testing::goldenCase;

std::vector<GraphEdge> edgesOf(const nlohmann::json& list) {
    std::vector<GraphEdge> edges;
    for (const auto& edge : list) edges.push_back({edge.at("u"), edge.at("v"), edge.at("bytes")});
    return edges;
}

TEST(VpipeCoarsening, GivesTheGoldenGroupsEdgesAndBound) {
    const auto golden = goldenCase("vp-07-coarsen");
    const LayerGraph graph =
        layerGraph(golden.input.at("t").get<std::vector<double>>(), edgesOf(golden.input.at("edges")));
    EXPECT_EQ(graph.invokedS, golden.input.at("T").get<std::vector<double>>());
    const int p = golden.input.at("p");
    const std::vector<EdgeKind> kinds = edgeKinds(graph, p);
    for (std::size_t e = 0; e < kinds.size(); ++e) {
        const auto& expected = golden.expected.at("kinds")[e];
        ASSERT_EQ(graph.edges[e].from, expected.at("u"));
        EXPECT_EQ(kinds[e] == EdgeKind::critical ? "critical"
                  : kinds[e] == EdgeKind::sparse ? "sparse"
                                                 : "subgraph",
                  expected.at("kind"))
            << e;
    }
    const CoarseGraph coarse = coarsened(graph, p);
    std::vector<int> firsts;
    for (const auto& group : golden.expected.at("groups")) firsts.push_back(group[0]);
    EXPECT_EQ(coarse.firstNode, firsts);
    EXPECT_EQ(coarse.graph.timeS, golden.expected.at("times").get<std::vector<double>>());
    EXPECT_EQ(coarse.graph.edges, edgesOf(golden.expected.at("edges")));
    const std::vector<int> bounds = bipartitionBounds(coarse.graph, p);
    EXPECT_EQ(bounds, (std::vector<int>{golden.expected.at("bound").get<int>()}));
    EXPECT_EQ(cutBytes(coarse.graph, partsOf(coarse.graph.nodeCount(), bounds)), golden.expected.at("cut"));
}

TEST(VpipeKernighanLin, FindsTheGoldenCliquesInOnePass) {
    const auto golden = goldenCase("vp-08-kl-cliques");
    const int nodes = golden.input.at("n");
    const LayerGraph graph = layerGraph(std::vector<double>(static_cast<std::size_t>(nodes), 1),
                                        edgesOf(golden.input.at("edges")));
    Bipartition start(static_cast<std::size_t>(nodes), true);
    for (const int node : golden.input.at("start")) start[static_cast<std::size_t>(node)] = false;
    EXPECT_EQ(cutBytes(graph, start), golden.expected.at("start_cut"));
    const Bipartition found = kernighanLin(graph, start, {.mostPasses = 1});
    EXPECT_EQ(cutBytes(graph, found), golden.expected.at("cut"));
    for (const auto& part : golden.expected.at("parts"))
        for (const int node : part)
            EXPECT_EQ(found[static_cast<std::size_t>(node)], found[part[0].get<std::size_t>()]);
}

LayerGraph randomGraph(int mostNodes, int leastNodes = 2) {
    const auto between = [](int low, int high) { return *rc::gen::inRange(low, high + 1); };
    const int nodes = between(leastNodes, mostNodes);
    std::vector<double> timeS;
    std::vector<GraphEdge> edges;
    for (int node = 0; node < nodes; ++node) {
        timeS.push_back(between(1, 9));
        if (node > 0) edges.push_back({node - 1, node, double(between(1, 30))});
        if (node > 1 && between(0, 1)) edges.push_back({between(0, node - 2), node, double(between(1, 30))});
    }
    return layerGraph(std::move(timeS), std::move(edges));
}

TEST(VpipeKernighanLin, NeverCutsMoreThanItsStartAndKeepsBothSidesSizes) {
    EXPECT_TRUE(rc::check([] {
        const LayerGraph graph = randomGraph(20);
        Bipartition start;
        for (int node = 0; node < graph.nodeCount(); ++node) start.push_back(*rc::gen::inRange(0, 2) == 1);
        const Bipartition found = kernighanLin(graph, start);
        RC_ASSERT(cutBytes(graph, found) <= cutBytes(graph, start));
        RC_ASSERT(std::count(found.begin(), found.end(), true) ==
                  std::count(start.begin(), start.end(), true));
    }));
}

double slowestS(const LayerGraph& graph, const std::vector<int>& bounds, int p) {
    std::vector<double> stageS(static_cast<std::size_t>(p), 0);
    const std::vector<int> part = partsOf(graph.nodeCount(), bounds);
    for (std::size_t node = 0; node < part.size(); ++node)
        stageS[static_cast<std::size_t>(part[node])] += graph.timeS[node];
    return *std::max_element(stageS.begin(), stageS.end());
}

TEST(VpipeRepartition, GivesEveryStageANodeForAnyNumberOfStages) {
    EXPECT_TRUE(rc::check([] {
        const LayerGraph graph = randomGraph(40);
        const int p = *rc::gen::inRange(1, graph.nodeCount() + 1);
        const std::vector<int> bounds = repartition(graph, p);
        RC_ASSERT(static_cast<int>(bounds.size()) == p - 1);
        for (std::size_t b = 0; b < bounds.size(); ++b)
            RC_ASSERT(bounds[b] > (b == 0 ? 0 : bounds[b - 1]) && bounds[b] < graph.nodeCount());
    }));
}

TEST(VpipeRepartition, RefiningNeverCutsMoreAndHardlySlowsTheSlowestStage) {
    EXPECT_TRUE(rc::check([] {
        const LayerGraph graph = randomGraph(40, 8);
        const int p = *rc::gen::inRange(2, 8);
        const std::vector<int> bounds = bipartitionBounds(graph, p);
        const std::vector<int> refined = refinedBounds(graph, bounds);
        const auto cut = [&](const std::vector<int>& at) {
            return cutBytes(graph, partsOf(graph.nodeCount(), at));
        };
        RC_ASSERT(cut(refined) <= cut(bounds) * (1 + 1e-12));
        const double mean = std::accumulate(graph.timeS.begin(), graph.timeS.end(), 0.0) / p;
        RC_ASSERT(slowestS(graph, refined, p) <=
                  std::max(slowestS(graph, bounds, p), refinedWithin * mean) * (1 + 1e-12));
    }));
}

TEST(VpipeRepartition, TheStartingPartitionIsTheBestOfAll) {
    EXPECT_TRUE(rc::check([] {
        const LayerGraph graph = randomGraph(9, 3);
        const int p = *rc::gen::inRange(1, 4);
        double least = std::numeric_limits<double>::infinity();
        for (unsigned chosen = 0; chosen < (1u << (graph.nodeCount() - 1)); ++chosen) {
            std::vector<int> bounds;
            for (int node = 1; node < graph.nodeCount(); ++node)
                if (chosen >> (node - 1) & 1) bounds.push_back(node);
            if (static_cast<int>(bounds.size()) == p - 1) least = std::min(least, slowestS(graph, bounds, p));
        }
        RC_ASSERT(slowestS(graph, balancedBounds(graph.timeS, p), p) == least);
    }));
}

/// The nodes of a network of the zoo with their own edges.
LayerGraph zooGraph(const std::string& model, const ParameterValues& shape) {
    const LayerProfile profile =
        analyticProfile(network(model, shape), *findGpu("RTX-2080-Ti-11GB"), {.microbatchSize = 4});
    const bool nodes = !profile.operators.nodes.empty();
    std::vector<double> timeS;
    std::vector<GraphEdge> edges;
    const std::vector<Layer>& layers = nodes ? profile.operators.nodes : profile.layers;
    for (const Layer& layer : layers) timeS.push_back(layer.forwardS + layer.backwardS);
    for (const LayerEdge& edge : nodes ? profile.operators.edges : profile.dependencies())
        edges.push_back({edge.from, edge.to, layers[static_cast<std::size_t>(edge.from)].outputBytes});
    return layerGraph(std::move(timeS), std::move(edges));
}

TEST(VpipeRepartition, SeesTheGraphOfOperatorsWhereEachIsALayer) {
    Problem problem;
    problem.profile = generatedProfile("bert-large", {{"depth", 2}, {"granularity", std::string("finest")}});
    problem.cluster.devices = {{"g0", "s0", "", 1e12, 1, 0}};
    const auto graphOf = [](const Problem& each) {
        return layerGraph(CostModel(each), std::vector<double>(each.profile.layers.size(), 1));
    };
    const LayerGraph graph = graphOf(problem);
    const NetworkGraph& operators = problem.profile.operators;
    EXPECT_EQ(graph.nodeCount(), static_cast<int>(operators.nodes.size()));
    ASSERT_EQ(graph.edges.size(), operators.edges.size());
    // A chain of single tensors has no other edges: what is under a shortcut is glued along it.
    EXPECT_GT(graph.edges.size(), operators.nodes.size());
    EXPECT_LT(coarsened(graph, 2).graph.nodeCount(), graph.nodeCount());
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
        EXPECT_EQ(graph.edges[e].bytes,
                  operators.nodes[static_cast<std::size_t>(operators.edges[e].from)].outputBytes);
    // Whole layers stay the chain that the profile has.
    problem.profile = generatedProfile("amoebanet-d", {{"depth", 3}});
    EXPECT_EQ(graphOf(problem).edges.size(), problem.profile.layers.size() - 1);
}

TEST(VpipeRepartition, CutsNoMoreThanPlainKernighanLinOnTheNetworksOfTableFour) {
    const std::vector<std::pair<std::string, ParameterValues>> networks = {{"bert-large", {{"depth", 96}}},
                                                                           {"transformer", {{"depth", 36}}},
                                                                           {"amoebanet-d", {}},
                                                                           {"gnmt", {{"depth", 48}}}};
    for (const auto& [model, shape] : networks) {
        const LayerGraph graph = zooGraph(model, shape);
        const int p = 16;
        const std::vector<int> bounds = repartition(graph, p);
        const double cut = cutBytes(graph, partsOf(graph.nodeCount(), bounds));
        const double plain = cutBytes(graph, plainKernighanLin(graph, p));
        EXPECT_LE(cut, plain * (1 + 1e-12)) << model << " of " << graph.nodeCount() << " nodes";
        const double mean = std::accumulate(graph.timeS.begin(), graph.timeS.end(), 0.0) / p;
        EXPECT_LE(slowestS(graph, bounds, p), 1.35 * mean) << model;
    }
}

}  // namespace
}  // namespace stagecraft::planners::vpipe
