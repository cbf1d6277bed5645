#include "core/base/nice_steps.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

TEST(NiceSteps, AreOneTwoOrFiveTimesAPowerOfTen) {
    EXPECT_DOUBLE_EQ(niceStep(1), 1);
    EXPECT_DOUBLE_EQ(niceStep(1.1), 2);
    EXPECT_DOUBLE_EQ(niceStep(3), 5);
    EXPECT_DOUBLE_EQ(niceStep(5.1), 10);
    EXPECT_DOUBLE_EQ(niceStep(0.0021), 0.005);
    EXPECT_DOUBLE_EQ(niceStep(2e-6 * (1 + 1e-12)), 2e-6) << "rounding makes no larger step";
}

TEST(NiceSteps, OfLogarithmsThinOutWhereTheyWouldCrowd) {
    EXPECT_EQ(logarithmicSteps(1, 10, 10), (std::vector<double>{1, 2, 5, 10}));
    EXPECT_EQ(logarithmicSteps(1, 10, 3), (std::vector<double>{1, 3, 10}));
    EXPECT_EQ(logarithmicSteps(1, 10, 2), (std::vector<double>{1, 10}));
    EXPECT_EQ(logarithmicSteps(3, 60, 10), (std::vector<double>{5, 10, 20, 50}));
    EXPECT_EQ(logarithmicSteps(2.5, 4, 10), (std::vector<double>{3})) << "where nothing else is in range";
    EXPECT_TRUE(logarithmicSteps(6, 9, 10).empty());
}

}  // namespace
}  // namespace stagecraft
