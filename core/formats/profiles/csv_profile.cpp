#include "core/formats/profiles/csv_profile.h"

#include "core/base/counted.h"
#include "core/base/enum_names.h"
#include "core/base/text_parts.h"
#include "core/base/work_context.h"
#include "core/formats/json_writer.h"
#include "core/formats/profiles/operator_graph.h"
#include "core/formats/profiles/profile_format.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>

namespace stagecraft::formats {

namespace {

constexpr std::array<CsvField, csvFieldCount> allFields = {
    CsvField::name,           CsvField::forward,    CsvField::backward,
    CsvField::weightGradient, CsvField::parameters, CsvField::output,
    CsvField::outputGradient, CsvField::stored,     CsvField::inputGradient};

constexpr double valueBytes = 4;
constexpr char blanks = ' ';
constexpr std::size_t linesBetweenLooks = 4096;  // at whether to stop

bool isSkipped(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    return first == std::string_view::npos || line[first] == '#' || namesSeparator(line);
}

/// @throws InputError if a quote is open at the end of the line
std::vector<std::string> cellsOfLine(std::string_view line, char separator, const std::string& file,
                                     std::size_t number) {
    if (auto cells = tableCells(line, separator)) return *std::move(cells);
    throw InputError(file, "line " + std::to_string(number), "a quote is open at the end of the line",
                     "quotes in pairs on one line");
}

/// The first lines of a table that say anything.
std::vector<std::string_view> firstLines(std::string_view text) {
    constexpr std::size_t enough = 20, longest = 1 << 16;
    text = text.substr(0, longest);
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::vector<std::string_view> lines;
    while (!text.empty() && lines.size() < enough) {
        const std::string_view line = text.substr(0, text.find('\n'));
        // What the limit cut through is no whole line.
        const bool isWhole = line.size() < text.size() || text.size() < longest;
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (!isSkipped(line) && (isWhole || lines.empty())) lines.push_back(line);
    }
    return lines;
}

/// How many cells each of the lines has; 0: they differ, or a quote is open.
std::size_t columnsBy(char separator, const std::vector<std::string_view>& lines) {
    std::size_t columns = 0;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        const auto cells = tableCells(lines[line], separator);
        if (!cells || (line > 0 && cells->size() != columns)) return 0;
        columns = cells->size();
    }
    return columns;
}

/// The one that makes most columns of the first lines, all equally long. A header may hold commas itself
/// ("forward, ms"), so the comma comes last, and blanks count where nothing else does. Where no separator
/// fits all lines, the one that the first has most of.
char separatorOf(const std::vector<std::string_view>& lines) {
    char best = ',';
    std::size_t most = 1;
    for (const char candidate : {'\t', ';', '|', ','})
        if (const std::size_t columns = columnsBy(candidate, lines); columns > most) {
            best = candidate;
            most = columns;
        }
    if (most > 1 || lines.empty()) return best;
    const std::string_view header = lines.front();
    for (const char candidate : {'\t', ';', '|'})
        if (std::count(header.begin(), header.end(), candidate) >
            std::count(header.begin(), header.end(), best))
            best = candidate;
    const bool hasNone = std::count(header.begin(), header.end(), best) == 0;
    return hasNone && lines.size() > 1 && columnsBy(blanks, lines) > 1 ? blanks : best;
}

/// "1234.5", "1,234.5" or, with a decimal comma, "1234,5" and "1.234,5" as std::from_chars takes it; nothing
/// where groups are not of three digits.
std::optional<std::string> plainNumber(std::string_view text, bool decimalComma) {
    const char mark = decimalComma ? ',' : '.', group = decimalComma ? '.' : ',';
    std::string plain;
    std::size_t sinceGroup = 0;
    bool grouped = false, fraction = false;
    const auto endsGroup = [&] { return !grouped || sinceGroup == 3; };
    for (const char letter : text) {
        const bool isExponent = letter == 'e' || letter == 'E';
        if (letter == group) {
            if (fraction || sinceGroup == 0 || sinceGroup > 3 || !endsGroup()) return std::nullopt;
            grouped = true;
            sinceGroup = 0;
        } else if (letter == mark || isExponent) {
            if (!fraction && !endsGroup()) return std::nullopt;
            fraction = true;
            plain += isExponent ? 'e' : '.';
        } else {
            plain += letter;
            if (letter >= '0' && letter <= '9') ++sinceGroup;
        }
    }
    if (!fraction && !endsGroup()) return std::nullopt;
    return plain;
}

std::optional<double> numberOf(std::string_view text, bool decimalComma) {
    const std::optional<std::string> plain = plainNumber(text, decimalComma);
    if (!plain) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(plain->data(), plain->data() + plain->size(), value);
    if (error != std::errc{} || end != plain->data() + plain->size()) return std::nullopt;
    return value;
}

/// "4.73" of "4.73 ms"; all of a cell without a unit.
std::string_view numberPart(std::string_view cell) {
    const std::size_t last = cell.find_last_of("0123456789.,");
    constexpr std::size_t longest = 6;
    if (last == std::string_view::npos || cell.size() - last - 1 > longest) return cell;
    return cell.substr(0, last + 1);
}

bool isNumber(std::string_view text) { return numberOf(text, false) || numberOf(text, true); }

/// Whether numbers have decimal commas: some cells are numbers only so, and none is one only with a point.
/// Where all commas are followed by three digits, the separator decides: a semicolon is there because the
/// comma is taken.
bool hasDecimalCommas(const CsvTable& table) {
    bool onlyComma = false, onlyPoint = false, either = false;
    for (const std::vector<std::string>& row : table.rows)
        for (const std::string& cell : row) {
            if (cell.find_first_of(",.") == std::string::npos) continue;
            const std::string_view number = numberPart(cell);
            const bool comma = numberOf(number, true).has_value(),
                       point = numberOf(number, false).has_value();
            onlyComma = onlyComma || (comma && !point);
            onlyPoint = onlyPoint || (point && !comma);
            either = either || (comma && point && cell.find(',') != std::string::npos);
        }
    if (onlyComma != onlyPoint) return onlyComma;
    return !onlyPoint && either && table.separator == ';';
}

/// The first row of a table without a header becomes its first row of data.
void nameColumns(CsvTable& table, std::size_t line) {
    const auto numbers = static_cast<std::size_t>(std::count_if(
        table.header.begin(), table.header.end(), [](const std::string& cell) { return isNumber(cell); }));
    if (numbers == 0 || numbers + 1 < table.header.size()) return;
    table.rows.push_back(table.header);
    table.lines.push_back(line);
    for (std::size_t column = 0; column < table.header.size(); ++column)
        table.header[column] = "column " + std::to_string(column + 1);
}

/// Words in lower case, apart at what is no letter or digit and, if asked, where a capital follows a small
/// letter. µ counts as u.
std::vector<std::string> headerWords(const std::string& header, bool atCapitals) {
    std::vector<std::string> words;
    bool open = false, lower = false;
    for (std::size_t i = 0; i < header.size(); ++i) {
        char letter = header[i];
        if (header.compare(i, 2, "\xc2\xb5") == 0 || header.compare(i, 2, "\xce\xbc") == 0) {
            letter = 'u';
            ++i;
        }
        const auto byte = static_cast<unsigned char>(letter);
        const bool isUpper = std::isupper(byte) != 0;
        if (!std::isalnum(byte)) {
            open = lower = false;
            continue;
        }
        if (!open || (atCapitals && isUpper && lower)) words.emplace_back();
        words.back() += static_cast<char>(std::tolower(byte));
        open = true;
        lower = !isUpper;
    }
    return words;
}

/// "fwdTime (KiB)" has the words fwd, time, ki, b, and fwdtime, kib.
std::vector<std::string> headerWords(const std::string& header) {
    std::vector<std::string> words = headerWords(header, true);
    const std::vector<std::string> whole = headerWords(header, false);
    words.insert(words.end(), whole.begin(), whole.end());
    return words;
}

bool hasAny(const std::vector<std::string>& words, std::initializer_list<const char*> wanted) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const char* word) {
        return std::find(words.begin(), words.end(), word) != words.end();
    });
}

