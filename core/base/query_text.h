#pragma once

#include "core/base/rooms.h"

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft::base {

// What people type to find something: terms between blanks, each a word, or a name, a sign and values:
// stage:0,2..3 -kind:transfer "right gpu" microbatches>=8. Quotation marks protect blanks, signs and commas.

/// A part of a query and its place.
struct QueryPart {
    std::size_t from = 0;  ///< bytes
    std::string written;   ///< with quotation marks

    std::string text() const;  ///< without
    bool isQuoted() const { return written.starts_with('"'); }
};

/// Why a query cannot be understood, and which part of it is wrong.
class QueryMistake : public std::invalid_argument {
public:
    QueryMistake(std::size_t at, std::size_t size, const std::string& message)
        : std::invalid_argument(message), from(at), length(size) {}
    QueryMistake(const QueryPart& part, const std::string& message)
        : QueryMistake(part.from, part.written.size(), message) {}

    std::size_t from;  ///< bytes
    std::size_t length;
};

struct QueryTerm {
    bool negated = false;   ///< it began with - or !
    bool unclosed = false;  ///< its last quotation mark has no end
    QueryPart whole;        ///< without the sign of negation
    QueryPart name = {};    ///< what is before the sign
    std::string sign = {};  ///< empty: the term is a word
    QueryPart value = {};   ///< what follows the sign
};

struct QueryGrammar {
    std::span<const std::string_view> signs;  ///< of two that begin alike the longer one first
    bool negation = false;
};

/// The terms of a text, which need not be valid in other respects.
/// @throws QueryMistake if there is nothing to negate
std::vector<QueryTerm> queryTerms(std::string_view text, const QueryGrammar& grammar);

/// The values between the commas of a term's value. @param expected "the number of a stage"
/// @throws QueryMistake where one is missing
std::vector<QueryPart> queryValues(const QueryPart& value, const std::string& expected);

/// The first and the last number that "3", "3..5", "3.." or "..5" names; none: that end is open.
/// @param what the numbers count: "stage" @throws QueryMistake
std::pair<std::optional<int>, std::optional<int>> queryRange(const QueryPart& part, const std::string& what);

}  // namespace stagecraft::base
