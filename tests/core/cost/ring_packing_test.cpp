// Rings laid along links, against all ways to lay them.
#include "core/cost/interconnect.h"
#include "core/cost/ring_packing.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <random>

namespace stagecraft {
namespace {

using cost::LaidRing;
using cost::packedRings;
using cost::RingPacking;

using Widths = std::vector<std::vector<double>>;

Widths widthsOf(std::size_t count, const std::function<double(std::size_t, std::size_t)>& width) {
    Widths widths(count, std::vector<double>(count, 0));
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = a + 1; b < count; ++b) widths[a][b] = widths[b][a] = width(a, b);
    return widths;
}

/// Takes every ring through all places so many times, and then the next, as long as links have room.
class Exhaustive {
public:
    explicit Exhaustive(const Widths& widths) : left_(widths) {
        std::vector<std::size_t> order(widths.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        do
            if (order[1] < order.back()) orders_.push_back(order);
        while (std::next_permutation(order.begin() + 1, order.end()));
    }
    int most(std::size_t from = 0) {
        if (from == orders_.size()) return 0;
        int best = most(from + 1);
        int taken = 0;
        for (; take(orders_[from], 1); ++taken) best = std::max(best, taken + 1 + most(from + 1));
        for (; taken > 0; --taken) take(orders_[from], -1);
        return best;
    }

private:
    bool take(const std::vector<std::size_t>& order, int times) {
        const auto each = [&](auto visit) {
            for (std::size_t place = 0; place < order.size(); ++place) {
                const std::size_t a = order[place], b = order[(place + 1) % order.size()];
                visit(left_[std::min(a, b)][std::max(a, b)]);
            }
        };
        bool fits = true;
        each([&](double width) { fits = fits && width >= times; });
        if (fits) each([&](double& width) { width -= times; });
        return fits;
    }

    Widths left_;
    std::vector<std::vector<std::size_t>> orders_;
};

double mostUsed(const RingPacking& packing, const Widths& widths) {
    std::map<std::pair<int, int>, double> used;
    for (const LaidRing& ring : packing.rings)
        for (std::size_t place = 0; place < ring.order.size(); ++place) {
            const auto ends = std::minmax(ring.order[place], ring.order[(place + 1) % ring.order.size()]);
            used[{ends.first, ends.second}] += ring.bps;
        }
    double most = 0;
    for (const auto& [ends, bps] : used)
        most = std::max(
            most, bps / widths[static_cast<std::size_t>(ends.first)][static_cast<std::size_t>(ends.second)]);
    return most;
}

/// In sixths of a link: with four places halves are enough for the best, with five sixths nearly always.
RC_GTEST_PROP(RingPacking, IsTheBestOfAllWaysToLayRings, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const std::size_t count = 3 + random() % 3;
    const double most = count < 5 ? 2 : 1;  // links between two
    const Widths widths =
        widthsOf(count, [&](auto, auto) { return 6 * std::min(double(random() % 5), most); });
    const RingPacking packing = packedRings(widths);
    const double best = 2 * Exhaustive(widths).most();
    RC_ASSERT(mostUsed(packing, widths) <= 1 + 1e-9);
    RC_ASSERT(packing.bps() >= best - 1e-6);
    RC_ASSERT(packing.bps() <= best + (count < 5 ? 1e-6 : 1));
}

/// However wide links are, none carries too much, each ring goes through all places once, and no rank sends
/// more than its links carry, or less than one ring would.
RC_GTEST_PROP(RingPacking, FillsNoLinkTooMuch, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const std::size_t count = 3 + random() % 6;
    const Widths widths = widthsOf(count, [&](auto, auto) { return 1e9 * double(random() % 40); });
    const RingPacking packing = packedRings(widths);
    RC_ASSERT(mostUsed(packing, widths) <= 1 + 1e-9);
    double least = 1e300, narrowest = 1e300;
    for (const std::vector<double>& own : widths)
        least = std::min(least, std::accumulate(own.begin(), own.end(), 0.0));
    for (std::size_t place = 0; place < count; ++place)
        narrowest = std::min(narrowest, widths[place][(place + 1) % count]);
    RC_ASSERT(packing.bps() <= least * (1 + 1e-9));
    RC_ASSERT(packing.bps() >= 2 * narrowest * (1 - 1e-9));
    for (const LaidRing& ring : packing.rings) {
        std::vector<int> places = ring.order;
        std::ranges::sort(places);
        for (std::size_t place = 0; place < count; ++place) RC_ASSERT(places[place] == int(place));
    }
}

/// All that joins each pair: with n - 1 links a GPU all of them are full.
TEST(RingPacking, FillsAllLinksOfAMeshOfAll) {
    for (std::size_t count = 3; count <= 8; ++count)
        EXPECT_NEAR(packedRings(widthsOf(count, [](auto, auto) { return 10; })).bps(),
                    10.0 * (double(count) - 1), 1e-9)
            << count;
    EXPECT_EQ(packedRings(widthsOf(2, [](auto, auto) { return 10; })).bps(), 10) << "there and back";
    EXPECT_EQ(packedRings(widthsOf(4, [](auto a, auto) { return a == 0 ? 0 : 10; })).bps(), 0);
}

/// GPUs of one server that are joined by links of so many bytes a second, and to one switch by narrower ones.
Cluster joined(int gpus, const std::vector<std::array<int, 3>>& links, const char* server = "s") {
    Cluster cluster;
    cluster.switches.push_back({"pcie", server});
    for (int gpu = 0; gpu < gpus; ++gpu) {
        const std::string id = "g" + std::to_string(gpu);
        cluster.devices.push_back({id, server, "", 1e9, 1, 0});
        cluster.links.push_back({id, "pcie", 5, 0, ""});
    }
    for (const auto& [a, b, bps] : links)
        cluster.links.push_back({"g" + std::to_string(a), "g" + std::to_string(b), double(bps), 0, ""});
    return cluster;
}

double laidOn(const Cluster& cluster, const std::vector<int>& devices) {
    const Interconnect net(cluster);
    return net.laidBps(devices, net.minBandwidthBps(devices, devices));
}

TEST(LinkRings, AreOfLinksInOneServer) {
    EXPECT_EQ(laidOn(joined(3, {{0, 1, 10}, {1, 2, 10}, {2, 0, 20}}), {0, 1, 2}), 20);
    EXPECT_EQ(laidOn(joined(3, {{0, 1, 10}, {1, 2, 10}}), {0, 1, 2}), 0) << "not closed";
    EXPECT_EQ(laidOn(joined(2, {{0, 1, 10}}), {0, 1}), 0) << "what any two have";
    EXPECT_EQ(laidOn(joined(2, {{0, 1, 10}, {1, 0, 20}}), {0, 1}), 30) << "links side by side";
    EXPECT_EQ(laidOn(joined(3, {{0, 1, 2}, {1, 2, 2}, {2, 0, 2}}), {0, 1, 2}), 0) << "slower than the switch";
    EXPECT_EQ(laidOn(joined(3, {{0, 1, 10}, {1, 2, 10}, {2, 0, 20}}, ""), {0, 1, 2}), 0) << "in no server";
    std::vector<std::array<int, 3>> round;
    for (int gpu = 0; gpu < 16; ++gpu) round.push_back({gpu, (gpu + 1) % 16, 10});
    std::vector<int> all(16);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(laidOn(joined(16, round), all), 20) << "of many one, in their order";
}

}  // namespace
}  // namespace stagecraft
