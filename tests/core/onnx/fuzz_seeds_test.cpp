// The readers of all formats on what fuzzing starts from, on what it found, and on damaged copies of both.
#include "core/formats/file_kind.h"
#include "core/formats/text_file.h"
#include "core/formats/topology/import.h"
#include "tests/core/support/slow_property.h"
#include "tests/fuzz/readers.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputsOf(const std::string& reader) {
    std::vector<fs::path> files;
    for (const char* folder : {"seeds", "found"}) {
        const fs::path path = fs::path(STAGECRAFT_SOURCE_DIR) / "tests/fuzz" / folder / reader;
        if (!fs::exists(path)) continue;
        for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// One of the ways in which files go wrong.
std::string damaged(std::string text, std::mt19937& random) {
    const auto place = [&] { return text.empty() ? 0 : random() % text.size(); };
    switch (random() % 6) {
        case 0:
            text.resize(place());
            break;
        case 1:
            if (!text.empty()) text[place()] = static_cast<char>(random());
            break;
        case 2: {
            static const std::vector<std::string> odd = {
                "nan", "-1", "1e308", "1e999", "null", "[]", "{}", "\"\"", "99999999999999999999",
                "-0",  "\t", "\n"};
            const std::size_t digit = text.find_first_of("0123456789", place());
            if (digit == std::string::npos) break;
            const std::size_t end = text.find_first_not_of("0123456789.eE+-", digit);
            text.replace(digit, (end == std::string::npos ? text.size() : end) - digit,
                         odd[random() % odd.size()]);
            break;
        }
        case 3: {
            const std::size_t from = place(), length = random() % 40;
            text.erase(from, length);
            break;
        }
        case 4: {
            const std::size_t from = place(), length = random() % 80;
            text.insert(place(), text.substr(from, length));
            break;
        }
        default: {
            const std::size_t line = text.find('\n', place());
            if (line != std::string::npos) text += text.substr(line);
        }
    }
    return text;
}

TEST(FuzzSeeds, EveryReaderHasOneAndThoseOfTopologiesAreOfTheirFormat) {
    for (const auto& [name, reader] : fuzz::readers()) EXPECT_FALSE(inputsOf(name).empty()) << name;
#define STAGECRAFT_TOPOLOGY(name)                                               \
    EXPECT_TRUE(std::ranges::any_of(inputsOf(#name), [](const fs::path& file) { \
        return detectTopology(readTextFile(file)) == FileKind::name;            \
    })) << #name;
    STAGECRAFT_TOPOLOGY_FORMATS(STAGECRAFT_TOPOLOGY)
#undef STAGECRAFT_TOPOLOGY
}

TEST(FuzzSeeds, EveryReaderReadsOrRefusesThem) {
    std::size_t seen = 0;
    for (const auto& [name, reader] : fuzz::readers())
        for (const fs::path& file : inputsOf(name)) {
            SCOPED_TRACE(file.string());
            EXPECT_NO_THROW(reader(readTextFile(file)));
            ++seen;
        }
    EXPECT_GT(seen, 10u);
}

TEST(FuzzSeeds, EveryReaderReadsOrRefusesDamagedCopies) {
    std::mt19937 random(5);
    for (const auto& [name, reader] : fuzz::readers())
        for (const fs::path& file : inputsOf(name)) {
            SCOPED_TRACE(file.string());
            const std::string text = readTextFile(file);
            // Each inference of shapes is a process.
            const int rounds = testing::ofSlowCases(name == "onnx" ? 50 : 400);
            for (int round = 0; round < rounds; ++round) {
                std::string bad = text;
                for (int times = 1 + static_cast<int>(random() % 3); times > 0; --times)
                    bad = damaged(bad, random);
                EXPECT_NO_THROW(reader(bad)) << bad;
            }
        }
}

}  // namespace
}  // namespace stagecraft
