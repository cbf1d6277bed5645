#include "core/base/counted.h"
#include "core/base/quantity.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/topology/plain_cluster.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;
using Cells = std::vector<std::string>;

char separatorOf(std::string_view line) {
    for (const char separator : {',', ';', '\t'})
        if (line.find(separator) != std::string_view::npos) return separator;
    return ' ';
}

/// Bytes per second in one unit; 0: it is none.
double bytesPerSecondOf(std::string_view unit) {
    if (unit.empty()) return 0;
    try {
        return parseQuantity(Quantity::bandwidth, "1 " + std::string(unit));
    } catch (const std::invalid_argument&) {
        return 0;
    }
}

bool isSkipped(std::string_view line) {
    return trimmed(line).empty() || trimmed(line).front() == '#' || namesSeparator(line);
}

bool isMissing(std::string_view cell) {
    return cell.empty() || cell == "-" || cell == "X" || cell == "inf" || cell == "N/A";
}
bool isEntry(std::string_view cell) { return isMissing(cell) || wholeNumber(cell).has_value(); }

/// Rows of a table with what is before and above them.
struct Table {
    struct Row {
        Cells cells;
        int line = 0;
    };
    std::vector<Row> rows;
    std::vector<std::string> names;  ///< of the columns; empty: none
    std::string unit;                ///< of the first cell
};

/// Whether the first row is of names, and each row begins with one.
bool hasNames(const Cells& first) {
    return first.size() > 1 && (first[0].empty() || bytesPerSecondOf(first[0]) > 0 || !isEntry(first[0]));
}

class MatrixReader {
public:
    MatrixReader(const std::string& file, const ImportOptions& options) : file_(file), options_(options) {}

    ImportedCluster read(std::string_view text) {
        const Table table = tableOf(text);
        const std::size_t count = table.rows.size();
        const std::vector<std::vector<double>> matrix = valuesOf(table);
        const int perServer = options_.gpusPerServer > 0 ? options_.gpusPerServer : static_cast<int>(count);
        PlainCluster cluster(file_, options_, static_cast<int>(count), perServer);
        const bool areNamed = takeNames(table, cluster);
        const double unit = unitOf(table, cluster);
        bool isUneven = false;
        int missing = 0;
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = a + 1; b < count; ++b) {
                const double there = matrix[a][b], back = matrix[b][a];
                isUneven = isUneven || there != back;
                if (const double least = std::min(there, back); least > 0)
                    cluster.join(cluster.device(static_cast<int>(a)), cluster.device(static_cast<int>(b)),
                                 {least * unit, "row " + std::to_string(a) + ", column " + std::to_string(b) +
                                                    " of the matrix"},
                                 0, "matrix");
                else
                    ++missing;
            }
        cluster.note(Kind::took, std::to_string(count) + " GPUs, a direct link for each pair");
        if (!table.names.empty() && !areNamed)
            cluster.note(Kind::ignored, "the names, of which some are empty or repeated");
        if (isUneven) cluster.note(Kind::derived, "pairs that differ by direction have the lesser bandwidth");
        if (missing > 0)
            cluster.note(Kind::derived,
                         counted(missing, "pair without a bandwidth has", "pairs without a bandwidth have") +
                             " no link: other GPUs relay");
        return std::move(cluster).finish();
    }

