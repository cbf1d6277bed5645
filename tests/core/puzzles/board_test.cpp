#include "core/puzzles/puzzle_board.h"

#include "core/puzzles/building_block.h"
#include "tests/core/puzzles/puzzle_fixture.h"

#include <gtest/gtest.h>

using namespace stagecraft::puzzles;
using puzzle_tests::pass;
using puzzle_tests::puzzle;

TEST(PuzzleBoard, APassStartsWhenItsInputIsThereAndItsDeviceIsFree) {
    PuzzleBoard board(puzzle("p=2,m=2,times=2:3,transfer=1"));
    EXPECT_EQ(board.place(pass('F', 0, 0)), "");
    EXPECT_EQ(board.place(pass('F', 1, 0)), "");
    EXPECT_EQ(board.place(pass('F', 0, 1)), "");
    EXPECT_EQ(board.place(pass('B', 0, 1)), "");
    EXPECT_EQ(board.place(pass('B', 0, 0)), "");
    EXPECT_EQ(board.find(pass('F', 1, 0))->start, 2) << "its device is free then";
    EXPECT_EQ(board.find(pass('F', 0, 1))->start, 3) << "2 and a transfer";
    EXPECT_EQ(board.find(pass('B', 0, 1))->start, 5) << "it waits for its own forward alone";
    EXPECT_EQ(board.find(pass('B', 0, 0))->start, 9);
    EXPECT_EQ(board.find(pass('B', 0, 0))->end, 12);
}

TEST(PuzzleBoard, SaysWhyAPassCannotBePlaced) {
    PuzzleBoard board(puzzle("p=2,m=3,times=1:2,transfer=1,memory=2"));
    EXPECT_EQ(board.refusal(pass('F', 0, 1), 1),
              "F0 on GPU 1 must wait for F0 on GPU 0, which is not placed yet");
    board.place(pass('F', 0, 0));
    EXPECT_EQ(board.refusal(pass('F', 0, 1), 1, 1),
              "F0 on GPU 1 must wait for F0 on GPU 0, which ends at 1 and arrives at 2");
    EXPECT_EQ(board.refusal(pass('F', 0, 1), 1, 2), "");
    EXPECT_EQ(board.refusal(pass('F', 0, 1), 0), "stage 1 is on GPU 1, so F0 belongs there");
    EXPECT_EQ(board.refusal(pass('F', 0, 0), 0), "F0 runs on GPU 0 already, from 0 to 1");
    EXPECT_EQ(board.refusal(pass('F', 1, 0), 0, 0), "GPU 0 runs F0 from 0 to 1");
    EXPECT_EQ(board.refusal(pass('F', 3, 0), 0), "there is no microbatch 3: the last is microbatch 2");
    EXPECT_EQ(board.refusal(pass('F', 0, 2), 0), "there is no stage 2: the last is stage 1");
    EXPECT_EQ(board.refusal(pass('W', 0, 0), 0), "backwards are whole here: place B");
    board.place(pass('F', 1, 0));
    EXPECT_EQ(board.refusal(pass('F', 2, 0), 0),
              "GPU 0 holds 2 microbatches, its limit: run a backward first");
    EXPECT_EQ(PuzzleBoard(puzzle("p=2,m=2,times=1:1:1")).refusal(pass('B', 0, 0), 0),
              "backwards are split here: place an input gradient (I) and a weight gradient (W)");
}

TEST(PuzzleBoard, AnInputGradientFreesHalfOfWhatAForwardTook) {
    PuzzleBoard board(puzzle("p=1,m=3,times=1:1:1,memory=1"));
    board.place(pass('F', 0, 0));
    EXPECT_EQ(board.place(pass('I', 0, 0)), "");
    EXPECT_EQ(board.heldHalves(0), 1);
    EXPECT_EQ(board.refusal(pass('F', 1, 0), 0),
              "GPU 0 holds ½ microbatch and its limit is 1 microbatch: run input and weight gradients first");
    board.place(pass('W', 0, 0));
    EXPECT_EQ(board.place(pass('F', 1, 0)), "");
}

TEST(PuzzleBoard, APassGoesIntoAGapWhereItFits) {
    PuzzleBoard board(puzzle("p=1,m=2,times=1:2,memory=1"));
    board.place(pass('F', 0, 0));
    board.place(pass('B', 0, 0), 3);
    EXPECT_EQ(board.refusal(pass('F', 1, 0), 0, 2),
              "GPU 0 holds 1 microbatch, its limit: run a backward first");
    PuzzleBoard roomy(puzzle("p=1,m=2,times=1:2"));
    roomy.place(pass('F', 0, 0));
    roomy.place(pass('B', 0, 0), 3);
    EXPECT_EQ(roomy.place(pass('F', 1, 0), 1), "");
    EXPECT_EQ(roomy.lane(0)[1].task, pass('F', 1, 0));
    EXPECT_EQ(roomy.refusal(pass('B', 1, 0), 0, 2), "GPU 0 runs B0 from 3 to 5");
    EXPECT_EQ(roomy.tightened()[0].back().end, 4) << "F0, F1, B0 without the gap";
}

TEST(PuzzleBoard, WhatComesLaterMayNotExceedMemoryEither) {
    PuzzleBoard board(puzzle("p=1,m=3,times=1:1,memory=2"));
    board.place(pass('F', 0, 0));
    board.place(pass('F', 1, 0), 4);
    EXPECT_EQ(board.refusal(pass('F', 2, 0), 0, 2),
              "GPU 0 would hold more than its limit of 2 microbatches later");
    EXPECT_EQ(board.place(pass('B', 0, 0), 3), "");
    EXPECT_EQ(board.place(pass('F', 2, 0), 2), "");
}

