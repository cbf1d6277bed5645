#include "core/planners/details/detail_filter.h"
#include "core/base/query_text.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <limits>

namespace stagecraft {
namespace {

const double none = std::numeric_limits<double>::quiet_NaN();

DetailTable table() {
    DetailTable made;
    made.columns = {{"r", "r replicas", DetailUnit::count},
                    {"w_s", "W", DetailUnit::seconds},
                    {"before_w_s", "W before", DetailUnit::seconds},
                    {"m_bytes", "m", DetailUnit::bytes},
                    {"kind", "Kind", DetailUnit::text},
                    {"low", "half (low)", DetailUnit::count},
                    {"high", "half (high)", DetailUnit::count}};
    made.rows = {{1.0, 0.030, none, 2048.0, std::string("critical"), 0.0, 0.0},
                 {2.0, 0.040, 0.030, 4096.0, std::string("Sparse"), 0.0, 0.0},
                 {2.0, 0.050, 0.040, 1024.0, std::string("inside a subgraph"), 0.0, 0.0}};
    return made;
}

std::vector<std::size_t> taken(const std::string& text) {
    const DetailTable rows = table();
    return rowsTaken(rows, DetailFilter(text, rows.columns));
}

std::string mistakeIn(const std::string& text) {
    try {
        taken(text);
    } catch (const QueryMistake& mistake) {
        return mistake.what();
    }
    return "";
}

using Rows = std::vector<std::size_t>;

TEST(DetailFilter, TakesRowsByWordsAndByWhatAColumnHas) {
    EXPECT_EQ(taken(""), (Rows{0, 1, 2}));
    EXPECT_EQ(taken("sparse"), (Rows{1}));
    EXPECT_EQ(taken("SUB inside"), (Rows{2}));
    EXPECT_EQ(taken("\"inside a\""), (Rows{2}));
    EXPECT_EQ(taken("r=2"), (Rows{1, 2}));
    EXPECT_EQ(taken("replicas"), (Rows{})) << "a heading is no cell";
    EXPECT_EQ(taken("r=2 w_s<0.045"), (Rows{1}));
    EXPECT_EQ(taken("m>=2KiB"), (Rows{0, 1}));
    EXPECT_EQ(taken("kind=sparse"), (Rows{1}));
    EXPECT_EQ(taken("30.0"), (Rows{0, 1})) << "as the cells read";
}

TEST(DetailFilter, AColumnHasSeveralNamesAsLongAsTheyAreItsAlone) {
    EXPECT_EQ(taken("before_w<35ms"), (Rows{1})) << "an empty cell is never within a bound";
    EXPECT_EQ(taken("before_w>=0"), (Rows{1, 2}));
    EXPECT_EQ(taken("W<35ms"), (Rows{0})) << "not W before";
    EXPECT_EQ(taken("r>1"), (Rows{1, 2}));
    EXPECT_EQ(mistakeIn("r=1,"), "'1,' is no number");
    EXPECT_EQ(mistakeIn("half=1"), "'half' may be low or high; write which");
    EXPECT_EQ(mistakeIn("x=1"),
              "no column is called 'x'; there are r, w_s, before_w_s, m_bytes, kind, low, high");
    EXPECT_EQ(mistakeIn("r=many"), "'many' is no number");
    EXPECT_EQ(mistakeIn("kind<sparse"), "'kind' is a text; write kind=sparse");
}

}  // namespace
}  // namespace stagecraft