std::optional<CsvField> fieldOf(const std::vector<std::string>& words) {
    const bool gradient = hasAny(words, {"gradient", "gradients", "grad", "grads"});
    const bool backward = hasAny(words, {"backward", "bwd", "bp", "bw"});
    // A half of the backward: "wrt inputs", "bwd_weight", "dgrad".
    const bool half = gradient || backward || hasAny(words, {"wrt"});
    if (hasAny(words, {"weight", "weights"}) && half) return CsvField::weightGradient;
    if (hasAny(words, {"wgrad"}) ||
        (hasAny(words, {"wrt"}) && hasAny(words, {"params", "parameters", "filter"})))
        return CsvField::weightGradient;
    if (hasAny(words, {"dgrad"}) || (hasAny(words, {"input", "inputs"}) && half))
        return CsvField::inputGradient;
    if (hasAny(words, {"forward", "fwd", "fp", "fw"})) return CsvField::forward;
    if (backward) return CsvField::backward;
    if (hasAny(words, {"parameter", "parameters", "params", "param", "weight", "weights", "kparams",
                       "mparams", "bparams"}))
        return CsvField::parameters;
    if (hasAny(words, {"stored", "saved", "memory", "kept"})) return CsvField::stored;
    if (hasAny(words, {"output", "outputs", "out", "activation", "activations"}))
        return gradient ? CsvField::outputGradient : CsvField::output;
    if (hasAny(words, {"name", "layer", "node", "op", "module", "operator"})) return CsvField::name;
    return std::nullopt;
}

