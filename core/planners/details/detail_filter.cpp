#include "core/planners/details/detail_filter.h"

#include "core/base/query_bound.h"
#include "core/base/query_text.h"
#include "core/base/spelling.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagecraft::planners {

namespace {

/// Letters of ASCII alone: ids and what they are compared with.
std::string lowered(std::string text) {
    for (char& letter : text)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return text;
}

Quantity quantityOf(DetailUnit unit) {
    return unit == DetailUnit::seconds ? Quantity::seconds
           : unit == DetailUnit::bytes ? Quantity::bytes
                                       : Quantity::plain;
}

/// What a column may be called, the surest name first.
std::array<std::string, 4> namesOf(const DetailColumn& column) {
    std::string bare = column.id;
    for (const std::string_view suffix : {"_s", "_bytes"})
        if (bare.size() > suffix.size() && bare.ends_with(suffix)) bare.resize(bare.size() - suffix.size());
    return {lowered(column.id), lowered(bare), lowered(column.heading),
            lowered(column.heading.substr(0, column.heading.find_first_of(" (")))};
}

/// By the surest kind of name that any column has.
std::size_t columnNamed(const QueryPart& name, const std::vector<DetailColumn>& columns) {
    const std::string wanted = lowered(name.text());
    for (std::size_t kind = 0; kind < namesOf(DetailColumn{}).size(); ++kind) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (namesOf(columns[i])[kind] == wanted) found.push_back(i);
        if (found.size() == 1) return found.front();
        if (found.empty()) continue;
        std::vector<std::string> several;
        for (const std::size_t each : found) several.push_back(columns[each].id);
        throw QueryMistake(name,
                           "'" + name.text() + "' may be " + joinNames(several, " or ") + "; write which");
    }
    std::vector<std::string> known;
    for (const DetailColumn& each : columns) known.push_back(each.id);
    throw QueryMistake(name, "no column is called '" + name.text() + "'; there are " + joinNames(known));
}

}  // namespace

DetailFilter::DetailFilter(std::string_view text, const std::vector<DetailColumn>& columns) {
    for (const DetailColumn& column : columns) units_.push_back(column.unit);
    for (const QueryTerm& term : queryTerms(text, {boundSigns()})) {
        const std::string word = term.whole.text();
        if (term.name.text().empty() || term.value.text().empty()) {
            if (!word.empty()) words_.push_back(lowered(word));
            continue;
        }
        const std::size_t column = columnNamed(term.name, columns);
        const std::string value = term.value.text();
        if (columns[column].unit == DetailUnit::text) {
            if (term.sign != "=")
                throw QueryMistake(term.whole, "'" + columns[column].id + "' is a text; write " +
                                                   columns[column].id + "=" + value);
            bounds_.push_back({column, term.sign, lowered(value)});
            continue;
        }
        const double number = boundNumber(quantityOf(columns[column].unit), value);
        if (std::isnan(number)) throw QueryMistake(term.value, "'" + value + "' is no number");
        bounds_.push_back({column, term.sign, number});
    }
}

bool DetailFilter::takes(const std::vector<DetailCell>& row) const {
    for (const Bound& bound : bounds_) {
        const DetailCell& cell = row[bound.column];
        if (const auto* text = std::get_if<std::string>(&cell)) {
            if (!std::holds_alternative<std::string>(bound.value) ||
                lowered(*text) != std::get<std::string>(bound.value))
                return false;
        } else if (!std::holds_alternative<double>(bound.value) ||
                   !isWithinBound(std::get<double>(cell), bound.sign, std::get<double>(bound.value))) {
            return false;
        }
    }
    return std::all_of(words_.begin(), words_.end(), [&](const std::string& word) {
        for (std::size_t i = 0; i < row.size(); ++i)
            if (lowered(detailText(row[i], units_[i])).find(word) != std::string::npos) return true;
        return false;
    });
}

std::vector<std::size_t> rowsTaken(const DetailTable& table, const DetailFilter& filter) {
    std::vector<std::size_t> rows;
    rows.reserve(table.rows.size());
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        if (filter.takesAll() || filter.takes(table.rows[i])) rows.push_back(i);
    return rows;
}

DetailTable withRows(const DetailTable& table, const std::vector<std::size_t>& rows) {
    DetailTable part{table.columns, {}, table.cut, table.notes};
    part.rows.reserve(rows.size());
    for (const std::size_t row : rows) part.rows.push_back(table.rows[row]);
    return part;
}

}  // namespace stagecraft::planners
