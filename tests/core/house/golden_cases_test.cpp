// The golden cases in the tree are those from which they were copied, where these are beside the checkout.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST(GoldenCases, CopiesAreLikeTheirOriginals) {
    const fs::path originals = fs::path(STAGECRAFT_SHARED_DIR) / "cases";
    if (!fs::exists(originals)) GTEST_SKIP() << "no golden cases at " << originals;
    std::size_t seen = 0;
    for (const auto& entry : fs::directory_iterator(STAGECRAFT_SOURCE_DIR "/tests/data/cases")) {
        if (entry.path().extension() != ".json") continue;
        const fs::path original = originals / entry.path().filename();
        ASSERT_TRUE(fs::exists(original)) << original;
        EXPECT_EQ(textOf(entry.path()), textOf(original)) << original;
        ++seen;
    }
    EXPECT_GT(seen, 50u);
}
