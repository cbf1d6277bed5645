#include "core/formats/topology/measured_matrix.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/input_error.h"
#include "core/formats/topology/plain_cluster.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <map>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;
using Words = std::vector<std::string_view>;

/// A table that a measuring program prints below a title; 0 where it has none ("N/A").
struct MeasuredTable {
    std::string title;
    int line = 0;  ///< of the title
    std::vector<int> columns;
    std::map<std::pair<int, int>, double> cells;  ///< by the numbers of row and column
};

struct MeasuredText {
    std::vector<MeasuredTable> tables;
    std::map<int, std::string> names;  ///< of GPUs
};

bool isNotMeasured(std::string_view cell) { return cell == "N/A" || cell == "nan" || cell == "-"; }

/// The numbers of a heading, "0 1 2" or "D\D 0 1 2"; nothing if it is none.
std::vector<int> columnsOf(Words words, std::string_view corner) {
    if (!words.empty() && words[0] == corner) words.erase(words.begin());
    std::vector<int> columns;
    for (const std::string_view word : words) {
        const auto number = wholeInteger(word);
        if (!number || *number < 0) return {};
        columns.push_back(*number);
    }
    return columns;
}

/// Reads every table whose title `isTitle` knows.
class MeasuredReader {
public:
    MeasuredReader(const std::string& file, bool (*isTitle)(std::string_view line), const char* corner)
        : file_(file), isTitle_(isTitle), corner_(corner) {}

    MeasuredText read(std::string_view text) {
        for (const std::string_view line : linesOf(text)) {
            ++line_;
            takeName(line);
            if (isTitle_(line)) {
                found_.tables.push_back({std::string(trimmed(line)), line_, {}, {}});
                isOpen_ = true;
            } else if (isOpen_) {
                takeLine(wordsOf(line));
            }
        }
        return std::move(found_);
    }

private:
    /// "Device 0: NVIDIA RTX A6000 (00000000:01:00)", "Device: 0, Tesla V100-SXM2-32GB, pciBusID: 16, …"
    void takeName(std::string_view line) {
        line = trimmed(line);
        if (!line.starts_with("Device")) return;
        line.remove_prefix(6);
        const bool isFirst = line.starts_with(": ");
        const std::size_t end = line.find(isFirst ? ',' : ':', isFirst ? 1 : 0);
        if (end == std::string_view::npos) return;
        const auto number = wholeInteger(trimmed(line.substr(isFirst ? 1 : 0, end - (isFirst ? 1 : 0))));
        const std::string_view rest = line.substr(end + 1);
        const std::string_view name = trimmed(rest.substr(0, rest.find(isFirst ? ',' : '(')));
        if (number && *number >= 0 && !name.empty()) found_.names[*number] = name;
    }

    void takeLine(const Words& words) {
        MeasuredTable& table = found_.tables.back();
        if (table.columns.empty()) {
            table.columns = columnsOf(words, corner_);
            isOpen_ = words.empty() || !table.columns.empty();
            constexpr std::size_t most = 1024;
            if (table.columns.size() > most) fail("there are more than 1,024 columns", "1,024 at most");
            return;
        }
        const auto row = words.empty() ? std::nullopt : wholeInteger(words[0]);
        if (!row) {
            isOpen_ = false;
            return;
        }
        if (words.size() != table.columns.size() + 1)
            fail("the row " + std::to_string(*row) + " has " + counted(words.size() - 1, "entry", "entries"),
                 std::to_string(table.columns.size()) + ", as the heading has");
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            const std::string_view cell = words[column + 1];
            const auto value = isNotMeasured(cell) ? 0 : wholeNumber(cell);
            if (!value || *value < 0 || *value > mostGBps)
                fail("found " + inQuotes(cell), "a number, or N/A");
            table.cells[{*row, table.columns[column]}] = *value;
        }
    }

    [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(line_), problem, expected);
    }

    static constexpr double mostGBps = 1e6;
    const std::string& file_;
    bool (*isTitle_)(std::string_view line);
    std::string_view corner_;
    int line_ = 0;
    bool isOpen_ = false;
    MeasuredText found_;
};

