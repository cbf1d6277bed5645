#include "core/base/table_formats.h"

#include "core/base/csv_text.h"
#include "core/base/unit_table.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft::base {
namespace {

constexpr std::string_view thinSpace = "\u2009";

using Replacement = std::pair<std::string_view, std::string_view>;

std::string replaced(std::string_view text, std::span<const Replacement> replacements) {
    std::string out;
    while (!text.empty()) {
        const auto found =
            std::find_if(replacements.begin(), replacements.end(),
                         [&](const Replacement& each) { return text.starts_with(each.first); });
        const bool known = found != replacements.end();
        out += known ? found->second : text.substr(0, 1);
        text.remove_prefix(known ? found->first.size() : 1);
    }
    return out;
}

// What TeX reads otherwise, and characters that its usual fonts lack.
constexpr auto latexTexts = std::to_array<Replacement>({{"\\", "\\textbackslash{}"},
                                                        {"{", "\\{"},
                                                        {"}", "\\}"},
                                                        {"$", "\\$"},
                                                        {"&", "\\&"},
                                                        {"#", "\\#"},
                                                        {"%", "\\%"},
                                                        {"_", "\\_"},
                                                        {"^", "\\textasciicircum{}"},
                                                        {"~", "\\textasciitilde{}"},
                                                        {"<", "\\textless{}"},
                                                        {">", "\\textgreater{}"},
                                                        {"|", "\\textbar{}"},
                                                        {"\n", " "},
                                                        {"–", "--"},
                                                        {"—", "---"},
                                                        {"…", "\\ldots{}"},
                                                        {"\u00a0", "~"},
                                                        {thinSpace, "\\,"},
                                                        {"\u202f", "\\,"},
                                                        {"−", "$-$"},
                                                        {"×", "$\\times$"},
                                                        {"·", "$\\cdot$"},
                                                        {"µ", "\\textmu{}"},
                                                        {"μ", "\\textmu{}"},
                                                        {"→", "$\\to$"},
                                                        {"⇄", "$\\leftrightarrow$"},
                                                        {"≤", "$\\leq$"},
                                                        {"≥", "$\\geq$"},
                                                        {"≈", "$\\approx$"},
                                                        {"∞", "$\\infty$"}});

constexpr auto markdownTexts = std::to_array<Replacement>({{"\\", "\\\\"},
                                                           {"|", "\\|"},
                                                           {"`", "\\`"},
                                                           {"*", "\\*"},
                                                           {"_", "\\_"},
                                                           {"~", "\\~"},
                                                           {"[", "\\["},
                                                           {"]", "\\]"},
                                                           {"<", "\\<"},
                                                           {">", "\\>"},
                                                           {"&", "\\&"},
                                                           {"\n", " "}});

bool isUnit(std::string_view word) {
    if (word == "%") return true;
    for (const Quantity quantity : {Quantity::seconds, Quantity::bytes, Quantity::bandwidth})
        for (const Unit& unit : unitsOf(quantity))
            if (word == unit.symbol) return true;
    return false;
}

/// A number and its unit stay together, with a thin space between them.
std::string withThinSpaces(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool afterNumber = i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
        const std::string_view rest = std::string_view(text).substr(i + 1);
        const std::string_view word = rest.substr(0, rest.find_first_of(" ,;)"));
        if (text[i] == ' ' && afterNumber && isUnit(word))
            out += thinSpace;
        else
            out += text[i];
    }
    return out;
}

std::string latexCell(const std::string& cell) {
    const std::string text = replaced(withThinSpaces(cell), latexTexts);
    return text.starts_with('[') ? "{}" + text : text;  // after \\ it would be an option of that
}

std::string markdownCell(const std::string& cell) { return replaced(cell, markdownTexts); }

/// The cells of a row as `cell` writes them, with `between` between them.
template <class Cell>
std::string joined(const TextCells& table, std::string_view between, Cell cell) {
    std::string line;
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        line += std::string(column ? between : "") + cell(column);
    return line;
}

std::string latexTable(const TextCells& table) {
    const auto heading = [&](std::size_t i) { return latexCell(table.columns[i].heading); };
    std::string text = "% \\usepackage{booktabs}\n\\begin{tabular}{" +
                       joined(table, "", [&](std::size_t i) { return table.columns[i].number ? "r" : "l"; }) +
                       "}\n  \\toprule\n  " + joined(table, " & ", heading) + " \\\\\n  \\midrule\n";
    for (const std::vector<std::string>& row : table.rows)
        text += "  " + joined(table, " & ", [&](std::size_t i) { return latexCell(row[i]); }) + " \\\\\n";
    return text + "  \\bottomrule\n\\end{tabular}\n";
}

std::string markdownTable(const TextCells& table) {
    std::string text =
        "| " + joined(table, " | ", [&](std::size_t i) { return markdownCell(table.columns[i].heading); }) +
        " |\n|" + joined(table, "|", [&](std::size_t i) { return table.columns[i].number ? "--:" : "---"; }) +
        "|\n";
    for (const std::vector<std::string>& row : table.rows)
        text += "| " + joined(table, " | ", [&](std::size_t i) { return markdownCell(row[i]); }) + " |\n";
    return text;
}

std::string csvTable(const TextCells& table) {
    std::string text = joined(table, ",", [&](std::size_t i) { return csvCell(table.columns[i].heading); });
    for (const std::vector<std::string>& row : table.rows)
        text += '\n' + joined(table, ",", [&](std::size_t i) { return csvCell(row[i]); });
    return text + '\n';
}

constexpr TableFormat formats[] = {
    {"latex", "LaTeX", latexTable}, {"markdown", "Markdown", markdownTable}, {"csv", "CSV", csvTable}};

}  // namespace

std::span<const TableFormat> tableFormats() { return formats; }

const TableFormat* tableFormatNamed(std::string_view id) {
    const auto found = std::find_if(std::begin(formats), std::end(formats),
                                    [&](const TableFormat& it) { return it.id == id; });
    return found == std::end(formats) ? nullptr : found;
}

}  // namespace stagecraft::base
