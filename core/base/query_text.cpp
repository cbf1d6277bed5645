#include "core/base/query_text.h"

#include "core/base/text_parts.h"

#include <algorithm>

namespace stagecraft::base {

namespace {

constexpr std::string_view blanks = " \t\r\n";

/// Whether a letter of a text is between quotation marks, asked for one letter after the other.
class Quotation {
public:
    /// @returns whether it is, or is a mark itself
    bool takes(char letter) {
        if (letter == '"') open_ = !open_;
        return open_ || letter == '"';
    }
    bool isOpen() const { return open_; }

private:
    bool open_ = false;
};

QueryPart partOf(const QueryPart& whole, std::size_t at, std::size_t length = std::string::npos) {
    return {whole.from + at, whole.written.substr(at, length)};
}

void divideAtSign(QueryTerm& term, std::span<const std::string_view> signs) {
    const std::string& text = term.whole.written;
    Quotation quotation;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (quotation.takes(text[at])) continue;
        const std::string_view rest = std::string_view(text).substr(at);
        const auto sign = std::find_if(signs.begin(), signs.end(),
                                       [rest](std::string_view one) { return rest.starts_with(one); });
        if (sign == signs.end()) continue;
        term.name = partOf(term.whole, 0, at);
        term.sign = *sign;
        term.value = partOf(term.whole, at + sign->size());
        return;
    }
}

QueryTerm termOf(QueryPart whole, bool unclosed, const QueryGrammar& grammar) {
    const char first = whole.written.front();
    const bool negated = grammar.negation && (first == '-' || first == '!');
    if (negated && whole.written.size() == 1)
        throw QueryMistake(whole, "'" + whole.written + "' must be followed by the term to negate");
    if (negated) whole = partOf(whole, 1);
    QueryTerm term{negated, unclosed, std::move(whole)};
    divideAtSign(term, grammar.signs);
    return term;
}

int queryNumber(const QueryPart& part, const std::string& what) {
    const std::optional<int> number = wholeInteger(part.written);
    if (!number || *number < 0)
        throw QueryMistake(
            part, "'" + part.written + "' is not the number of a " + what + "; write 3, 3..5, 3.. or 1,4");
    return *number;
}

}  // namespace

std::string QueryPart::text() const {
    std::string bare = written;
    std::erase(bare, '"');
    return bare;
}

std::vector<QueryTerm> queryTerms(std::string_view text, const QueryGrammar& grammar) {
    std::vector<QueryTerm> terms;
    for (std::size_t at = 0; (at = text.find_first_not_of(blanks, at)) != std::string_view::npos;) {
        const std::size_t from = at;
        Quotation quotation;
        while (at < text.size() &&
               (quotation.takes(text[at]) || blanks.find(text[at]) == std::string_view::npos))
            ++at;
        terms.push_back(
            termOf({from, std::string(text.substr(from, at - from))}, quotation.isOpen(), grammar));
    }
    return terms;
}

std::vector<QueryPart> queryValues(const QueryPart& value, const std::string& expected) {
    std::vector<QueryPart> parts;
    Quotation quotation;
    std::size_t from = 0;
    for (std::size_t at = 0; at <= value.written.size(); ++at) {
        const bool ends = at == value.written.size();
        if (!ends && (quotation.takes(value.written[at]) || value.written[at] != ',')) continue;
        parts.push_back(partOf(value, from, at - from));
        if (parts.back().text().empty())  // the place where something is missing
            throw QueryMistake(value.from + at, 1, "here " + expected + " is missing");
        from = at + 1;
    }
    return parts;
}

std::pair<std::optional<int>, std::optional<int>> queryRange(const QueryPart& part, const std::string& what) {
    const QueryPart bare{part.from + (part.isQuoted() ? 1 : 0), part.text()};
    const std::size_t dots = bare.written.find("..");
    if (dots == std::string::npos) {
        const int number = queryNumber(bare, what);
        return {number, number};
    }
    const QueryPart from = partOf(bare, 0, dots), to = partOf(bare, dots + 2);
    if (from.written.empty() && to.written.empty())
        throw QueryMistake(part, "the range has neither a begin nor an end");
    std::optional<int> first, last;
    if (!from.written.empty()) first = queryNumber(from, what);
    if (!to.written.empty()) last = queryNumber(to, what);
    if (first && last && *first > *last) throw QueryMistake(part, "the range ends before it begins");
    return {first, last};
}

}  // namespace stagecraft::base
