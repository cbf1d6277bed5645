#include "core/base/spelling.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string_view>

namespace stagecraft::base {

namespace {

char folded(char letter) {
    if (letter == '-') return '_';
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Levenshtein distance; case and the difference between '-' and '_' do not count.
std::size_t editDistance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (folded(a[i]) != folded(b[j]) ? 1 : 0);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearestName(const std::string& word, const std::vector<std::string>& candidates) {
    constexpr std::size_t longestName = 64;  // beyond it a hint would help nobody and cost quadratic time
    if (word.size() > longestName) return {};
    std::string nearest;
    std::size_t least = std::string::npos;
    for (const std::string& candidate : candidates) {
        if (candidate.empty() || candidate.size() > longestName) continue;
        const std::size_t distance = editDistance(word, candidate);
        const std::size_t forgiven =
            std::min(std::max<std::size_t>(2, candidate.size() / 3), candidate.size() - 1);
        if (distance <= forgiven && distance < least) {
            nearest = candidate;
            least = distance;
        }
    }
    if (!nearest.empty() || word.size() < 2) return nearest;
    const auto longer = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& candidate) {
        return candidate.size() > word.size() && editDistance(word, candidate.substr(0, word.size())) == 0;
    });
    return longer == candidates.end() ? "" : *longer;
}

std::string spellingHint(const std::string& word, const std::vector<std::string>& candidates) {
    const std::string nearest = nearestName(word, candidates);
    return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

std::string joinNames(const std::vector<std::string>& names, const char* separator) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : separator) + name;
    return text;
}

std::string withArticle(const std::string& name) {
    const auto letter = [&name](std::size_t i) {
        return static_cast<unsigned char>(i < name.size() ? name[i] : ' ');
    };
    const bool isSpelled = std::isupper(letter(0)) && !std::islower(letter(1));
    const std::string_view vowels = isSpelled ? "AEFHILMNORSX" : "AEIOUaeiou";
    return (vowels.find(name.empty() ? ' ' : name[0]) == std::string_view::npos ? "a " : "an ") + name;
}

}  // namespace stagecraft::base
