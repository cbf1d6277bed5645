// What would let a property pass whatever the code does.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

/// A property's verdict is what rc::check returns: a test that leaves it lying cannot fail.
TEST(House, NoPropertysVerdictIsLeftLying) {
    int asked = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(STAGECRAFT_SOURCE_DIR "/tests")) {
        if (entry.path().extension() != ".cpp") continue;
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            const std::size_t first = line.find_first_not_of(' ');
            if (first == std::string::npos) continue;
            asked += line.find("EXPECT_TRUE(rc::check(") != std::string::npos;
            EXPECT_NE(line.compare(first, 10, "rc::check("), 0) << entry.path() << ": use EXPECT_TRUE";
        }
    }
    EXPECT_GT(asked, 20);
}