/// Of several tables, the best that any of them measured for a pair in that direction.
struct Best {
    double value = 0;
    std::string title;
};
Best bestOf(const std::vector<const MeasuredTable*>& tables, int row, int column) {
    Best best;
    for (const MeasuredTable* table : tables)
        if (const auto cell = table->cells.find({row, column});
            cell != table->cells.end() && cell->second > best.value)
            best = {cell->second, table->title};
    return best;
}

/// What a program measured: between GPUs, and between each and its host.
struct Measurement {
    const char* tool = "";
    std::vector<const MeasuredTable*> between;
    double scale = 1;                                  ///< 0.5 where a table counts both directions
    std::vector<const MeasuredTable*> toGpu, fromGpu;  ///< row 0: the host
    std::vector<const MeasuredTable*> latencies;       ///< in microseconds
};

std::vector<int> gpusOf(const MeasuredText& text, const Measurement& measured) {
    std::map<int, bool> numbers;
    for (const MeasuredTable* table : measured.between)
        for (const int column : table->columns) numbers[column] = true;
    if (numbers.empty())
        for (const auto& [number, name] : text.names) numbers[number] = true;
    std::vector<int> gpus;
    for (const auto& [number, isThere] : numbers) gpus.push_back(number);
    return gpus;
}

std::vector<MeasuredGpus::Pair> pairsOf(const Measurement& measured, const std::vector<int>& gpus) {
    constexpr double microsecond = 1e-6;
    std::vector<MeasuredGpus::Pair> pairs;
    for (std::size_t a = 0; a < gpus.size(); ++a)
        for (std::size_t b = a + 1; b < gpus.size(); ++b) {
            const Best there = bestOf(measured.between, gpus[a], gpus[b]),
                       back = bestOf(measured.between, gpus[b], gpus[a]);
            const Best& lesser = back.value > 0 && back.value < there.value ? back : there;
            if (lesser.value <= 0) continue;
            const double latency = std::max(bestOf(measured.latencies, gpus[a], gpus[b]).value,
                                            bestOf(measured.latencies, gpus[b], gpus[a]).value);
            pairs.push_back({gpus[a], gpus[b], lesser.value * measured.scale * gigabyte,
                             latency * microsecond, lesser.title});
        }
    return pairs;
}

MeasuredGpus gpusMeasured(const MeasuredText& text, const Measurement& measured, const std::string& file) {
    MeasuredGpus found;
    found.tool = measured.tool;
    found.gpus = gpusOf(text, measured);
    found.names = text.names;
    if (found.gpus.empty() || measured.between.empty())
        throw InputError(file, "", std::string("no bandwidth between GPUs in the text of ") + measured.tool,
                         "a table of one direction, or of both, between GPUs");
    found.pairs = pairsOf(measured, found.gpus);
    for (const int gpu : found.gpus) {
        const double to = bestOf(measured.toGpu, 0, gpu).value, from = bestOf(measured.fromGpu, 0, gpu).value;
        if (const double host = to > 0 && from > 0 ? std::min(to, from) : std::max(to, from); host > 0)
            found.hostBps[gpu] = host * gigabyte;
    }
    return found;
}

ImportedCluster clusterOf(const MeasuredGpus& measured, const std::string& file,
                          const ImportOptions& options) {
    const auto count = static_cast<int>(measured.gpus.size());
    const auto name = measured.names.find(measured.gpus.front());
    PlainCluster cluster(file, options, count, options.gpusPerServer > 0 ? options.gpusPerServer : count,
                         name == measured.names.end() ? "" : name->second);
    std::map<int, int> indexOf;
    for (int index = 0; index < count; ++index)
        indexOf[measured.gpus[static_cast<std::size_t>(index)]] = index;
    for (const MeasuredGpus::Pair& pair : measured.pairs)
        cluster.join(cluster.device(indexOf.at(pair.a)), cluster.device(indexOf.at(pair.b)),
                     {pair.bps, "measured, " + measured.tool + ": " + pair.table}, pair.latencyS, "measured");
    cluster.note(Kind::took, counted(count, "GPU") + " and " +
                                 counted(static_cast<int>(measured.pairs.size()), "pair") + " measured by " +
                                 measured.tool);
    cluster.note(Kind::derived,
                 "a pair has the lesser of both directions; of several tables each direction has the best");
    for (const auto& [gpu, bps] : measured.hostBps) cluster.setHostBandwidth(indexOf.at(gpu), bps);
    return std::move(cluster).finish();
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// nvbandwidth.

bool isNvbandwidthTitle(std::string_view line) {
    return line.starts_with("memcpy ") && has(line, "bandwidth (GB/s)");
}

bool isP2pTitle(std::string_view line) {
    return has(line, "P2P=") && has(line, "Matrix (") && (has(line, "Bandwidth") || has(line, "Latency"));
}

}  // namespace

