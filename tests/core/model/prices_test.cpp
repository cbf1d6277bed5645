// What devices cost together, and how dollars are written.
#include "core/model/prices.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {

namespace {

Problem ofPrices(const std::vector<double>& prices, double setups) {
    Problem problem;
    problem.setup.gpuPricePerHour = setups;
    for (const double price : prices) {
        Device device;
        device.pricePerHour = price;
        problem.cluster.devices.push_back(device);
    }
    return problem;
}

}  // namespace

TEST(Prices, ADevicesOwnStandsInThePlaceOfTheSetups) {
    const Problem problem = ofPrices({0, 7.2, 0}, 3.6);
    EXPECT_EQ(pricePerHour(problem, 0), 3.6);
    EXPECT_EQ(pricePerHour(problem, 1), 7.2);
    EXPECT_TRUE(hasPrices(problem));
    EXPECT_EQ(firstWithoutPrice(problem), -1);
    EXPECT_NEAR(dollarsPerSecond(problem, std::vector<int>{0, 1}), 3e-3, 1e-15);
    // Each device once, however many stages it has.
    Plan plan;
    for (const std::vector<int>& devices : {std::vector<int>{2, 1}, std::vector<int>{1}})
        plan.stages.emplace_back().devices = devices;
    EXPECT_EQ(usedDevices(plan), (std::vector<int>{1, 2}));
    EXPECT_NEAR(dollarsPerSecond(problem, plan), 3e-3, 1e-15);
}

TEST(Prices, OneThatIsNotKnownLeavesTheSumUnknown) {
    const Problem some = ofPrices({1, 0, 2}, 0), none = ofPrices({0, 0}, 0);
    EXPECT_FALSE(hasPrices(some));
    EXPECT_EQ(firstWithoutPrice(some), 1);
    EXPECT_EQ(dollarsPerSecond(some, std::vector<int>{0, 1}), 0);
    EXPECT_GT(dollarsPerSecond(some, std::vector<int>{0, 2}), 0);
    EXPECT_FALSE(hasPrices(none));
    EXPECT_EQ(firstWithoutPrice(none), -1);
}

TEST(Prices, DollarsHaveCentsFromOneOn) {
    EXPECT_EQ(formatDollars(12.3), "$12.30");
    EXPECT_EQ(formatDollars(1), "$1.00");
    EXPECT_EQ(formatDollars(1234567.089), "$1,234,567.09");
    EXPECT_EQ(formatDollars(0.01234), "$0.0123");
    EXPECT_EQ(formatDollars(0), "$0");
}

}  // namespace stagecraft
