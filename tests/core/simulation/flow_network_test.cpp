// Max-min fair rates against a slow reference, and what they are by definition.
#include "core/simulation/flow_network.h"

#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

namespace stagecraft {
namespace {

struct SharedWays {
    std::vector<LinkFlow> flows;
    std::vector<double> wayBps;

    bool fits(const std::vector<double>& rates) const {
        for (std::size_t way = 0; way < wayBps.size(); ++way) {
            double all = 0;
            for (std::size_t flow = 0; flow < flows.size(); ++flow)
                for (const LinkFlow::Crossing& each : flows[flow].crossings)
                    if (each.way == static_cast<int>(way)) all += each.flows * rates[flow];
            if (all > wayBps[way] * (1 + 1e-12)) return false;
        }
        return true;
    }
};

SharedWays anyWays(std::mt19937& random) {
    SharedWays made;
    const auto upTo = [&random](int most) { return static_cast<int>(random() % unsigned(most + 1)); };
    for (int way = 1 + upTo(5); way > 0; --way) made.wayBps.push_back(1 + upTo(9));
    for (int flow = 1 + upTo(7); flow > 0; --flow) {
        LinkFlow& own = made.flows.emplace_back();
        own.fullBps = 1 + upTo(9);
        for (int way = 0; way < static_cast<int>(made.wayBps.size()); ++way)
            if (random() % 3 == 0) own.crossings.push_back({way, random() % 4 ? 1.0 : 0.5 * (1 + upTo(5))});
    }
    return made;
}

/// Of those that go: all as fast as one another for as long as it can be, by bisection; whoever cannot be a
/// little faster alone stays there.
std::vector<double> reference(const SharedWays& ways, std::vector<std::size_t> going) {
    std::vector<double> rates(ways.flows.size(), 0);
    while (!going.empty()) {
        const auto at = [&](double level) {
            std::vector<double> tried = rates;
            for (const std::size_t flow : going) tried[flow] = std::min(level, ways.flows[flow].fullBps);
            return tried;
        };
        double low = 0, high = 16;
        for (int step = 0; step < 60; ++step)
            (ways.fits(at((low + high) / 2)) ? low : high) = (low + high) / 2;
        rates = at(low);
        std::erase_if(going, [&](std::size_t flow) {
            std::vector<double> faster = rates;
            faster[flow] += 1e-6;
            return faster[flow] > ways.flows[flow].fullBps || !ways.fits(faster);
        });
    }
    return rates;
}

RC_GTEST_PROP(FlowNetworks, AreMaxMinFairWhateverBeginsAndEnds, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const SharedWays ways = anyWays(random);
    FlowNetwork network(ways.flows, ways.wayBps, ways.flows.size());
    std::vector<bool> goes(ways.flows.size(), false);
    for (int step = 0; step < 12; ++step) {
        for (int change = 1 + static_cast<int>(random() % 3); change > 0; --change) {
            const std::size_t flow = random() % ways.flows.size();
            if (goes[flow])
                network.end(static_cast<int>(flow));
            else
                network.begin(static_cast<int>(flow), static_cast<int>(flow));
            goes[flow] = !goes[flow];
        }
        if (!network.isSettled()) network.settle();
        std::vector<std::size_t> going;
        for (std::size_t flow = 0; flow < goes.size(); ++flow)
            if (goes[flow]) going.push_back(flow);
        const std::vector<double> expected = reference(ways, going);
        for (const std::size_t flow : going) {
            const double rate = network.speed(static_cast<int>(flow)) * ways.flows[flow].fullBps;
            RC_ASSERT(std::abs(rate - expected[flow]) < 1e-5);
            if (expected[flow] > ways.flows[flow].fullBps - 1e-9)
                RC_ASSERT(network.speed(static_cast<int>(flow)) == 1.0);
        }
    }
}

/// The example of Bertsekas and Gallager's kind: three sessions over the first of two links of 1, one of them
/// over the second too, where one more goes.
TEST(FlowNetworks, GiveEachItsShareAndWhatIsLeftToTheOthers) {
    const std::vector<LinkFlow> flows = {{10, 0, {{0, 1}}},
                                         {10, 0, {{0, 1}}},
                                         {10, 0, {{0, 1}, {1, 1}}},
                                         {10, 0, {{1, 1}}},
                                         {0.25, 0, {{1, 1}}}};
    FlowNetwork network(flows, {3, 4}, 5);
    for (int flow = 0; flow < 4; ++flow) network.begin(flow, flow);
    network.settle();
    EXPECT_DOUBLE_EQ(network.speed(0), 0.1);
    EXPECT_DOUBLE_EQ(network.speed(2), 0.1);
    EXPECT_DOUBLE_EQ(network.speed(3), 0.3);
    network.begin(4, 4);  // wants little, and has it
    network.settle();
    EXPECT_EQ(network.speed(4), 1);
    EXPECT_DOUBLE_EQ(network.speed(3), 0.275);
    network.end(0);
    network.end(1);
    network.settle();
    EXPECT_DOUBLE_EQ(network.speed(2), 0.1875);
    EXPECT_DOUBLE_EQ(network.speed(3), 0.1875);
}

}  // namespace
}  // namespace stagecraft