MeasuredGpus readNvbandwidthTables(std::string_view text, const std::string& file) {
    const MeasuredText found = MeasuredReader(file, isNvbandwidthTitle, "").read(text);
    Measurement measured{.tool = "nvbandwidth"};
    std::vector<const MeasuredTable*> both;
    for (const MeasuredTable& table : found.tables) {
        const bool isBoth = has(table.title, "<->");
        if (has(table.title, "GPU(row)"))
            (isBoth ? both : measured.between).push_back(&table);
        else if (has(table.title, "CPU(row) ->"))
            measured.toGpu.push_back(&table);
        else if (has(table.title, "CPU(row) <-") && !isBoth)
            measured.fromGpu.push_back(&table);
    }
    if (measured.between.empty()) {
        measured.between = both;
        measured.scale = 0.5;
    }
    return gpusMeasured(found, measured, file);
}

// p2pBandwidthLatencyTest of NVIDIA's CUDA samples.

MeasuredGpus readP2pTables(std::string_view text, const std::string& file) {
    // Bandwidths stand below "D\D", latencies below "GPU", and again those that the CPU waits below "CPU".
    const MeasuredText bandwidths = MeasuredReader(file, isP2pTitle, "D\\D").read(text);
    const MeasuredText latencies = MeasuredReader(file, isP2pTitle, "GPU").read(text);
    const auto choose = [](const MeasuredText& from, std::initializer_list<const char*> words) {
        std::vector<const MeasuredTable*> chosen;
        for (const MeasuredTable& table : from.tables)
            if (std::all_of(words.begin(), words.end(),
                            [&](const char* word) { return has(table.title, word); }))
                chosen.push_back(&table);
        return chosen;
    };
    Measurement measured{.tool = "p2pBandwidthLatencyTest"};
    measured.between = choose(bandwidths, {"Unidirectional", "P2P=Enabled"});
    if (measured.between.empty()) {
        measured.between = choose(bandwidths, {"Bidirectional", "P2P=Enabled"});
        measured.scale = 0.5;
    }
    if (measured.between.empty()) {
        measured.between = choose(bandwidths, {"Unidirectional"});
        measured.scale = 1;
    }
    measured.latencies = choose(latencies, {"Latency", "P2P=Enabled"});
    return gpusMeasured(bandwidths, measured, file);
}

bool looksLikeNvbandwidth(std::string_view text) {
    return has(text, "memcpy ") && has(text, "GPU(column) bandwidth (GB/s)");
}

bool looksLikeP2pTest(std::string_view text) {
    return has(text, "directional P2P=") && has(text, "Bandwidth");
}

TopologyFormat nvbandwidthFormat() {
    return {.id = "nvbandwidth",
            .name = "nvbandwidth text",
            .suffix = "txt",
            .recognises = looksLikeNvbandwidth,
            .readWhole = [](std::string_view text, const std::string& file, const ImportOptions& options) {
                return clusterOf(readNvbandwidthTables(text, file), file, options);
            }};
}

TopologyFormat p2pBandwidthFormat() {
    return {.id = "p2p-bandwidth",
            .name = "p2pBandwidthLatencyTest text",
            .suffix = "txt",
            .recognises = looksLikeP2pTest,
            .readWhole = [](std::string_view text, const std::string& file, const ImportOptions& options) {
                return clusterOf(readP2pTables(text, file), file, options);
            }};
}

}  // namespace stagecraft::formats
