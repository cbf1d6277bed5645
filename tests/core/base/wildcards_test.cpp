#include "core/base/text_parts.h"

#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cctype>
#include <string>

using namespace stagecraft;

namespace {

/// The definition, one character at a time. Names without '*'.
bool matchesByDefinition(const std::string& pattern, const std::string& name) {
    if (pattern.empty()) return name.empty();
    if (pattern[0] == '*')
        return matchesByDefinition(pattern.substr(1), name) ||
               (!name.empty() && matchesByDefinition(pattern, name.substr(1)));
    return !name.empty() && std::tolower(pattern[0]) == std::tolower(name[0]) &&
           matchesByDefinition(pattern.substr(1), name.substr(1));
}

}  // namespace

TEST(Wildcards, AStarMatchesAnyText) {
    EXPECT_TRUE(matchesWildcards("", ""));
    EXPECT_TRUE(matchesWildcards("*", ""));
    EXPECT_FALSE(matchesWildcards("", "a"));
    EXPECT_TRUE(matchesWildcards("GPU*:3", "gpu2:1:3"));
    EXPECT_FALSE(matchesWildcards("gpu", "gpu2"));
    EXPECT_FALSE(matchesWildcards("*2", "gpu2:1"));
}

TEST(Wildcards, TheyMatchAsDefined) {
    int matched = 0;
    EXPECT_TRUE(rc::check([&] {
        const auto pattern =
            *rc::gen::resize(8, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'A', '*')));
        auto name = *rc::gen::resize(8, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'B')));
        // Few of those match by chance: every other one is the pattern with its stars filled in.
        if (*rc::gen::arbitrary<bool>()) {
            const std::string filling = name;
            name.clear();
            for (const char c : pattern) name += c == '*' ? filling : std::string(1, c);
        }
        const bool matches = matchesByDefinition(pattern, name);
        RC_ASSERT(matchesWildcards(pattern, name) == matches);
        matched += matches;
    }));
    EXPECT_GT(matched, 20);
}

// Trying each star at every length would take longer than the world is old.
TEST(Wildcards, ManyStarsOnALongNameEndAtOnce) {
    std::string pattern;
    for (int i = 0; i < 30; ++i) pattern += "*a";
    EXPECT_FALSE(matchesWildcards(pattern + "b", std::string(2000, 'a')));
    EXPECT_TRUE(matchesWildcards(pattern, std::string(2000, 'a')));
}
