#pragma once

#include <string>
#include <vector>

namespace stagecraft::base {

/// The candidate that `word` most likely meant: the least edit distance, ties to the first, unless it differs
/// in more than a third of its letters (two letters are forgiven, if they are not all of it); else the first
/// that begins with the word; else nothing.
std::string nearestName(const std::string& word, const std::vector<std::string>& candidates);

/// " (did you mean 'x'?)", or nothing if no candidate is near.
std::string spellingHint(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b, c" for messages that list what there is.
std::string joinNames(const std::vector<std::string>& names, const char* separator = ", ");

/// "a V100", "an H100", "an MI300X": letters in front of a number are read one by one.
std::string withArticle(const std::string& name);

}  // namespace stagecraft::base
