#include "core/schedules/order_difference.h"

#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

using namespace stagecraft;

namespace {

std::vector<Task> orderOf(const std::string& letters) {
    std::vector<Task> order;
    for (std::size_t i = 0; i + 1 < letters.size(); i += 2) {
        const TaskKind kind = letters[i] == 'F'   ? TaskKind::forward
                              : letters[i] == 'B' ? TaskKind::backward
                              : letters[i] == 'I' ? TaskKind::inputGradient
                              : letters[i] == 'W' ? TaskKind::weightGradient
                                                  : TaskKind::recompute;
        order.push_back({kind, 0, letters[i + 1] - '0'});
    }
    return order;
}

OrderDifference between(const std::string& order, const std::string& reference) {
    return differenceOf({{0, orderOf(order)}}, {{0, orderOf(reference)}});
}

/// By the table of longest common subsequences.
int movedByTable(const std::vector<Task>& a, const std::vector<Task>& b) {
    std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1, 0));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            common[i][j] = a[i - 1] == b[j - 1] ? common[i - 1][j - 1] + 1
                                                : std::max(common[i - 1][j], common[i][j - 1]);
    int shared = 0;
    for (const Task& task : a) shared += static_cast<int>(std::count(b.begin(), b.end(), task));
    const int both = static_cast<int>(a.size() + b.size());
    return both - 2 * shared + shared - common[a.size()][b.size()];
}

}  // namespace

TEST(OrderDifference, NamesTheFirstPlaceAndCountsMovedPasses) {
    EXPECT_TRUE(between("F0F1B0B1", "F0F1B0B1").isNone());
    const OrderDifference swapped = between("F0B0F1B1", "F0F1B0B1");
    ASSERT_EQ(swapped.devices.size(), 1u);
    EXPECT_EQ(swapped.moved, 1);
    EXPECT_EQ(swapped.devices[0].place, 1u);
    EXPECT_EQ(swapped.devices[0].found, orderOf("B0").front());
    EXPECT_EQ(swapped.devices[0].expected, orderOf("F1").front());
    const OrderDifference shorter = between("F0B0", "F0B0F1");
    EXPECT_EQ(shorter.moved, 1);
    EXPECT_EQ(shorter.devices[0].place, 2u);
    EXPECT_FALSE(shorter.devices[0].found);
    EXPECT_FALSE(shorter.sameBlocks);
}

TEST(OrderDifference, AWholeBackwardIsItsTwoPartsInARow) {
    const OrderDifference same = between("F0B0F1B1", "F0I0W0F1I1W1");
    EXPECT_TRUE(same.isNone());
    EXPECT_FALSE(same.sameBlocks);
    const OrderDifference late = between("F0F1I0I1W0W1", "F0F1B0B1");
    EXPECT_EQ(late.moved, 1);
    EXPECT_EQ(late.devices[0].place, 3u) << "I1 where W0 is wanted";
    const OrderDifference whole = between("F0B0F1B1", "F0I0F1W0I1W1");
    EXPECT_EQ(whole.devices[0].place, 1u) << "B0, whose second part comes too early";
}

TEST(OrderDifference, LeavesRecomputationOut) { EXPECT_TRUE(between("F0F1R0B0B1", "F0F1B0B1").isNone()); }

TEST(OrderDifference, CountsDevicesThatWorkTogetherOnce) {
    const std::vector<Task> a = orderOf("F0B0F1B1"), b = orderOf("F0F1B0B1");
    const OrderDifference together = differenceOf({{0, a}, {3, a}}, {{0, b}, {3, b}});
    EXPECT_EQ(together.moved, 1);
    ASSERT_EQ(together.devices.size(), 1u);
    EXPECT_EQ(together.devices[0].device, 0);
    EXPECT_EQ(passesOf({{0, a}, {3, a}}), 4);
}

TEST(OrderDifference, PairsThatDoNotOverlapAreOtherBlocks) {
    std::vector<Task> pair = orderOf("F1B0");
    pair[1].paired = true;
    const OrderDifference difference = differenceOf({{0, pair}}, {{0, orderOf("F1B0")}});
    EXPECT_TRUE(difference.isNone());
    EXPECT_FALSE(difference.sameBlocks);
}

RC_GTEST_PROP(OrderDifference, IsWhatTheTableOfCommonSubsequencesSays, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    std::vector<Task> a;
    for (int i = 0; i < 9; ++i) a.push_back({TaskKind::forward, 0, i});
    std::vector<Task> b = a;
    std::shuffle(a.begin(), a.end(), random);
    std::shuffle(b.begin(), b.end(), random);
    a.resize(1 + random() % a.size());
    b.resize(1 + random() % b.size());
    const OrderDifference difference = differenceOf({{0, a}}, {{0, b}});
    RC_ASSERT(difference.moved == movedByTable(a, b));
    RC_ASSERT(difference.isNone() == (a == b));
}
