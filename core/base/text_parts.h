#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::base {

// What readers of line-oriented text share. Numbers are read with a point whatever the locale.

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> linesOf(std::string_view text);
/// The first line that is not blank, without leading blanks.
std::string_view firstLine(std::string_view text);
/// Whether a line begins with that word and a colon or a blank.
bool hasField(std::string_view text, std::string_view word);
/// Split at blanks and tabs, as many as there are.
std::vector<std::string_view> wordsOf(std::string_view line);
/// Split at every `separator`; cells are trimmed.
std::vector<std::string_view> cellsOf(std::string_view line, char separator);
/// The cells of a line of a table, trimmed; a blank as separator: split at blanks and tabs, as many as there
/// are. Between double quotes a separator is text, and two quotes are one. Nothing if a quote is open at the
/// end of the line.
std::optional<std::vector<std::string>> tableCells(std::string_view line, char separator);

/// Whether it is a spreadsheet's first line "sep=;", which names the separator and is no row.
bool namesSeparator(std::string_view line);

/// The number at the start of `text`, from which it is removed; nothing if there is none or it is not
/// finite.
std::optional<double> takeNumber(std::string_view& text);
/// The whole text as a number.
std::optional<double> wholeNumber(std::string_view text);
/// Digits alone or after a minus, as an integer that fits.
std::optional<int> wholeInteger(std::string_view text);
/// "0x03ff" or "03ff".
std::optional<unsigned long long> hexNumber(std::string_view text);
/// Letters and digits alone, in lower case: for comparing names that people write with blanks or dashes.
std::string lettersAndDigits(std::string_view text);
/// In single quotes, for messages: cut after `limit` bytes, control characters as "?".
std::string inQuotes(std::string_view text, std::size_t limit = 40);

/// Whether `pattern` matches all of `name`: each `*` matches any text, also none; letters match in either
/// case (ASCII). Takes at most pattern × name steps.
bool matchesWildcards(std::string_view pattern, std::string_view name);

}  // namespace stagecraft::base