/// What multiplies a count: 1e6 of "Params (M)" and "params_millions".
double countFactor(const std::vector<std::string>& words) {
    if (hasAny(words, {"k", "thousand", "thousands", "kparams"})) return 1e3;
    if (hasAny(words, {"m", "million", "millions", "mparams"})) return 1e6;
    if (hasAny(words, {"g", "bn", "billion", "billions", "bparams"})) return 1e9;
    return 1;
}

/// The unit of that name, in small letters, of a field; nothing if it has none such.
std::optional<double> unitNamed(CsvField field, std::string_view name) {
    for (const CsvUnit& unit : csvUnits(field))
        if (lettersAndDigits(unit.name) == name) return unit.factor;
    return std::nullopt;
}

double unitOf(CsvField field, const std::vector<std::string>& words) {
    for (auto word = words.rbegin(); word != words.rend(); ++word)
        for (const CsvUnit& unit : csvUnits(field)) {
            std::string name = unit.name;
            std::transform(name.begin(), name.end(), name.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
            if (*word == name) return unit.factor;
        }
    if (isTime(field))
        return hasAny(words, {"sec", "seconds", "second"}) ? 1
               : hasAny(words, {"msec"})                   ? 1e-3
               : hasAny(words, {"usec"})                   ? 1e-6
                                                           : 1;
    if (field != CsvField::parameters || hasAny(words, {"b", "byte"})) return 1;
    return valueBytes * countFactor(words);
}

/// Of a cell that carries its unit itself; the column's unit otherwise, and nothing for a unit that the field
/// does not have.
std::optional<double> unitInCell(CsvField field, std::string_view unit, double otherwise) {
    std::string name;
    for (const std::string& word : headerWords(std::string(unit), false)) name += word;
    return name.empty() && trimmed(unit).empty() ? otherwise : unitNamed(field, name);
}

double numberIn(const CsvTable& table, std::size_t row, CsvField field, const CsvMapping& mapping,
                const std::string& file) {
    const CsvColumn& column = mapping.of(field);
    const bool decimalComma = mapping.decimalComma;
    const std::string& text = table.rows[row][static_cast<std::size_t>(column.column)];
    const std::string_view number = numberPart(text);
    std::optional<double> value = numberOf(number, decimalComma);
    const std::optional<double> unit =
        unitInCell(field, std::string_view(text).substr(number.size()), column.unit);
    if (!unit) value.reset();
    if (!value || !(*value >= 0 && *value * *unit <= largestQuantity))
        throw InputError(file, "line " + std::to_string(table.lines[row]),
                         table.header[static_cast<std::size_t>(column.column)] + " is '" + text + "'",
                         std::string("a number from 0 to 1e24") +
                             (decimalComma ? ", with a comma before its fraction" : ""));
    return *value * *unit;
}

void checkMapping(const CsvTable& table, const CsvMapping& mapping, const std::string& file) {
    for (const CsvColumn& column : mapping.columns)
        if (column.column >= static_cast<int>(table.header.size()))
            throw InputError(file, "line 1", "no column " + std::to_string(column.column),
                             counted(table.header.size(), "column") + " at most");
    if (mapping.of(CsvField::forward).column < 0)
        throw InputError(file, "line 1", "no column holds forward times",
                         "a header such as 'forward_s' or 'fwd (ms)'");
}

std::string unitName(CsvField field, double factor) {
    for (const CsvUnit& unit : csvUnits(field))
        if (unit.factor == factor) return unit.name;
    return "its own units";
}

std::vector<ImportNote> notesOf(const CsvTable& table, const CsvMapping& mapping) {
    std::vector<ImportNote> notes = {
        {ImportNote::Kind::took, counted(table.rows.size(), "row") + ", one layer each"}};
    if (mapping.decimalComma)
        notes.push_back({ImportNote::Kind::derived, "numbers have decimal commas: 1,5 is one and a half"});
    std::vector<bool> used(table.header.size(), false);
    for (const CsvField field : allFields) {
        const CsvColumn& column = mapping.of(field);
        if (column.column < 0) continue;
        used[static_cast<std::size_t>(column.column)] = true;
        const std::string& header = table.header[static_cast<std::size_t>(column.column)];
        if (field == CsvField::name)
            notes.push_back({ImportNote::Kind::took, "names from '" + header + "'"});
        else
            notes.push_back({ImportNote::Kind::derived, csvFieldName(field) + " from '" + header + "' in " +
                                                            unitName(field, column.unit)});
    }
    for (std::size_t column = 0; column < used.size(); ++column)
        if (!used[column])
            notes.push_back({ImportNote::Kind::ignored, "the column '" + table.header[column] + "'"});
    const auto has = [&](CsvField field) { return mapping.of(field).column >= 0; };
    const bool hasBackward = has(CsvField::backward), hasInput = has(CsvField::inputGradient);
    const bool hasWeight = has(CsvField::weightGradient);
    if (!hasBackward && hasInput)
        notes.push_back({ImportNote::Kind::derived, "a backward is its input and its weight gradient"});
    else if (!hasBackward)
        notes.push_back({ImportNote::Kind::assumed, "a backward takes twice its forward: no column has it"});
    if (!hasWeight && hasBackward && hasInput)
        notes.push_back({ImportNote::Kind::derived,
                         "what a backward takes beyond its input gradient is weight gradient"});
    else if (!hasWeight && hasInput)
        notes.push_back({ImportNote::Kind::assumed, "a weight gradient takes as long as the input gradient"});
    else if (!hasWeight)
        notes.push_back({ImportNote::Kind::assumed, "half of a backward is weight gradient"});
    return notes;
}

}  // namespace

