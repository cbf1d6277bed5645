#include "core/base/text_parts.h"

#include <cmath>

namespace stagecraft::base {

namespace {

bool isBlank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

template <class Number>
std::optional<Number> whole(std::string_view text, int base) {
    Number number{};
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (text.empty() || result.ec != std::errc{} || result.ptr != text.data() + text.size())
        return std::nullopt;
    return number;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back(line);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return lines;
}

std::string_view firstLine(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    return text.substr(0, text.find('\n'));
}

bool hasField(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || text[at - 1] == '\n';
        const std::string_view rest = text.substr(at + word.size());
        if (begins && (rest.starts_with(':') || rest.starts_with(' ') || rest.starts_with('\t'))) return true;
    }
    return false;
}

std::vector<std::string_view> wordsOf(std::string_view line) {
    std::vector<std::string_view> words;
    std::size_t from = 0;
    while (from < line.size()) {
        while (from < line.size() && isBlank(line[from])) ++from;
        std::size_t to = from;
        while (to < line.size() && !isBlank(line[to])) ++to;
        if (to > from) words.push_back(line.substr(from, to - from));
        from = to;
    }
    return words;
}

std::vector<std::string_view> cellsOf(std::string_view line, char separator) {
    std::vector<std::string_view> cells;
    for (;;) {
        const std::size_t end = line.find(separator);
        cells.push_back(trimmed(line.substr(0, end)));
        if (end == std::string_view::npos) return cells;
        line.remove_prefix(end + 1);
    }
}

std::optional<std::vector<std::string>> tableCells(std::string_view line, char separator) {
    const bool atBlanks = separator == ' ';
    const auto separates = [&](char c) { return atBlanks ? c == ' ' || c == '\t' : c == separator; };
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += line[i++];
        } else if (line[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && separates(line[i])) {
            if (!atBlanks || !cells.back().empty()) cells.emplace_back();
        } else if (line[i] != '\r') {
            cells.back() += line[i];
        }
    }
    if (quoted) return {};
    for (std::string& cell : cells) cell = trimmed(cell);
    if (atBlanks && cells.size() > 1 && cells.back().empty()) cells.pop_back();
    return cells;
}

bool namesSeparator(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\"");
    if (first == std::string_view::npos) return false;
    line.remove_prefix(first);
    while (line.ends_with('\r') || line.ends_with('"')) line.remove_suffix(1);
    constexpr std::string_view word = "sep=";
    if (line.size() != word.size() + 1) return false;
    for (std::size_t at = 0; at < word.size(); ++at)
        if (line[at] != word[at] && line[at] != word[at] - 'a' + 'A') return false;
    return true;
}

std::optional<double> takeNumber(std::string_view& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

std::optional<double> wholeNumber(std::string_view text) {
    const auto number = takeNumber(text);
    return text.empty() ? number : std::nullopt;
}

std::optional<int> wholeInteger(std::string_view text) { return whole<int>(text, 10); }

std::optional<unsigned long long> hexNumber(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
    return whole<unsigned long long>(text, 16);
}

std::string lettersAndDigits(std::string_view text) {
    std::string plain;
    for (const char letter : text) {
        if (letter >= 'A' && letter <= 'Z')
            plain += static_cast<char>(letter - 'A' + 'a');
        else if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9'))
            plain += letter;
    }
    return plain;
}

std::string inQuotes(std::string_view text, std::size_t limit) {
    // Not within a letter of several bytes.
    const auto isRest = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
    while (limit > 0 && limit < text.size() && isRest(limit)) --limit;
    std::string shown = "'";
    for (const char letter : text.substr(0, limit))
        shown += static_cast<unsigned char>(letter) < 0x20 ? '?' : letter;
    return shown + (text.size() > limit ? "…'" : "'");
}

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