private:
    Table tableOf(std::string_view text) const {
        constexpr std::size_t mostRows = 1024;
        Table table;
        int number = 0;
        char separator = ',';
        bool isFirst = true, named = false;
        for (const std::string_view line : linesOf(text)) {
            ++number;
            if (isSkipped(line)) continue;
            if (isFirst) separator = separatorOf(line);
            std::optional<Cells> found = tableCells(line, separator);
            if (!found) fail(number, "a quote is open at the end of the line", "quotes in pairs on one line");
            Cells& cells = *found;
            if (isFirst && hasNames(cells)) {
                named = true;
                table.unit = cells[0];
                table.names.assign(cells.begin() + 1, cells.end());
            } else {
                if (table.rows.size() == mostRows)
                    fail(number, "there are more than 1,024 rows", "1,024 at most");
                if (named && !cells.empty()) cells.erase(cells.begin());
                table.rows.push_back({std::move(cells), number});
            }
            isFirst = false;
        }
        if (table.rows.empty()) fail(0, "the matrix has no row", "a row of bandwidths for each GPU");
        return table;
    }

    std::vector<std::vector<double>> valuesOf(const Table& table) const {
        const std::size_t count = table.rows.size();
        if (!table.names.empty() && table.names.size() != count)
            fail(0, counted(table.names.size(), "column") + " and " + counted(count, "row"),
                 "as many of both");
        std::vector<std::vector<double>> values(count, std::vector<double>(count, 0));
        for (std::size_t row = 0; row < count; ++row) {
            const Table::Row& line = table.rows[row];
            if (line.cells.size() != count)
                fail(line.line, "the row has " + counted(line.cells.size(), "entry", "entries"),
                     std::to_string(count) + ", as there are rows");
            for (std::size_t column = 0; column < count; ++column) {
                const std::string_view cell = line.cells[column];
                if (isMissing(cell)) continue;
                const auto value = wholeNumber(cell);
                if (!value || *value < 0) fail(line.line, "found " + inQuotes(cell), "a bandwidth from 0 on");
                if (row != column) values[row][column] = *value;
            }
        }
        return values;
    }

    /// Devices are called as the columns are. "s1g0" is in server s1, unless the servers' size is given.
    bool takeNames(const Table& table, PlainCluster& cluster) const {
        const std::set<std::string> different(table.names.begin(), table.names.end());
        if (table.names.empty() || different.size() != table.names.size() || different.contains(""))
            return false;
        for (std::size_t device = 0; device < table.names.size(); ++device)
            cluster.rename(static_cast<int>(device), table.names[device],
                           options_.gpusPerServer > 0 ? "" : serverOf(table.names[device]));
        return true;
    }

    /// "s1" of "s1g0"; nothing for other names.
    static std::string serverOf(std::string_view name) {
        const std::size_t end = name.find('g');
        const bool isId = name.starts_with('s') && end != std::string_view::npos &&
                          wholeInteger(name.substr(1, end - 1)) && wholeInteger(name.substr(end + 1));
        return isId ? std::string(name.substr(0, end)) : std::string();
    }

    double unitOf(const Table& table, PlainCluster& cluster) const {
        const std::string& chosen = options_.unit.empty() ? table.unit : options_.unit;
        if (const double unit = bytesPerSecondOf(chosen); unit > 0) {
            cluster.note(Kind::took, "bandwidths in " + chosen);
            return unit;
        }
        if (!options_.unit.empty())
            fail(0, "the unit is " + inQuotes(options_.unit), "a bandwidth such as GB/s, Gbit/s or MB/s");
        cluster.assume({"The matrix does not say its unit; GB/s were taken.", "unit", "GB/s"});
        return gigabyte;
    }

    [[noreturn]] void fail(int line, const std::string& problem, const std::string& expected) const {
        throw InputError(file_, line > 0 ? "line " + std::to_string(line) : "", problem, expected);
    }

    const std::string& file_;
    const ImportOptions& options_;
};

}  // namespace

bool looksLikeMatrix(std::string_view text) {
    const std::vector<std::string_view> lines = linesOf(text);
    std::vector<Cells> rows;
    char separator = ',';
    for (const std::string_view line : lines) {
        if (isSkipped(line)) continue;
        if (rows.empty()) separator = separatorOf(line);
        std::optional<Cells> cells = tableCells(line, separator);
        if (!cells) return false;
        rows.push_back(*std::move(cells));
        if (rows.size() == 2) break;
    }
    if (rows.size() < 2 || rows[0].size() < 2) return false;
    // A unit in the first cell says it; what is wrong with the rows is the reader's to say.
    if (bytesPerSecondOf(rows[0][0]) > 0) return true;
    const bool named = hasNames(rows[0]);
    // A table with a heading that is no unit may be anything.
    if ((named && !rows[0][0].empty()) || rows[0].size() != rows[1].size()) return false;
    const auto areEntries = [](const Cells& cells, std::size_t from) {
        return std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(from), cells.end(), isEntry);
    };
    return named ? areEntries(rows[1], 1) : areEntries(rows[0], 0) && areEntries(rows[1], 0);
}

ImportedCluster readBandwidthMatrix(std::string_view text, const std::string& file,
                                    const ImportOptions& options) {
    return MatrixReader(file, options).read(text);
}

TopologyFormat bandwidthMatrixFormat() {
    return {.id = "matrix",
            .name = "bandwidth matrix",
            .suffix = "csv",
            .recognises = looksLikeMatrix,
            .asks = {"gpus_per_server"},
            .readWhole = readBandwidthMatrix};
}

}  // namespace stagecraft::formats
