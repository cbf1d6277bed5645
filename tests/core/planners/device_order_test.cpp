#include "core/planners/spp/device_order.h"

#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/stoer_wagner_min_cut.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace stagecraft {
namespace {

WeightMatrix matrixOf(const nlohmann::json& bandwidth) {
    WeightMatrix graph{static_cast<int>(bandwidth.size()), {}};
    for (const nlohmann::json& row : bandwidth)
        for (const double weight : row) graph.weights.push_back(weight);
    return graph;
}

std::vector<int> allVertices(const WeightMatrix& graph) {
    std::vector<int> vertices(static_cast<std::size_t>(graph.count));
    std::iota(vertices.begin(), vertices.end(), 0);
    return vertices;
}

double weightAcross(const WeightMatrix& graph, const std::vector<int>& side) {
    double weight = 0;
    for (const int a : side)
        for (int b = 0; b < graph.count; ++b)
            if (std::find(side.begin(), side.end(), b) == side.end()) weight += graph.at(a, b);
    return weight;
}

TEST(DeviceOrder, MinimumCutOfStoerAndWagnersOwnExample) {
    const auto golden = testing::goldenCase("spp-01-mincut-stoer-wagner");
    const WeightMatrix graph = matrixOf(golden.input.at("bandwidth"));
    MinimumCut cut = minimumCut(graph, allVertices(graph));
    EXPECT_EQ(cut.weight, golden.expected.at("min_cut").get<double>());
    if (cut.side.front() != 0) {
        std::vector<int> other;
        const std::vector<int> all = allVertices(graph);
        std::set_difference(all.begin(), all.end(), cut.side.begin(), cut.side.end(),
                            std::back_inserter(other));
        cut.side = other;
    }
    EXPECT_EQ(nlohmann::json(cut.side), golden.expected.at("sides_with_gpu0").at(0));
}

TEST(DeviceOrder, MinimumCutIsAsLightAsBoostsAndWeighsWhatItSays) {
    EXPECT_TRUE(rc::check([] {
        const int count = *rc::gen::inRange(2, 10);
        WeightMatrix graph{count, std::vector<double>(static_cast<std::size_t>(count * count), 0)};
        using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                            boost::property<boost::edge_weight_t, double>>;
        Graph oracle(static_cast<std::size_t>(count));
        for (int a = 0; a < count; ++a)
            for (int b = 0; b < a; ++b) {
                graph.at(a, b) = graph.at(b, a) = *rc::gen::inRange(0, 5);
                boost::add_edge(static_cast<std::size_t>(a), static_cast<std::size_t>(b), graph.at(a, b),
                                oracle);
            }
        const MinimumCut cut = minimumCut(graph, allVertices(graph));
        RC_ASSERT(cut.weight == boost::stoer_wagner_min_cut(oracle, boost::get(boost::edge_weight, oracle)));
        RC_ASSERT(!cut.side.empty());
        RC_ASSERT(static_cast<int>(cut.side.size()) < count);
        RC_ASSERT(weightAcross(graph, cut.side) == cut.weight);
    }));
}

TEST(DeviceOrder, TwoServersStayWholeAndInLowestFirstOrder) {
    const auto golden = testing::goldenCase("spp-02-rdo-two-servers");
    const std::vector<int> order = recursiveDeviceOrder(matrixOf(golden.input.at("bandwidth")));
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
    const auto& legal = golden.expected.at("all_legal_orders");
    EXPECT_NE(std::find(legal.begin(), legal.end(), nlohmann::json(order)), legal.end());
}

TEST(DeviceOrder, IsolatedGpusComeFirstByTheWrittenTieRule) {
    const auto golden = testing::goldenCase("spp-03-rdo-isolates-one-gpu");
    const WeightMatrix graph = matrixOf(golden.input.at("bandwidth"));
    EXPECT_EQ(minimumCut(graph, allVertices(graph)).weight, golden.expected.at("min_cut").get<double>());
    EXPECT_EQ(nlohmann::json(recursiveDeviceOrder(graph)), golden.expected.at("order_small"));
}

TEST(DeviceOrder, EveryServerOfTheDefaultSettingStaysContiguous) {
    const auto golden = testing::goldenCase("spp-24-default-setting");
    const WeightMatrix graph = matrixOf(golden.input.at("topology").at("bandwidth"));
    EXPECT_EQ(minimumCut(graph, allVertices(graph)).weight, golden.expected.at("min_cut").get<double>());
    const std::vector<int> order = recursiveDeviceOrder(graph);
    EXPECT_EQ(nlohmann::json(order), golden.input.at("order"));
    for (std::size_t place = 0; place < order.size(); ++place)
        EXPECT_EQ(order[place] / 4, order[place / 4 * 4] / 4);
}

/// The lightest of all ways to part some vertices in two, by trying each.
double lightestCut(const WeightMatrix& graph, const std::vector<int>& vertices) {
    double least = std::numeric_limits<double>::infinity();
    for (unsigned side = 1; side + 1 < 1u << vertices.size(); ++side) {
        double weight = 0;
        for (std::size_t a = 0; a < vertices.size(); ++a)
            for (std::size_t b = 0; b < vertices.size(); ++b)
                if ((side >> a & 1) && !(side >> b & 1)) weight += graph.at(vertices[a], vertices[b]);
        least = std::min(least, weight);
    }
    return least;
}

TEST(DeviceOrder, EachForkPartsItsDevicesByACutAsLightAsBruteForceFinds) {
    EXPECT_TRUE(rc::check([] {
        const int count = *rc::gen::inRange(1, 8);
        WeightMatrix graph{count, std::vector<double>(static_cast<std::size_t>(count * count), 0)};
        for (int a = 0; a < count; ++a)
            for (int b = 0; b < a; ++b) graph.at(a, b) = graph.at(b, a) = *rc::gen::inRange(0, 9);
        const DeviceCuts cuts = recursiveCuts(graph);
        RC_ASSERT(cuts.order == recursiveDeviceOrder(graph));
        RC_ASSERT(static_cast<int>(cuts.forks.size()) == count - 1);
        for (const CutFork& fork : cuts.forks) {
            const auto begin = cuts.order.begin() + fork.first;
            std::vector<int> devices(begin, begin + fork.count);
            double across = 0;
            for (int a = 0; a < fork.split; ++a)
                for (int b = fork.split; b < fork.count; ++b)
                    across +=
                        graph.at(devices[static_cast<std::size_t>(a)], devices[static_cast<std::size_t>(b)]);
            RC_ASSERT(across == fork.weight);
            RC_ASSERT(lightestCut(graph, devices) == fork.weight);
            RC_ASSERT(2 * fork.split <= fork.count);
        }
    }));
}

/// Servers with more bandwidth inside, in racks, numbered at random or not; or anything.
WeightMatrix randomGraph(int most) {
    const int count = *rc::gen::inRange(1, most), kind = *rc::gen::inRange(0, 4);
    const int server = *rc::gen::inRange(1, 9), rack = server * *rc::gen::inRange(1, 5);
    const double unit = *rc::gen::element(1.0, 1.0 / 3);
    std::vector<int> number(static_cast<std::size_t>(count));
    std::iota(number.begin(), number.end(), 0);
    if (*rc::gen::arbitrary<bool>())
        for (int last = count - 1; last > 0; --last)
            std::swap(number[static_cast<std::size_t>(last)],
                      number[static_cast<std::size_t>(*rc::gen::inRange(0, last + 1))]);
    WeightMatrix graph{count, std::vector<double>(static_cast<std::size_t>(count * count), 0)};
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < a; ++b) {
            const int x = number[static_cast<std::size_t>(a)], y = number[static_cast<std::size_t>(b)];
            const bool near = x / server == y / server;
            const double weight = kind == 0   ? *rc::gen::inRange(0, 9)
                                  : kind == 1 ? (near                   ? 300
                                                 : x / rack == y / rack ? 25
                                                                        : 5)
                                  : kind == 2 ? (near ? 20 : *rc::gen::inRange(32, 41))
                                              : (near ? 300 + x / server % 3 : 1);
            graph.at(a, b) = graph.at(b, a) = weight * unit;
        }
    return graph;
}

