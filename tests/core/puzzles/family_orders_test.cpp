#include "core/puzzles/family_orders.h"

#include "tests/core/puzzles/puzzle_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace stagecraft::puzzles;
using puzzle_tests::puzzle;

TEST(FamilyOrders, ABoardInTheOrderOfAFamilyIsKnownByItsTitle) {
    for (const char* text :
         {"p=3,m=5,times=1:2", "p=3,m=5,times=1:1:1", "p=2,m=4,v=2,placement=vee,times=1:1:1"})
        for (const FamilyOrders& family : ordersOfFamilies(puzzle(text))) {
            SCOPED_TRACE(std::string(text) + " " + family.title);
            PuzzleBoard board(puzzle(text));
            if (!placeOrders(board, family.orders).empty()) continue;
            const std::vector<std::string> titles = familiesOf(board);
            EXPECT_NE(std::find(titles.begin(), titles.end(), family.title), titles.end());
        }
}

TEST(FamilyOrders, OtherOrdersAndUnfinishedBoardsHaveNoName) {
    const Puzzle three = puzzle("p=2,m=3,times=1:1");
    PuzzleBoard board(three);
    EXPECT_TRUE(familiesOf(board).empty());
    using puzzle_tests::pass;
    // Two forwards, then three: no family has that.
    ASSERT_EQ(placeOrders(board, {{pass('F', 0, 0), pass('F', 1, 0), pass('F', 2, 0), pass('B', 0, 0),
                                   pass('B', 1, 0), pass('B', 2, 0)},
                                  {pass('F', 0, 1), pass('F', 1, 1), pass('B', 1, 1), pass('F', 2, 1),
                                   pass('B', 0, 1), pass('B', 2, 1)}}),
              "");
    EXPECT_TRUE(board.score().complete());
    EXPECT_TRUE(familiesOf(board).empty());
}