CsvTable readCsvTable(std::string_view text, const std::string& file, const std::stop_token& stop) {
    CsvTable table;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a spreadsheet's byte order mark
    table.separator = separatorOf(firstLines(text));
    for (std::size_t number = 1; !text.empty(); ++number) {
        if (number % linesBetweenLooks == 0 && stop.stop_requested()) throw Cancelled();
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (isSkipped(line)) continue;
        if (table.header.empty()) {
            table.header = cellsOfLine(line, table.separator, file, number);
            nameColumns(table, number);
            continue;
        }
        std::vector<std::string> cells = cellsOfLine(line, table.separator, file, number);
        if (cells.size() != table.header.size())
            throw InputError(file, "line " + std::to_string(number),
                             "the row has " + counted(cells.size(), "cell"),
                             std::to_string(table.header.size()) + ", as the header has");
        table.rows.push_back(std::move(cells));
        table.lines.push_back(number);
    }
    table.decimalComma = hasDecimalCommas(table);
    return table;
}

namespace {

constexpr EnumName<CsvField> csvFieldNames[] = {{CsvField::name, "name"},
                                                {CsvField::forward, "forward time"},
                                                {CsvField::backward, "backward time"},
                                                {CsvField::weightGradient, "weight gradient time"},
                                                {CsvField::parameters, "parameters"},
                                                {CsvField::output, "output"},
                                                {CsvField::outputGradient, "output gradient"},
                                                {CsvField::stored, "stored activations"},
                                                {CsvField::inputGradient, "input gradient time"}};

}  // namespace

