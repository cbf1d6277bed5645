#include "core/puzzles/par.h"

#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "tests/core/puzzles/order_brute_force.h"
#include "tests/core/puzzles/puzzle_fixture.h"

#include <gtest/gtest.h>

using namespace stagecraft::puzzles;
using puzzle_tests::puzzle;

namespace {

const std::string folder = STAGECRAFT_SOURCE_DIR "/resources/puzzles/";

std::vector<CoursePuzzle> course() {
    const std::string file = folder + "course.puzzles.json";
    return readCourse(stagecraft::formats::readTextFile(file), file);
}

ParTable table() {
    const std::string file = folder + "par.json";
    return readParTable(stagecraft::formats::readTextFile(file), file);
}

}  // namespace

TEST(Par, IsWhatTryingEveryOrderFinds) {
    for (const char* shape :
         {"p=2,m=2,times=1:1", "p=2,m=2,times=2:3,transfer=1", "p=2,m=3,times=1:2",
          "p=2,m=3,times=1:2,memory=1", "p=2,m=3,times=3:1", "p=2,m=3,times=1:2/2:1",
          "p=2,m=3,times=3:1/1:2,memory=2", "p=3,m=2,times=1:2", "p=3,m=2,times=1:2/3:1/1:4,transfer=1",
          "p=3,m=2,times=2:3,memory=1", "p=2,m=2,times=1:1:1", "p=2,m=2,times=1:2:3",
          "p=2,m=2,times=2:1:3/1:3:1,memory=1", "p=2,m=2,times=1:1:2,transfer=1",
          "p=1,m=3,times=2:1:1,memory=2", "p=2,m=1,v=2,times=1:2", "p=1,m=2,v=2,times=2:1/1:3"}) {
        const Puzzle played = puzzle(shape);
        const puzzle_tests::BruteBest best = puzzle_tests::BruteForce(played).run();
        const std::optional<Par> par = workOutPar(played);
        ASSERT_TRUE(par) << shape;
        EXPECT_TRUE(par->proven && par->peakProven) << shape;
        EXPECT_EQ(par->time, best.time) << shape;
        EXPECT_EQ(par->peakHalves, best.peakHalves) << shape;
    }
}

TEST(Par, IsTheClosedFormWhereThereIsOne) {
    EXPECT_EQ(workOutPar(puzzle("p=4,m=6,times=1:2,memory=4"))->time, (6 + 3) * 3) << "1F1B";
    EXPECT_EQ(workOutPar(puzzle("p=2,m=4,v=2,times=1:2"))->time, 4 * 2 * 3 + 3) << "interleaved 1F1B";
    EXPECT_EQ(workOutPar(puzzle("p=3,m=5,times=1:1:1,memory=3"))->time, 15 + 2) << "ZB-H1";
    const std::optional<Par> zeroBubble = workOutPar(puzzle("p=3,m=5,times=1:1:1,memory=5,goal=span"));
    EXPECT_EQ(zeroBubble->time, 15) << "ZB-H2: from a GPU's first pass to its last there is no bubble";
    EXPECT_TRUE(zeroBubble->proven);
}

TEST(Par, SaysThatItIsOnlyBestKnownWhereTheSearchDidNotEnd) {
    const Puzzle hard = puzzle("p=4,m=6,times=2:1:3,memory=2");
    SearchLimits few;
    few.mostNodes = 100;
    const std::optional<Par> known = workOutPar(hard, few);
    ASSERT_TRUE(known);
    EXPECT_FALSE(known->proven);
    EXPECT_NE(parText(hard, *known).find("best known"), std::string::npos);
}

TEST(ParTable, HasEveryPuzzleOfTheCourseAndAllOfThemAreProven) {
    ASSERT_EQ(course().size(), 15u);
    for (const CoursePuzzle& each : course()) {
        const std::optional<Par> par = table().find(each.puzzle);
        ASSERT_TRUE(par) << each.id << ": run stagecraft puzzle --par-table";
        EXPECT_TRUE(par->proven) << each.id;
    }
}

TEST(ParTable, IsWhatTheProgramMakes) {
    const ParTable known = table();
    for (const ParRow& row : known.rows())
        EXPECT_EQ(workOutPar(row.puzzle), row.par) << puzzleText(row.puzzle);
    for (const Puzzle& shape : smallShapes()) EXPECT_TRUE(known.find(shape)) << puzzleText(shape);
    EXPECT_GE(known.rows().size(), 200u);
}

TEST(ParTable, ReadsWhatItWrites) {
    const ParTable known = table();
    EXPECT_EQ(readParTable(parTableText(known), "again").rows(), known.rows());
}

TEST(ParTable, SaysWhereItsFileIsWrong) {
    try {
        readParTable(R"({"format": "stagecraft-par", "version": 1, "rows": [{"puzzle": {"devices": 2,
            "microbatches": 2}, "time": 6, "proven": true, "peak": 1.3, "peak_proven": true}]})",
                     "par.json");
        FAIL();
    } catch (const stagecraft::formats::InputError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "par.json: /rows/0/peak: the peak is no half; expected a multiple of 0.5");
    }
}
