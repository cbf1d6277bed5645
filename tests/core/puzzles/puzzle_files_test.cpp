#include "core/formats/input_error.h"
#include "core/puzzles/order_file.h"
#include "tests/core/puzzles/puzzle_fixture.h"

#include <gtest/gtest.h>

using namespace stagecraft::puzzles;
using puzzle_tests::pass;
using puzzle_tests::puzzle;

namespace {

template <class Read>
std::string complaint(Read read) {
    try {
        read();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "none";
}

std::string complaintOfCourse(const std::string& fields) {
    return complaint([&] {
        readCourse(
            "{\"format\": \"stagecraft-puzzles\", \"version\": 1, \"puzzles\": [{\"id\": \"a\", \"title\": "
            "\"A\", \"aim\": \"Do.\", " +
                fields + "}]}",
            "c.json");
    });
}

std::string complaintOfOrder(const char* text, const char* shape = "p=2,m=2,times=1:2") {
    return complaint([&] { readPuzzleOrder(text, "order.txt", puzzle(shape)); });
}

}  // namespace

TEST(PuzzleText, ReadsWhatItWrites) {
    for (const char* text :
         {"p=2,m=2,times=1:2", "p=4,m=8,v=2,times=1:1:1,memory=6", "p=2,m=3,times=1:2/2:4,transfer=1",
          "p=3,m=5,v=2,placement=vee,times=1:1:1,memory=6,goal=span"}) {
        EXPECT_EQ(puzzleText(puzzle(text)), text);
        const nlohmann::json json = puzzleJson(puzzle(text));
        const std::string file = "f";
        EXPECT_EQ(puzzleFromJson(stagecraft::formats::JsonValue(json, file)), puzzle(text));
    }
}

TEST(PuzzleText, SaysWhatWasExpected) {
    EXPECT_EQ(complaint([] { puzzle("p=2,q=1"); }),
              "there is no 'q'; expected p, m, v, placement, times, transfer, memory or goal");
    EXPECT_EQ(complaint([] { puzzle("p=two"); }), "p is 'two'; expected a whole number");
    EXPECT_EQ(complaint([] { puzzle("p=9"); }), "devices: it is 9; expected a whole number from 1 to 8");
    EXPECT_EQ(
        complaint([] { puzzle("times=1"); }),
        "times are '1'; expected a forward and a backward such as 1:2, or a forward, an input and a weight "
        "gradient such as 1:1:1");
    EXPECT_EQ(complaint([] { puzzle("p=2,times=1:2/1:1:1"); }),
              "some backwards are whole and some are split; expected all of one kind");
    EXPECT_EQ(complaint([] { puzzle("p=3,times=1:2/1:2"); }),
              "times: there are times of 2 stages; expected those of one for all, or of each of 3 stages");
    EXPECT_EQ(complaint([] { puzzle("v=3,placement=vee"); }),
              "placement: stages are in a V and there are 3 chunks; expected 2 chunks on each device");
    EXPECT_EQ(
        complaint([] { puzzle("times=1:2,transfer=2"); }),
        "transfer: it is 2; expected at most 1, the shortest forward or backward, so that no transfer waits "
        "for another");
    EXPECT_EQ(complaint([] { puzzle("v=2,memory=1"); }),
              "memory: the limit is 1; expected at least 2, one microbatch of every stage of a device");
}

TEST(Course, SaysWhereItsFileIsWrong) {
    EXPECT_EQ(complaintOfCourse("\"devices\": 2, \"microbatches\": 2"), "none");
    EXPECT_EQ(complaintOfCourse("\"devices\": 2, \"microbatches\": 0"),
              "c.json: /puzzles/0/microbatches: the number is 0; expected a whole number from 1 to 32");
    EXPECT_EQ(
        complaintOfCourse("\"devices\": 2, \"microbatches\": 2, \"times\": \"1-2\""),
        "c.json: /puzzles/0/times: '1-2' are no times; expected a forward and a backward such as 1:2, or a "
        "forward, an input and a weight gradient such as 1:1:1");
    EXPECT_EQ(
        complaintOfCourse("\"devices\": 2, \"microbatches\": 2, \"times\": [\"1:2\", \"1:1:1\"]"),
        "c.json: /puzzles/0/times/1: some backwards are whole and some are split; expected all of one kind");
    EXPECT_EQ(
        complaintOfCourse("\"devices\": 2, \"microbatches\": 2, \"chunks\": 2, \"memory\": 1"),
        "c.json: /puzzles/0/memory: the limit is 1; expected at least 2, one microbatch of every stage of a "
        "device");
    EXPECT_NE(complaintOfCourse("\"devices\": 2, \"microbatch\": 2").find("microbatch"), std::string::npos);
}

TEST(PuzzleOrder, ReadsLinesOfPasses) {
    const PuzzleBoard board = readPuzzleOrder("# by hand\nGPU 0: F0 F1 B0@5 B1\n\nF0 B0 F1 B1 # GPU 1\n", "o",
                                              puzzle("p=2,m=2,times=1:2"));
    EXPECT_TRUE(board.score().complete());
    EXPECT_EQ(board.find(pass('B', 0, 0))->start, 5);
    EXPECT_EQ(board.score().makespan, 9);
    EXPECT_EQ(puzzleOrderText(board), "GPU 0: F0 F1 B0@5 B1\nGPU 1: F0 B0 F1 B1\n");
    const Puzzle chunks = puzzle("p=1,m=1,v=2,times=1:2");
    EXPECT_EQ(puzzleOrderText(readPuzzleOrder("0:F0 1:F0 1:B0 0:B0", "o", chunks)),
              "GPU 0: 0:F0 1:F0 1:B0 0:B0\n");
}

TEST(PuzzleOrder, ReadsThatOfAnEngine) {
    const PuzzleBoard board =
        readPuzzleOrder("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", "o.csv", puzzle("p=2,m=2,times=1:2"));
    EXPECT_EQ(board.score().makespan, 9);
}

TEST(PuzzleOrder, SaysWhereAndWhyItCannotRun) {
    EXPECT_EQ(complaintOfOrder("F0 F1\nF0 X1\n"),
              "order.txt: line 2: 'X1' is no pass; expected a pass such as F0, or "
              "with a time F0@3");
    EXPECT_EQ(complaintOfOrder("F0\nF0\nF0\n"),
              "order.txt: line 3: there are more lines of passes than GPUs; expected 2 lines");
    EXPECT_EQ(complaintOfOrder("GPU 1: F0\n"),
              "order.txt: line 1: 'GPU 1: F0' is not the line of GPU 0; expected a line for each GPU, from "
              "'GPU 0:' on");
    EXPECT_EQ(complaintOfOrder("F0 B0\nF0\n"),
              "order.txt: line 1: B0 on GPU 0 must wait for B0 on GPU 1, which is not placed yet");
    EXPECT_EQ(complaintOfOrder("F0\nF0@0\n"),
              "order.txt: line 2: F0 on GPU 1 must wait for F0 on GPU 0, which ends at 1");
    EXPECT_EQ(complaintOfOrder("F0 F1 F2", "p=1,m=3,times=1:2,memory=2"),
              "order.txt: line 1: GPU 0 holds 2 microbatches, its limit: run a backward first");
    EXPECT_EQ(complaintOfOrder("F0", "p=1,m=1,v=2,times=1:2"),
              "order.txt: line 1: 'F0' is no pass; expected a stage and a pass such as 2:F0, or with a time "
              "2:F0@3");
    EXPECT_EQ(complaintOfOrder("0F0,0B0\n"), "order.txt: it has 1 rank; expected 2 ranks");
}
