#include "core/base/table_formats.h"

#include "tests/support/every_room.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

const TextCells plans = {{{"Plan"}, {"Status"}, {"Iteration", true}, {"Over A_B", true}},
                         {{"50% & more_{x}", "ok", "33.0 ms", "1.5×"},
                          {"[a|b], \"c\"", "infeasible: 18.0 GiB of 16.0 GiB", "–", "−3.2 %"}}};

std::string as(const char* format) { return tableFormatNamed(format)->write(plans); }

}  // namespace

TEST(TableFormats, EachIsKnownByItsId) {
    ASSERT_EQ(tableFormats().size(), 3u);
    for (const TableFormat& format : tableFormats()) EXPECT_EQ(tableFormatNamed(format.id), &format);
    EXPECT_EQ(tableFormatNamed("html"), nullptr);
}

TEST(TableFormats, LatexIsATableOfBooktabsWithNumbersAndUnitsTogether) {
    EXPECT_EQ(as("latex"), R"(% \usepackage{booktabs}
\begin{tabular}{llrr}
  \toprule
  Plan & Status & Iteration & Over A\_B \\
  \midrule
  50\% \& more\_\{x\} & ok & 33.0\,ms & 1.5$\times$ \\
  {}[a\textbar{}b], "c" & infeasible: 18.0\,GiB of 16.0\,GiB & -- & $-$3.2\,\% \\
  \bottomrule
\end{tabular}
)");
}

TEST(TableFormats, LatexKeepsWhatOnlyLooksLikeAUnitApart) {
    const TextCells table = {{{"N", true}},
                             {{"9.40 of 16.0 GiB"}, {"18.0 > 16.0 GiB"}, {"4 stages"}, {"a ms"}}};
    const std::string text = tableFormatNamed("latex")->write(table);
    for (const char* cell : {"  9.40 of 16.0\\,GiB \\\\", "  18.0 \\textgreater{} 16.0\\,GiB \\\\",
                             "  4 stages \\\\", "  a ms \\\\"})
        EXPECT_NE(text.find(cell), std::string::npos) << cell << "\n" << text;
}

TEST(TableFormats, MarkdownEscapesWhatItWouldReadOtherwise) {
    EXPECT_EQ(as("markdown"), R"(| Plan | Status | Iteration | Over A\_B |
|---|---|--:|--:|
| 50% \& more\_{x} | ok | 33.0 ms | 1.5× |
| \[a\|b\], "c" | infeasible: 18.0 GiB of 16.0 GiB | – | −3.2 % |
)");
}

TEST(TableFormats, CsvQuotesWhereItHasTo) {
    EXPECT_EQ(as("csv"), R"(Plan,Status,Iteration,Over A_B
50% & more_{x},ok,33.0 ms,1.5×
"[a|b], ""c""",infeasible: 18.0 GiB of 16.0 GiB,–,−3.2 %
)");
}

TEST(TableFormats, ALineBreakInACellBreaksNoRow) {
    const TextCells table = {{{"A"}, {"B"}}, {{"one\ntwo", "three"}}};
    EXPECT_NE(tableFormatNamed("latex")->write(table).find("  one two & three \\\\\n"), std::string::npos);
    EXPECT_NE(tableFormatNamed("markdown")->write(table).find("| one two | three |\n"), std::string::npos);
    EXPECT_NE(tableFormatNamed("csv")->write(table).find("\"one\ntwo\",three\n"), std::string::npos);
}