std::string csvFieldName(CsvField field) { return nameOf(csvFieldNames, field); }

bool isTime(CsvField field) {
    return field == CsvField::forward || field == CsvField::backward || field == CsvField::weightGradient ||
           field == CsvField::inputGradient;
}

const std::vector<CsvUnit>& csvUnits(CsvField field) {
    static const std::vector<CsvUnit> times = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    static const std::vector<CsvUnit> sizes = {{"bytes", 1},
                                               {"KB", 1e3},
                                               {"MB", 1e6},
                                               {"GB", 1e9},
                                               {"KiB", 1024},
                                               {"MiB", 1048576},
                                               {"GiB", 1073741824},
                                               {"values", valueBytes},
                                               {"thousands of values", 1e3 * valueBytes},
                                               {"millions of values", 1e6 * valueBytes},
                                               {"billions of values", 1e9 * valueBytes}};
    return isTime(field) ? times : sizes;
}

double guessCsvUnit(CsvField field, const std::string& header) { return unitOf(field, headerWords(header)); }

CsvMapping guessCsvMapping(const CsvTable& table) {
    CsvMapping mapping;
    mapping.decimalComma = table.decimalComma;
    for (std::size_t column = 0; column < table.header.size(); ++column) {
        const std::vector<std::string> words = headerWords(table.header[column]);
        const auto field = fieldOf(words);
        if (!field || mapping.of(*field).column >= 0) continue;
        mapping.of(*field) = {static_cast<int>(column), *field == CsvField::name ? 1 : unitOf(*field, words)};
    }
    return mapping;
}

bool looksLikeProfileCsv(std::string_view text) {
    const std::vector<std::string_view> lines = firstLines(text);
    if (lines.empty()) return false;
    CsvTable table;
    if (auto header = tableCells(lines.front(), separatorOf(lines))) table.header = *std::move(header);
    return table.header.size() > 1 && guessCsvMapping(table).of(CsvField::forward).column >= 0;
}

bool looksLikeTable(std::string_view text) {
    const std::vector<std::string_view> lines = firstLines(text);
    if (lines.size() < 2 || lines.front().find_first_of("{[<") == lines.front().find_first_not_of(" \t\r"))
        return false;
    const char separator = separatorOf(lines);
    if (columnsBy(separator, lines) < 2) return false;
    const std::vector<std::string> cells = cellsOfLine(lines[1], separator, "", 1);
    return std::any_of(cells.begin(), cells.end(), [](const std::string& cell) { return isNumber(cell); });
}

