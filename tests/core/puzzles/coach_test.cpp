#include "core/puzzles/coach.h"

#include "tests/core/puzzles/puzzle_fixture.h"

#include <gtest/gtest.h>

using namespace stagecraft::puzzles;
using puzzle_tests::pass;
using puzzle_tests::puzzle;

namespace {

/// Follows the coach to the end.
PuzzleBoard coached(PuzzleBoard board, const SearchLimits& limits = {}) {
    while (const auto next = adviceFor(board, limits).next)
        EXPECT_EQ(board.place(next->task, next->start), "");
    return board;
}

}  // namespace

TEST(Coach, LeadsToParFromTheEmptyBoard) {
    for (const char* shape :
         {"p=2,m=3,times=1:2", "p=3,m=4,times=1:2,memory=2", "p=3,m=4,times=1:1:1,memory=3",
          "p=2,m=3,v=2,times=1:2", "p=3,m=4,times=2:2,transfer=1"}) {
        const PuzzleBoard board = coached(PuzzleBoard(puzzle(shape)));
        EXPECT_TRUE(board.score().complete()) << shape;
        EXPECT_EQ(board.score().makespan, leastTime(PuzzleBoard(puzzle(shape))).bound) << shape;
    }
}

TEST(Coach, MakesTheBestOfABadBeginning) {
    PuzzleBoard board(puzzle("p=2,m=3,times=1:2"));
    board.place(pass('F', 2, 0));
    board.place(pass('F', 2, 1), 4);
    const PuzzleBoard done = coached(board);
    EXPECT_TRUE(done.score().complete());
    EXPECT_EQ(done.score().makespan, 4 + 9 + 2) << "GPU 1 began 3 too late";
}

TEST(Coach, SaysWhatAnotherPassWouldCost) {
    PuzzleBoard board(puzzle("p=2,m=3,times=1:2"));
    for (const auto& each :
         {pass('F', 0, 0), pass('F', 1, 0), pass('F', 0, 1), pass('B', 0, 1), pass('F', 1, 1)})
        board.place(each);
    const Advice advice = adviceFor(board);
    ASSERT_TRUE(advice.next);
    EXPECT_EQ(advice.source, "Follows an optimal order, which ends at 12: from here nothing is shorter.");
    EXPECT_NE(advice.reason.find("on GPU 0 at"), std::string::npos) << advice.reason;
}

TEST(Coach, SaysSoWhereThereIsNoWayOn) {
    PuzzleBoard board(puzzle("p=1,m=2,v=2,times=1:1,memory=2"));
    board.place(pass('F', 0, 0));
    board.place(pass('F', 1, 0));
    const Advice advice = adviceFor(board);
    EXPECT_FALSE(advice.next);
    EXPECT_EQ(advice.reason,
              "There is no way on: memory is full, and no backward can come. Take passes back.");
    EXPECT_EQ(playUntilChoice(board), advice.reason);
}

TEST(Coach, NamesTheFamilyThatItFollowsWhereTheSearchDoesNotEnd) {
    SearchLimits few;
    few.mostNodes = 3;
    const PuzzleBoard board(puzzle("p=4,m=4,times=2:1:3,memory=2"));
    const Advice advice = adviceFor(board, few);
    ASSERT_TRUE(advice.next);
    EXPECT_NE(advice.source.find("whether it can be shorter is not known"), std::string::npos)
        << advice.source;
    EXPECT_TRUE(coached(board, few).score().complete());
}

TEST(Coach, FollowsAFamilyToTheShortestSpan) {
    const PuzzleBoard board(puzzle("p=3,m=5,times=1:1:1,memory=5,goal=span"));
    const Advice advice = adviceFor(board);
    ASSERT_TRUE(advice.next);
    EXPECT_EQ(advice.source,
              "Follows the order of ZB-H2, which has a span of 15: from here nothing is shorter.");
    EXPECT_EQ(coached(board).score().span, 15);
}

TEST(Coach, PlaysOnUntilAChoiceAndUndoesThatAtOnce) {
    PuzzleBoard board(puzzle("p=2,m=2,times=1:2"));
    const std::string first = playUntilChoice(board);
    EXPECT_EQ(first, "GPU 1 can run B0 or F1.") << "only then is there a choice";
    EXPECT_GT(board.score().placed, 0);
    std::string last;
    for (int i = 0; i < 20 && !board.score().complete(); ++i) last = playUntilChoice(board);
    EXPECT_EQ(last, "All passes are placed.");
    EXPECT_EQ(board.score().makespan, 9);
    while (board.canUndo()) board.undo();
    EXPECT_EQ(board.score().placed, 0);
}

TEST(Coach, StopsWhereMemoryIsFull) {
    PuzzleBoard board(puzzle("p=2,m=3,times=1:2,memory=1"));
    std::string why;
    for (int i = 0; i < 20 && !board.score().complete(); ++i) {
        why = playUntilChoice(board);
        if (why.find("holds 1 microbatch of 1") != std::string::npos) break;
    }
    EXPECT_EQ(why, "GPU 0 holds 1 microbatch of 1: F1 is ready and has to wait for a backward.");
}
