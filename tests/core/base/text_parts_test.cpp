#include "core/base/text_parts.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

using Cells = std::vector<std::string>;

TEST(TableCells, AreTrimmedAndKeepEmptyOnes) {
    EXPECT_EQ(tableCells("a, b ,,d\r", ','), Cells({"a", "b", "", "d"}));
    EXPECT_EQ(tableCells("", ','), Cells({""}));
    EXPECT_EQ(tableCells(",", ','), Cells({"", ""}));
}

TEST(InQuotes, ATextIsCutBetweenLetters) {
    EXPECT_EQ(inQuotes("abc", 3), "'abc'");
    EXPECT_EQ(inQuotes("aééé", 4), "'aé…'");
    EXPECT_EQ(inQuotes("aééé", 5), "'aéé…'");
    EXPECT_EQ(inQuotes("a\xff\n", 9), "'a\xff?'");
}

TEST(TableCells, HoldSeparatorsAndQuotesWithinQuotes) {
    EXPECT_EQ(tableCells(R"("forward, ms";"5"" disk")", ';'), Cells({"forward, ms", "5\" disk"}));
    EXPECT_EQ(tableCells(R"(a "b c" d)", ' '), Cells({"a", "b c", "d"}));
    EXPECT_FALSE(tableCells("a,\"b", ','));
}

TEST(TableCells, AreSplitAtRunsOfBlanks) {
    EXPECT_EQ(tableCells("  a \t b  ", ' '), Cells({"a", "b"}));
    EXPECT_EQ(tableCells("a b", '\t'), Cells({"a b"}));
}

}  // namespace
