// Keys of the program are written where its actions are registered, and in no text.
#include "tests/core/house/sources.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

TEST(House, NoTextRepeatsAKey) {
    // As tooltips had them: "Export the curves (Ctrl+E)".
    const std::regex key(R"re("[^"]*\(((Ctrl|Alt|Shift)\+[^")]*|F[0-9]+)\)[^"]*")re");
    EXPECT_TRUE(std::regex_search(R"x(tr("Export (Ctrl+E)"))x", key));
    EXPECT_TRUE(std::regex_search(R"x(tr("vPipe (F7)"))x", key));
    EXPECT_FALSE(std::regex_search(R"x(QKeySequence(tr("Ctrl+E")))x", key));
    std::size_t seen = 0;
    for (const house::Source& source : house::productSources()) {
        if (source.path.starts_with("core/")) continue;
        std::ifstream file(std::string(STAGECRAFT_SOURCE_DIR) + "/" + source.path);
        std::string line;
        for (int number = 1; std::getline(file, line); ++number) {
            ++seen;
            EXPECT_FALSE(std::regex_search(line, key)) << source.path << ":" << number << ": " << line;
        }
    }
    EXPECT_GT(seen, 30'000u);
}