TEST(PuzzleBoard, UndoAndRedoGoStepByStep) {
    PuzzleBoard board(puzzle("p=1,m=2,times=1:1"));
    EXPECT_FALSE(board.canUndo());
    board.place(pass('F', 0, 0));
    board.place(pass('F', 1, 0));
    board.undo();
    EXPECT_EQ(board.score().placed, 1);
    EXPECT_EQ(board.find(pass('F', 1, 0)), nullptr);
    board.redo();
    EXPECT_EQ(board.find(pass('F', 1, 0))->start, 1);
    board.undo();
    board.place(pass('B', 0, 0));
    EXPECT_FALSE(board.canRedo()) << "another way was taken";
    EXPECT_NE(board.place(pass('B', 0, 0)), "");
    board.undo();
    board.undo();
    EXPECT_EQ(board.score().placed, 0);
    board.beginStep();
    board.place(pass('F', 0, 0));
    board.place(pass('F', 1, 0));
    board.endStep();
    board.undo();
    EXPECT_EQ(board.score().placed, 0) << "both are one step";
}

TEST(PuzzleBoard, APassIsTakenBackWithWhatNeedsIt) {
    PuzzleBoard board(puzzle("p=2,m=2,times=1:2"));
    for (const Task& task : {pass('F', 0, 0), pass('F', 1, 0), pass('F', 0, 1), pass('F', 1, 1),
                             pass('B', 0, 1), pass('B', 0, 0)})
        ASSERT_EQ(board.place(task), "");
    EXPECT_EQ(board.takeBack(pass('B', 1, 1)), 0) << "it is not placed";
    EXPECT_EQ(board.takeBack(pass('F', 0, 1)), 3) << "and both backwards of microbatch 0";
    EXPECT_EQ(board.find(pass('B', 0, 0)), nullptr);
    EXPECT_EQ(board.find(pass('F', 1, 1))->start, 2) << "what is left stays where it is";
    board.undo();
    EXPECT_EQ(board.score().placed, 6) << "it was one step";
    PuzzleBoard tight(puzzle("p=1,m=2,times=1:1,memory=1"));
    for (const Task& task : {pass('F', 0, 0), pass('B', 0, 0), pass('F', 1, 0)})
        ASSERT_EQ(tight.place(task), "");
    EXPECT_EQ(tight.takeBack(pass('B', 0, 0)), 2) << "there is no memory for F1 without it";
}

TEST(PuzzleBoard, ScoreIsOfWhatIsPlaced) {
    PuzzleBoard board(puzzle("p=2,m=1,times=1:2"));
    board.place(pass('F', 0, 0));
    board.place(pass('F', 0, 1));
    board.place(pass('B', 0, 1));
    EXPECT_EQ(board.score().makespan, 4);
    EXPECT_EQ(board.score().span, 3);
    EXPECT_DOUBLE_EQ(board.score().bubbleShare, 0.5);
    EXPECT_FALSE(board.score().complete());
    board.place(pass('B', 0, 0));
    EXPECT_TRUE(board.score().complete());
    EXPECT_EQ(board.score().makespan, 6);
    EXPECT_EQ(board.score().peakHalves, 2);
}

TEST(PuzzleBoard, ReadyAreThoseWhoseInputsArePlaced) {
    PuzzleBoard board(puzzle("p=2,m=2,times=1:2,memory=1"));
    ASSERT_EQ(board.ready().size(), 1u);
    board.place(pass('F', 0, 0));
    const std::vector<ReadyPass> ready = board.ready();
    ASSERT_EQ(ready.size(), 2u);
    EXPECT_EQ(ready[0].task, pass('F', 1, 0));
    EXPECT_FALSE(ready[0].fits);
    EXPECT_EQ(ready[1].task, pass('F', 0, 1));
    EXPECT_EQ(ready[1].start, 1);
    EXPECT_TRUE(ready[1].fits);
}

TEST(BuildingBlock, IsStampedOverAllMicrobatches) {
    PuzzleBoard board(puzzle("p=2,m=3,times=1:1"));
    for (const auto& each : {pass('F', 0, 0), pass('F', 0, 1), pass('B', 0, 1)}) board.place(each);
    EXPECT_EQ(stampBlock(board, 2), "B0 on GPU 0 is missing: a building block is all passes of microbatch 0");
    EXPECT_EQ(leastShift(board), 0);
    board.place(pass('B', 0, 0));
    EXPECT_EQ(stampBlock(board, 1), "with a shift of 1, F1 (2–3) collides with B0 (2–3) on GPU 1");
    EXPECT_EQ(leastShift(board), 2);
    EXPECT_EQ(stampBlock(board, 0), "a microbatch comes at least 1 later than the one before");
    ASSERT_EQ(stampBlock(board, 2), "");
    EXPECT_TRUE(board.score().complete());
    EXPECT_EQ(board.find(pass('F', 2, 0))->start, 4);
    EXPECT_EQ(board.score().makespan, 8);
    board.undo();
    EXPECT_EQ(board.score().placed, 4) << "stamping is one step";
}

TEST(BuildingBlock, IsRefusedWhereMemoryDoesNotSuffice) {
    PuzzleBoard board(puzzle("p=2,m=4,times=1:1,memory=1"));
    board.place(pass('F', 0, 0));
    board.place(pass('F', 0, 1));
    board.place(pass('B', 0, 1));
    board.place(pass('B', 0, 0));
    EXPECT_EQ(stampBlock(board, 2),
              "with a shift of 2, GPU 0 holds 1 microbatch, its limit: run a backward first");
    EXPECT_EQ(stampBlock(board, 4), "");
}
