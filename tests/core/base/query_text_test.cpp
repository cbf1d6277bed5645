#include "core/base/query_text.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <random>

namespace stagecraft {
namespace {

constexpr std::string_view colon[] = {":"};
constexpr std::string_view comparisons[] = {"<=", ">=", "<", ">", "="};

/// "name|sign|value" of a term, of a word the word; "-" before what is negated, "…" after an open quotation.
std::string shown(const QueryTerm& term) {
    return (term.negated ? "-" : "") +
           (term.sign.empty() ? term.whole.text()
                              : term.name.text() + "|" + term.sign + "|" + term.value.text()) +
           (term.unclosed ? "…" : "");
}

std::vector<std::string> shown(std::string_view text, const QueryGrammar& grammar) {
    std::vector<std::string> all;
    for (const QueryTerm& term : queryTerms(text, grammar)) all.push_back(shown(term));
    return all;
}

using Texts = std::vector<std::string>;

TEST(QueryText, TermsAreWordsOrNamesWithASignAndValues) {
    EXPECT_EQ(shown("", {colon}), Texts());
    EXPECT_EQ(shown(" \t ", {colon}), Texts());
    EXPECT_EQ(shown("reduce stage:2  kind:a,b", {colon}), (Texts{"reduce", "stage|:|2", "kind|:|a,b"}));
    EXPECT_EQ(shown("a>=8 b>7 c=d=e", {comparisons}), (Texts{"a|>=|8", "b|>|7", "c|=|d=e"}));
    EXPECT_EQ(shown(":3 stage:", {colon}), (Texts{"|:|3", "stage|:|"}));
    EXPECT_EQ(shown("a:b", {comparisons}), (Texts{"a:b"}));
}

TEST(QueryText, QuotationMarksProtectBlanksSignsAndCommas) {
    EXPECT_EQ(shown("\"right gpu\" device:\"a: b\"", {colon}), (Texts{"right gpu", "device|:|a: b"}));
    EXPECT_EQ(shown("\"batch size\"<=\"1 GB\"", {comparisons}), (Texts{"batch size|<=|1 GB"}));
    EXPECT_EQ(shown("\"a:b\"", {colon}), (Texts{"a:b"}));
    EXPECT_EQ(shown("x \"not ended yet", {colon}), (Texts{"x", "not ended yet…"}));
    const auto values = queryValues({10, "a,\"b,c\",d"}, "a value");
    ASSERT_EQ(values.size(), 3u);
    EXPECT_EQ(values[1].text(), "b,c");
    EXPECT_TRUE(values[1].isQuoted());
    EXPECT_EQ(values[1].from, 12u);
    EXPECT_EQ(values[2].from, 18u);
}

TEST(QueryText, OnlyAGrammarThatHasItNegates) {
    EXPECT_EQ(shown("-kind:a !b c-d", {colon, true}), (Texts{"-kind|:|a", "-b", "c-d"}));
    EXPECT_EQ(shown("-b !c - seed=-1", {comparisons}), (Texts{"-b", "!c", "-", "seed|=|-1"}));
    try {
        queryTerms("a !", {colon, true});
        ADD_FAILURE() << "there is nothing to negate";
    } catch (const QueryMistake& mistake) {
        EXPECT_EQ(mistake.from, 2u);
        EXPECT_EQ(mistake.length, 1u);
        EXPECT_STREQ(mistake.what(), "'!' must be followed by the term to negate");
    }
}

TEST(QueryText, EachPartIsWhereItsPlaceSays) {
    std::mt19937 random(7);
    const std::string letters = "ab:,\" -.=9";
    std::size_t parts = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (int length = static_cast<int>(random() % 24); length > 0; --length)
            text += letters[random() % letters.size()];
        std::vector<QueryTerm> terms;
        try {
            terms = queryTerms(text, {colon, round % 2 == 0});
        } catch (const QueryMistake& mistake) {
            EXPECT_EQ(text.substr(mistake.from, mistake.length), "-") << text;
            continue;
        }
        std::size_t reached = 0;
        for (const QueryTerm& term : terms) {
            EXPECT_GE(term.whole.from, reached) << text;
            reached = term.whole.from + term.whole.written.size();
            for (const QueryPart& part : {term.whole, term.name, term.value}) {
                EXPECT_EQ(text.substr(part.from, part.written.size()), part.written) << text;
                ++parts;
            }
            if (!term.sign.empty()) {
                EXPECT_EQ(term.name.written + term.sign + term.value.written, term.whole.written) << text;
            }
        }
    }
    EXPECT_GT(parts, 10'000u);
}

TEST(QueryText, RangesMayBeOpenAtOneEnd) {
    using Ends = std::pair<std::optional<int>, std::optional<int>>;
    EXPECT_EQ(queryRange({0, "3"}, "stage"), Ends(3, 3));
    EXPECT_EQ(queryRange({0, "3..5"}, "stage"), Ends(3, 5));
    EXPECT_EQ(queryRange({0, "3.."}, "stage"), Ends(3, std::nullopt));
    EXPECT_EQ(queryRange({0, "..\"5\""}, "stage"), Ends(std::nullopt, 5));
    const std::pair<const char*, const char*> mistakes[] = {
        {"x", "'x' is not the number of a stage; write 3, 3..5, 3.. or 1,4"},
        {"1..y", "'y' is not the number of a stage; write 3, 3..5, 3.. or 1,4"},
        {"-1", "'-1' is not the number of a stage; write 3, 3..5, 3.. or 1,4"},
        {"9999999999", "'9999999999' is not the number of a stage; write 3, 3..5, 3.. or 1,4"},
        {"..", "the range has neither a begin nor an end"},
        {"5..3", "the range ends before it begins"}};
    for (const auto& [text, expected] : mistakes) try {
            queryRange({4, text}, "stage");
            ADD_FAILURE() << text;
        } catch (const QueryMistake& mistake) {
            EXPECT_STREQ(mistake.what(), expected);
            EXPECT_EQ(mistake.from, std::string_view(text) == "1..y" ? 7u : 4u);
        }
}

TEST(QueryText, AMissingValueIsBlamedWhereItIsMissing) {
    const std::pair<const char*, std::size_t> mistakes[] = {{"", 4}, {",1", 4}, {"1,,2", 6}, {"1,", 6}};
    for (const auto& [text, place] : mistakes) try {
            queryValues({4, text}, "the number of a stage");
            ADD_FAILURE() << text;
        } catch (const QueryMistake& mistake) {
            EXPECT_EQ(mistake.from, place) << text;
            EXPECT_STREQ(mistake.what(), "here the number of a stage is missing");
        }
}

}  // namespace
}  // namespace stagecraft
