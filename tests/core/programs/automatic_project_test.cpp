// What is said of a search's answer.
#include "core/programs/automatic_project.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {

TEST(AutomaticProject, SaysWhatHoldsOfStagesOfDifferentSizeWhereTheyWereTried) {
    AutoAnswer answer;
    answer.counts.sizedDegrees = 32;
    answer.counts.sizedLeastS = 0.05;
    EXPECT_EQ(workText(answer, 0.06), "All work over all GPUs takes 60.0 ms");
    EXPECT_TRUE(notSearchedText(answer).starts_with("stages of different size, "));
    answer.counts.sizedTried = 8;
    EXPECT_EQ(workText(answer, 0.05),
              "All work over all GPUs takes 50.0 ms: plans whose stages differ in size take no less");
    // Their copies may have samples in numbers that take less time.
    EXPECT_EQ(workText(answer, 0.06),
              "All work over all GPUs takes 60.0 ms: plans whose stages differ in size take no less than "
              "50.0 ms");
    EXPECT_TRUE(notSearchedText(answer).starts_with("at other degrees stages of different size, "));
    EXPECT_NE(searchedText(answer).find("may differ in size, at 8 of 32 degrees that may be faster"),
              std::string::npos);
}

}  // namespace stagecraft
