#include "core/cost/shared_work.h"

#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace stagecraft {
namespace {

double boundOf(const SharedWork& work, const std::vector<double>& devices) {
    double worth = 0;
    for (std::size_t kind = 0; kind < devices.size(); ++kind)
        if (devices[kind] > 0) worth += devices[kind] * work.worth[kind];
    return std::accumulate(work.leastS.begin(), work.leastS.end(), 0.0) / worth;
}

}  // namespace

TEST(SharedWork, IsTheSecondsOfTheFirstKindWhereAllAreAlikeOrProportional) {
    const SharedWork alone = sharedWork({{1, 2, 3}}, {4});
    EXPECT_EQ(alone.leastS, (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(boundOf(alone, {4}), 1.5);
    EXPECT_EQ(boundOf(sharedWork({{1, 2, 3}, {2, 4, 6}}, {1, 1}), {1, 1}), 4);
    EXPECT_EQ(boundOf(sharedWork({{9, 9, 9}, {2, 4, 6}}, {0, 2}), {0, 2}), 6)
        << "of a kind that is not there";
}

/// One of each kind, that is good at one item: 1 s together. By the whole of both they would be worth 10 s.
TEST(SharedWork, CountsAnItemWhereItIsBestDone) {
    const std::vector<double> devices{1, 1};
    EXPECT_NEAR(boundOf(sharedWork({{1, 9}, {9, 1}}, devices), devices), 1, 1e-12);
    // The first does its item and y of the other: 1 + 4 y = 3 (1 - y).
    EXPECT_NEAR(boundOf(sharedWork({{1, 4}, {9, 3}}, devices), devices), 1 + 8.0 / 7, 1e-12);
}

/// However items are cut and shared out, it takes no less; with two kinds some way takes no more.
RC_GTEST_PROP(SharedWork, NoWayToShareItemsOutIsFaster, ()) {
    const auto number = [](int low, int high) { return double(*rc::gen::inRange(low, high + 1)); };
    const std::size_t kinds = *rc::gen::inRange<std::size_t>(1, 4),
                      items = *rc::gen::inRange<std::size_t>(1, 6);
    std::vector<std::vector<double>> seconds(kinds);
    std::vector<double> devices;
    for (std::vector<double>& own : seconds) {
        for (std::size_t item = 0; item < items; ++item) own.push_back(number(0, 9));
        devices.push_back(number(1, 3));
    }
    const double bound = boundOf(sharedWork(seconds, devices), devices);
    std::vector<double> busy(kinds, 0);
    for (std::size_t item = 0; item < items; ++item) {
        std::vector<double> parts;
        for (std::size_t kind = 0; kind < kinds; ++kind) parts.push_back(number(0, 4));
        parts.front() += 1;
        const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
        for (std::size_t kind = 0; kind < kinds; ++kind)
            busy[kind] += parts[kind] / all * seconds[kind][item] / devices[kind];
    }
    RC_ASSERT(!(bound > *std::max_element(busy.begin(), busy.end()) * (1 + 1e-12)));
    if (kinds != 2) return;
    // Items by what the first kind gains, and one of them cut.
    std::vector<std::size_t> order(items);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t item) {
        const double both = seconds[0][item] + seconds[1][item];
        return both > 0 ? seconds[0][item] / both : 0;
    });
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t cut = 0; cut < items; ++cut) {
        double first = 0, second = 0;
        for (std::size_t place = 0; place < items; ++place)
            (place < cut ? first : second) += place == cut ? 0 : seconds[place < cut ? 0 : 1][order[place]];
        const double a = seconds[0][order[cut]], b = seconds[1][order[cut]];
        // x of it on the first kind, where both end together, or all of it on one.
        const double both = a / devices[0] + b / devices[1];
        const double x =
            both > 0 ? std::clamp(((second + b) / devices[1] - first / devices[0]) / both, 0.0, 1.0) : 0;
        least = std::min(least, std::max((first + x * a) / devices[0], (second + (1 - x) * b) / devices[1]));
    }
    RC_ASSERT(bound >= least * (1 - 1e-9));
}

}  // namespace stagecraft