TEST(DeviceOrder, NoCutIsLighterThanItsBoundAndOneThatIsSaidToBeAloneIs) {
    EXPECT_TRUE(rc::check([] {
        const WeightMatrix graph = randomGraph(10);
        const CutBounds bounds(graph);
        std::vector<int> vertices = allVertices(graph);
        while (vertices.size() > 2 && *rc::gen::arbitrary<bool>())
            vertices.erase(vertices.begin() + *rc::gen::inRange(0, static_cast<int>(vertices.size())));
        RC_PRE(vertices.size() > 1);
        const CutBounds::Bound bound = bounds.of(vertices);
        const double lightest = lightestCut(graph, vertices);
        RC_ASSERT(bound.least <= lightest);
        if (bound.isolated < 0) return;
        int asLight = 0;
        for (unsigned side = 1; side + 1 < 1u << vertices.size(); side += 2) {  // each cut once
            double weight = 0;
            int held = 0, holder = -1;
            for (std::size_t a = 0; a < vertices.size(); ++a) {
                held += static_cast<int>(side >> a & 1);
                for (std::size_t b = 0; b < vertices.size(); ++b)
                    if ((side >> a & 1) && !(side >> b & 1)) weight += graph.at(vertices[a], vertices[b]);
            }
            if (weight > lightest * (1 + 1e-12)) continue;
            ++asLight;
            const bool one = held == 1;
            RC_ASSERT(one || held + 1 == static_cast<int>(vertices.size()));
            for (std::size_t a = 0; a < vertices.size(); ++a)
                if (((side >> a & 1) != 0) == one) holder = vertices[a];
            RC_ASSERT(holder == bound.isolated || vertices.size() == 2);
        }
        RC_ASSERT(asLight == 1);
    }));
}

