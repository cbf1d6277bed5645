#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/pass_text.h"
#include "core/formats/profiles/csv_profile.h"
#include "core/formats/recordings/recording_builder.h"
#include "core/formats/recordings/recording_format.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace stagecraft::formats {

// A table of passes, for what measures them itself: a row for each, with the columns rank, pass (F, B, I, W,
// R or its word, or update), stage, microbatch, start and end; iteration and slice where there are several. A
// row "transfer forward" or "transfer backward" is what its stage sends from its rank to that in the column
// to.
// Times are in seconds, or as the header says: start_ms, "end (us)".

namespace {

constexpr int mostTabledRanks = 65536, mostTabled = 1'000'000, mostTabledStages = 65536;

enum class PassColumn { rank, pass, stage, microbatch, start, end, iteration, slice, to };
constexpr const char* passColumns[] = {"rank", "pass",      "stage", "microbatch", "start",
                                       "end",  "iteration", "slice", "to"};
constexpr std::size_t passColumnCount = std::size(passColumns), requiredColumns = 6;

/// "start_ms" is "start" in milliseconds.
struct HeaderWord {
    std::string name;
    double unitS = 1;
};

HeaderWord headerWord(const std::string& header) {
    constexpr std::pair<std::string_view, double> units[] = {
        {"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    std::string letters;
    for (const char letter : header)
        letters += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    const std::size_t end = letters.find_first_of("_ ([");
    HeaderWord word{letters.substr(0, end)};
    if (word.name == "device" || word.name == "gpu") word.name = "rank";
    if (end == std::string::npos) return word;
    std::string unit = letters.substr(end);
    std::erase_if(
        unit, [](char letter) { return std::string_view("_ ()[]").find(letter) != std::string_view::npos; });
    for (const auto& [name, factor] : units)
        if (unit == name) word.unitS = factor;
    return word;
}

std::optional<BlockKind> passKindOf(const std::string& text) {
    if (text == "update" || text == "U") return BlockKind::update;
    if (text.size() == 1)
        if (const auto task = passOfLetter(text[0])) return blockKindOf(*task);
    for (const PassKind& row : passKinds)
        if ((row.task || row.role == PassRole::transfers) && text == row.word) return row.block;
    return std::nullopt;
}

bool isTransfer(BlockKind kind) { return passKind(kind).role == PassRole::transfers; }

/// Where a row ran: on a rank, or from it to another one.
struct TablePlace {
    int rank = 0, to = -1;
    auto operator<=>(const TablePlace&) const = default;
};
using TableRows = std::map<int, std::map<TablePlace, std::vector<RecordedBlock>>>;  // by iteration

class PassTableReader {
public:
    PassTableReader(const RecordingFile& file, const WorkContext& context)
        : file_(file.shown()), table_(readCsvTable(file.whole(), file_, context.stop)) {
        columns_.fill(-1);
        for (std::size_t i = 0; i < table_.header.size(); ++i) {
            const HeaderWord word = headerWord(table_.header[i]);
            for (std::size_t column = 0; column < passColumnCount; ++column)
                if (word.name == passColumns[column] && columns_[column] < 0) {
                    columns_[column] = static_cast<int>(i);
                    units_[column] = word.unitS;
                }
        }
        for (std::size_t column = 0; column < requiredColumns; ++column)
            if (columns_[column] < 0)
                throw InputError(file_, "line 1", std::string("no column '") + passColumns[column] + "'",
                                 "the columns rank, pass, stage, microbatch, start and end");
    }

    /// Adds its rows by iteration as the table counts it, else 0, and place.
    void read(TableRows& passes, const WorkContext& context) {
        for (std::size_t row = 0; row < table_.rows.size(); ++row) {
            if (row % 4096 == 0) context.throwIfStopped();
            RecordedBlock block;
            const std::string& kind = cell(row, PassColumn::pass);
            const auto known = passKindOf(kind);
            if (!known)
                fail(row, inQuotes(kind) + " is no pass", "F, B, I, W, R, their words, update or a transfer");
            block.kind = *known;
            TablePlace place{number(row, PassColumn::rank, mostTabledRanks)};
            if (isTransfer(block.kind)) place.to = receiver(row, place.rank);
            block.stage = number(row, PassColumn::stage, mostTabledStages);
            if (block.kind != BlockKind::update)
                block.microbatch = number(row, PassColumn::microbatch, mostTabled);
            if (hasSlices() && block.kind != BlockKind::update)
                block.slice = number(row, PassColumn::slice, mostSlices);
            block.startS = time(row, PassColumn::start);
            block.endS = time(row, PassColumn::end);
            if (block.endS < block.startS)
                fail(row, "the pass ends before it starts", "an end after the start");
            const int iteration = hasIterations() ? number(row, PassColumn::iteration, 1 << 30) : 0;
            passes[iteration][place].push_back(std::move(block));
        }
    }
    bool hasIterations() const { return has(PassColumn::iteration); }
    bool hasSlices() const { return has(PassColumn::slice); }
    [[noreturn]] void failEmpty() const {
        throw InputError(file_, "", "the table has no row", "a row for each pass");
    }

private:
    bool has(PassColumn column) const { return columns_[static_cast<std::size_t>(column)] >= 0; }
    int receiver(std::size_t row, int sender) const {
        if (!has(PassColumn::to) || !hasIterations())
            fail(row, "a transfer says neither to whom nor in which iteration",
                 "the columns to and iteration");
        const int to = number(row, PassColumn::to, mostTabledRanks);
        if (to == sender) fail(row, "the rank sends to itself", "another rank in the column to");
        return to;
    }
    [[noreturn]] void fail(std::size_t row, const std::string& problem, const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(table_.lines[row]), problem, expected);
    }
    const std::string& cell(std::size_t row, PassColumn column) const {
        return table_.rows[row][at(columns_[static_cast<std::size_t>(column)])];
    }
    int number(std::size_t row, PassColumn column, int limit) const {
        const std::string& text = cell(row, column);
        const auto value = wholeInteger(text);
        if (!value || *value < 0 || *value >= limit)
            fail(row, inQuotes(text) + " is no " + passColumns[static_cast<std::size_t>(column)],
                 "a whole number from 0");
        return *value;
    }
    double time(std::size_t row, PassColumn column) const {
        std::string text = cell(row, column);
        if (table_.decimalComma) std::replace(text.begin(), text.end(), ',', '.');
        const auto value = wholeNumber(text);
        if (!value)
            fail(row, inQuotes(text) + " is no time",
                 "a number, in seconds unless the header says otherwise");
        return *value * units_[static_cast<std::size_t>(column)];
    }

    std::string file_;
    CsvTable table_;
    std::array<int, passColumnCount> columns_{};
    std::array<double, passColumnCount> units_{};
};

/// Whether times count from the begin of each iteration: a rank would then be in two of them at once. That
/// iterations overlap says nothing, as they do without a barrier.
bool beginAnew(const TableRows& passes) {
    struct Span {
        double startS, endS;
        int iteration;
    };
    std::map<int, std::vector<Span>> spans;  // by rank
    for (const auto& [iteration, places] : passes)
        for (const auto& [place, blocks] : places)
            if (place.to < 0)
                for (const RecordedBlock& block : blocks)
                    spans[place.rank].push_back({block.startS, block.endS, iteration});
    for (auto& [rank, own] : spans) {
        std::ranges::sort(own, {}, &Span::startS);
        for (std::size_t i = 1; i < own.size(); ++i) {
            const Span &before = own[i - 1], &after = own[i];
            const double bothS = std::min(before.endS, after.endS) - after.startS;
            const double shorterS = std::min(before.endS - before.startS, after.endS - after.startS);
            if (before.iteration != after.iteration && shorterS > 0 && bothS > shorterS / 2) return true;
        }
    }
    return false;
}

int channelLane(RecordingBuilder& builder, std::map<TablePlace, int>& channels, const TablePlace& place) {
    const auto [lane, isNew] = channels.try_emplace(place, -1);
    if (isNew) lane->second = builder.addLane({LaneKind::channel, {place.rank, place.to}});
    return lane->second;
}

Recording readPassTables(const std::vector<RecordingFile>& files, const WorkContext& context) {
    TableRows passes;
    bool counts = false;
    for (std::size_t file = 0; file < files.size(); ++file) {
        PassTableReader reader(files[file], context);
        TableRows own;
        reader.read(own, context);
        for (auto& [iteration, places] : own)
            for (auto& [place, blocks] : places)
                if (!passes[iteration].try_emplace(place, std::move(blocks)).second)
                    throw InputError(files[file].shown(), "",
                                     "another file has passes of rank " + std::to_string(place.rank) + " too",
                                     "tables of one run, each of other ranks");
        if (passes.empty()) reader.failEmpty();
        counts = counts || reader.hasIterations();
        context.report(double(file + 1) / double(files.size()));
    }
    Recording recording;
    RecordingBuilder builder(context.stop);
    std::set<int> ranks;
    const bool anew = counts && beginAnew(passes);
    double startS = 0;
    int number = 0;
    std::uint32_t transfers = 0;
    std::map<TablePlace, int> channels;  // lanes
    for (auto& [iteration, places] : passes) {
        double lastS = 0;
        for (auto& [place, blocks] : places) {
            ranks.insert({place.rank, std::max(place.rank, place.to)});
            if (place.to >= 0) transfers += static_cast<std::uint32_t>(blocks.size());
            std::stable_sort(
                blocks.begin(), blocks.end(),
                [](const RecordedBlock& a, const RecordedBlock& b) { return a.startS < b.startS; });
            if (counts)
                for (RecordedBlock& block : blocks) block.iteration = number;
            else
                numberIterations(blocks);
            for (RecordedBlock& block : blocks) {
                block.startS += startS, block.endS += startS;
                lastS = std::max(lastS, block.endS);
                if (block.iteration >= 0)
                    builder.add(place.to < 0 ? builder.computeLane(place.rank)
                                             : channelLane(builder, channels, place),
                                std::move(block));
            }
        }
        if (anew) recording.iterations.push_back({startS, lastS});
        startS = anew ? lastS : 0;
        ++number;
    }
    recording.cluster = clusterOfRanks(*ranks.rbegin() + 1);
    recording.report.recognised.push_back(counted(builder.blockCount() - transfers, "pass", "passes") +
                                          (transfers > 0 ? " and " + counted(transfers, "transfer") : "") +
                                          " of " + counted(static_cast<long long>(ranks.size()), "rank") +
                                          ".");
    if (anew)
        recording.report.assumed.push_back(
            "The times of each iteration begin anew: iterations follow each other without a break.");
    return builder.finish(std::move(recording));
}

bool isPassTable(std::string_view head) {
    std::string_view line = firstLine(head);
    line = line.substr(0, line.find_first_of("\r\n"));
    std::set<std::string> names;
    for (const char mark : {',', ';', '\t'})
        for (const std::string_view cell : cellsOf(line, mark))
            names.insert(headerWord(std::string(cell)).name);
    for (const char* name : {"pass", "stage", "microbatch", "start", "end"})
        if (!names.contains(name)) return false;
    return true;
}

}  // namespace

RecordingFormat passTableFormat() {
    return {"passes", "table of passes", {"csv", "tsv"}, &isPassTable, &readPassTables};
}

}  // namespace stagecraft::formats
