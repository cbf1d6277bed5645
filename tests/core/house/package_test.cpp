// What a desktop is told of the program: its menu entry, its kinds of files and their icons, and its
// description agree.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

const fs::path packageFolder = fs::path(STAGECRAFT_SOURCE_DIR) / "resources/package";

std::string fileText(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// What the first group of a pattern is at each place where the text has it.
std::set<std::string> firstGroups(const std::string& text, const std::string& pattern) {
    const std::regex expression(pattern);
    std::set<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
        found.insert(at->str(1));
    return found;
}

const std::string kindPattern = "(application/vnd\\.stagecraft\\.[a-z]+\\+json)";

}  // namespace

TEST(Package, KindsOfFilesAreTheSameInMenuEntryDescriptionAndIcons) {
    const std::set<std::string> kinds =
        firstGroups(fileText(packageFolder / "stagecraft.xml"), "mime-type type=\"" + kindPattern);
    ASSERT_EQ(kinds.size(), 4u);
    EXPECT_EQ(firstGroups(fileText(packageFolder / "stagecraft.desktop"), kindPattern), kinds);
    EXPECT_EQ(firstGroups(fileText(packageFolder / "org.stagecraft.stagecraft.metainfo.xml.in"),
                          "<mediatype>" + kindPattern + "</mediatype>"),
              kinds);
    std::set<std::string> icons;
    for (const auto& entry : fs::directory_iterator(packageFolder / "icons"))
        if (std::string name = entry.path().stem().string(); name.starts_with("application-"))
            icons.insert(name.replace(name.find('-'), 1, "/"));
    EXPECT_EQ(icons, kinds);
    EXPECT_TRUE(fs::exists(packageFolder / "icons/stagecraft.svg"));
}

TEST(Package, EveryKindIsKnownByWhatItsFilesBeginWithAndAreCalled) {
    const std::string kinds = fileText(packageFolder / "stagecraft.xml");
    const auto begins = [](const fs::path& path) {
        const auto found = firstGroups(fileText(path).substr(0, 64 + 20), "\"(stagecraft/[a-z]+)\"");
        return found.empty() ? std::string() : *found.begin();
    };
    const auto isKnown = [&](const std::string& format, const std::string& ending) {
        return kinds.find("value=\"&quot;" + format + "&quot;\"") != std::string::npos &&
               kinds.find("pattern=\"*" + ending + "\"") != std::string::npos;
    };
    const fs::path samples = fs::path(STAGECRAFT_SOURCE_DIR) / "samples";
    EXPECT_TRUE(isKnown(begins(samples / "fig2-toy.stagecraft.json"), ".stagecraft.json"));
    EXPECT_TRUE(isKnown(begins(samples / "profiles/bert-48.profile.json"), ".profile.json"));
    EXPECT_TRUE(isKnown(begins(samples / "clusters/dgx1.cluster.json"), ".cluster.json"));
    EXPECT_TRUE(isKnown("stagecraft/plan", ".plan.json"));
}

TEST(Package, TheMenuEntryOpensFilesWithTheProgram) {
    const std::string entry = fileText(packageFolder / "stagecraft.desktop");
    for (const char* line : {"\nExec=stagecraft %F\n", "\nIcon=stagecraft\n", "\nTerminal=false\n"})
        EXPECT_NE(entry.find(line), std::string::npos) << line;
}
