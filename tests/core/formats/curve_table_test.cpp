#include "core/formats/tables/curve_table.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

std::string tableOf(double fromS, double toS, bool headers = true) {
    const std::vector<double> timeS = {0, 1, 2.5}, first = {0, 10, 0}, second = {0.1, 0, 3};
    std::string text;
    streamCurveCsv(
        {"name", "unit"}, {"a_Bps", "b_Bps"}, {{{"x, y", "1"}, &timeS, {&first, &second}}}, fromS, toS,
        [&text](std::string_view part) { text += part; }, headers);
    return text;
}

TEST(CurveTable, HasARowForEachStepUpToTheEndOfWhatIsWritten) {
    EXPECT_EQ(tableOf(0, 4),
              "name,unit,from_s,to_s,a_Bps,b_Bps\n"
              "\"x, y\",1,0,1,0,0.1\n"
              "\"x, y\",1,1,2.5,10,0\n"
              "\"x, y\",1,2.5,4,0,3\n");
}

TEST(CurveTable, CutsStepsAtTheRangeAndLeavesOutWhatLiesOutside) {
    EXPECT_EQ(tableOf(0.5, 2, false), "\"x, y\",1,0.5,1,0,0.1\n\"x, y\",1,1,2,10,0\n");
    EXPECT_EQ(tableOf(3, 4, false), "\"x, y\",1,3,4,0,3\n");
}

}  // namespace
}  // namespace stagecraft