namespace {

/// Leaves out a last row that is the sum of the others by its name. @return what it is called
std::string withoutTotal(CsvTable& table, const CsvMapping& mapping) {
    const int column = std::max(0, mapping.of(CsvField::name).column);
    if (table.rows.size() < 2) return "";
    const std::string name = table.rows.back()[static_cast<std::size_t>(column)];
    const std::string plain = lettersAndDigits(name);
    for (const char* total : {"total", "totals", "sum", "overall", "grandtotal"})
        if (plain == total) {
            table.rows.pop_back();
            table.lines.pop_back();
            return name;
        }
    return "";
}

/// Sets the times of a layer from the columns that there are. @param number of a field, or what follows
void takeTimes(Layer& layer, const CsvMapping& mapping,
               const std::function<double(CsvField field, double otherwise)>& number) {
    layer.forwardS = number(CsvField::forward, 0);
    const bool hasInput = mapping.of(CsvField::inputGradient).column >= 0;
    const double input = number(CsvField::inputGradient, 0);
    if (hasInput && mapping.of(CsvField::backward).column < 0) {
        layer.weightGradientS = number(CsvField::weightGradient, input);
        layer.backwardS = input + layer.weightGradientS;
        return;
    }
    layer.backwardS = number(CsvField::backward, 2 * layer.forwardS);
    const double rest = hasInput ? std::max(0.0, layer.backwardS - input) : layer.backwardS / 2;
    layer.weightGradientS = number(CsvField::weightGradient, rest);
}

}  // namespace

ImportedProfile readProfileCsv(std::string_view text, const std::string& file,
                               const std::optional<CsvMapping>& asked, const ProfileImportOptions& options) {
    CsvTable table = readCsvTable(text, file);
    const CsvMapping mapping = asked ? *asked : guessCsvMapping(table);
    checkMapping(table, mapping, file);
    const std::string total = withoutTotal(table, mapping);
    if (table.rows.empty())
        throw InputError(file, "line 1", "no layers", "at least one row below the header");
    ImportedProfile imported;
    imported.notes = notesOf(table, mapping);
    if (!total.empty())
        imported.notes.push_back({ImportNote::Kind::ignored, "the last row, " + inQuotes(total)});
    std::vector<Layer>& layers = imported.profile.layers;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const auto number = [&](CsvField field, double otherwise) {
            const CsvColumn& column = mapping.of(field);
            return column.column < 0 ? otherwise : numberIn(table, row, field, mapping, file);
        };
        Layer layer;
        const int name = mapping.of(CsvField::name).column;
        layer.name =
            name < 0 ? "layer " + std::to_string(row) : utf8(table.rows[row][static_cast<std::size_t>(name)]);
        takeTimes(layer, mapping, number);
        if (layer.weightGradientS > layer.backwardS)
            throw InputError(file, "line " + std::to_string(table.lines[row]),
                             "the weight gradient takes longer than the whole backward",
                             "at most the backward");
        layer.parameterBytes = number(CsvField::parameters, 0);
        layer.outputBytes = number(CsvField::output, 0);
        layer.outputGradientBytes = number(CsvField::outputGradient, layer.outputBytes);
        layer.storedActivationBytes =
            number(CsvField::stored, layers.empty() ? 0 : layers.back().outputBytes);
        layers.push_back(std::move(layer));
    }
    imported.profile.name = nameFromFile(file, ".csv");
    imported.profile.microbatchSize = std::max(1, options.microbatchSize);
    if (options.microbatchSize == 0)
        imported.notes.push_back(
            {ImportNote::Kind::assumed, "a microbatch is one sample: the file does not say"});
    imported.profile.source = "CSV table of " + counted(layers.size(), "layer");
    return imported;
}

ProfileFormat profileCsvFormat() {
    return {.ids = {"csv"},
            .name = "CSV table of layers",
            .suffixes = {"csv", "tsv"},
            .recognises = looksLikeProfileCsv,
            .read = [](std::string_view text, const std::string& file, const ProfileImportOptions& options) {
                return readProfileCsv(text, file, {}, options);
            }};
}

}  // namespace stagecraft::formats