/// RDO by complete searches for each cut.
void orderBySearch(const WeightMatrix& graph, const std::vector<int>& vertices, std::vector<int>& order) {
    if (vertices.size() == 1) return order.push_back(vertices.front());
    std::vector<int> first = minimumCut(graph, vertices).side, second;
    std::set_difference(vertices.begin(), vertices.end(), first.begin(), first.end(),
                        std::back_inserter(second));
    if (std::pair(second.size(), second.front()) < std::pair(first.size(), first.front()))
        std::swap(first, second);
    orderBySearch(graph, first, order);
    orderBySearch(graph, second, order);
}

TEST(DeviceOrder, BoundsOfCutsChangeNoOrder) {
    EXPECT_TRUE(rc::check([] {
        const WeightMatrix graph = randomGraph(48);
        std::vector<int> order;
        orderBySearch(graph, allVertices(graph), order);
        RC_ASSERT(recursiveDeviceOrder(graph) == order);
    }));
}

TEST(DeviceOrder, ForksComeBeforeThoseOfTheirSides) {
    WeightMatrix pairs{4, {0, 9, 1, 1, 9, 0, 1, 1, 1, 1, 0, 8, 1, 1, 8, 0}};
    EXPECT_EQ(recursiveCuts(pairs).forks, (std::vector<CutFork>{{0, 4, 2, 4}, {0, 2, 1, 9}, {2, 2, 1, 8}}));
}

TEST(DeviceOrder, OneDeviceAndNoneAreOrdersToo) {
    EXPECT_EQ(recursiveDeviceOrder({1, {0}}), std::vector<int>{0});
    EXPECT_TRUE(recursiveDeviceOrder({0, {}}).empty());
}

}  // namespace
}  // namespace stagecraft
