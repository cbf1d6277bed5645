#include "core/base/wildcards.h"

namespace stagecraft::base {

namespace {

char lowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool matchesWildcards(std::string_view pattern, std::string_view name) {
    // Only the latest star has to be tried at other lengths: what precedes it was matched as early as
    // possible, which leaves the most of the name for what follows.
    std::size_t inPattern = 0, inName = 0, afterStar = std::string_view::npos, starEnd = 0;
    while (inName < name.size()) {
        if (inPattern < pattern.size() && pattern[inPattern] == '*') {
            afterStar = ++inPattern;
            starEnd = inName;
        } else if (inPattern < pattern.size() && lowerCase(pattern[inPattern]) == lowerCase(name[inName])) {
            ++inPattern;
            ++inName;
        } else if (afterStar != std::string_view::npos) {
            inPattern = afterStar;
            inName = ++starEnd;
        } else {
            return false;
        }
    }
    while (inPattern < pattern.size() && pattern[inPattern] == '*') ++inPattern;
    return inPattern == pattern.size();
}

}  // namespace stagecraft::base
