#include "core/formats/measurements/measured_formats.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/input_error.h"

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::formats {

namespace {

using Words = std::vector<std::string_view>;

/// "sendrecv" of a word "sendrecv_perf", "./build/sendrecv_perf_mpi"; empty: it is none.
std::string operationIn(std::string_view word) {
    word = word.substr(word.rfind('/') == std::string_view::npos ? 0 : word.rfind('/') + 1);
    const std::size_t end = word.find("_perf");
    if (end == std::string_view::npos || end == 0) return {};
    const std::string_view after = word.substr(end + 5);
    return after.empty() || after == "_mpi" ? std::string(word.substr(0, end)) : std::string();
}

/// What one program of nccl-tests prints.
struct NcclRun {
    std::string operation;  ///< empty: the text does not say
    std::map<int, MeasuredEnd> ranks;
    std::set<std::string> groups;    ///< of ranks, where the run was divided
    std::vector<std::size_t> rates;  ///< columns "busbw"
    std::size_t width = 0;           ///< columns of the table
    double bestGBps = 0;
    bool sameAsAlgorithm = true;  ///< busbw is algbw in each row, as of sendrecv
    bool hasRows = false;
    bool reduces = false;
};

class NcclReader {
public:
    explicit NcclReader(const std::string& file) : file_(file) {}

    Measurements read(std::string_view text) {
        for (const std::string_view line : linesOf(text)) {
            ++line_;
            Words words = wordsOf(line);
            if (!words.empty() && words[0] == "#") words.erase(words.begin());
            if (words.empty()) continue;
            if (words[0] == "Rank")
                takeRank(words, line);
            else if (line.find("busbw") != std::string_view::npos)
                takeHeading(words);
            else if (runs_.empty() || runs_.back().rates.empty() || !takeRow(words))
                takeName(words);
        }
        Measurements measured;
        measured.tool = "nccl-tests";
        measured.gpuNames.assign(names_.begin(), names_.end());
        for (const NcclRun& run : runs_) add(measured, run);
        if (measured.pairs.empty() && measured.groups.empty())
            throw InputError(file_, "", "no table with rows in the text of nccl-tests",
                             "sizes with times and the column busbw");
        return measured;
    }

private:
    /// The run whose head a line is part of.
    NcclRun& open() {
        if (runs_.empty() || runs_.back().hasRows) runs_.emplace_back();
        return runs_.back();
    }

    /// "Rank  0 Group  0 Pid 548419 on node-a device  0 [000f:01:00] NVIDIA GB10"
    void takeRank(const Words& words, std::string_view line) {
        const auto after = [&](std::string_view word) {
            const auto at = std::find(words.begin(), words.end(), word);
            return at == words.end() || at + 1 == words.end() ? std::string_view() : *(at + 1);
        };
        const auto rank = wholeInteger(after("Rank")), device = wholeInteger(after("device"));
        if (!rank || !device || *rank < 0 || *device < 0) return;
        NcclRun& run = open();
        constexpr std::size_t mostRanks = 4096;
        if (run.ranks.size() == mostRanks) fail("there are more than 4,096 ranks", "4,096 at most");
        run.ranks[*rank] = {std::string(after("on")), *device};
        run.groups.emplace(after("Group"));
        if (const std::size_t bracket = line.find("] "); bracket != std::string_view::npos)
            if (const std::string_view name = trimmed(line.substr(bracket + 2)); !name.empty())
                names_.emplace(name);
    }

    void takeName(const Words& words) {
        for (const std::string_view word : words)
            if (const std::string operation = operationIn(word); !operation.empty()) {
                // The line that ends a run names it too.
                const bool isEnd = std::find(words.begin(), words.end(), "concluded:") != words.end();
                if (!isEnd) open().operation = operation;
                return;
            }
    }

    void takeHeading(const Words& words) {
        NcclRun& run = open();
        run.rates.clear();
        run.width = words.size();
        for (std::size_t column = 1; column < words.size(); ++column)
            if (words[column] == "busbw") run.rates.push_back(column);
    }

    bool takeRow(const Words& words) {
        NcclRun& run = runs_.back();
        const auto bytes = wholeNumber(words[0]);
        if (!bytes || *bytes < 0) return false;
        if (words.size() < 3 || words.size() > run.width) return false;
        for (const std::size_t column : run.rates) {
            if (column >= words.size())
                fail("the row has " + counted(words.size(), "entry", "entries"),
                     std::to_string(run.width) + ", as the heading has");
            const double algorithm = rateIn(words[column - 1]), bus = rateIn(words[column]);
            run.bestGBps = std::max(run.bestGBps, bus);
            run.sameAsAlgorithm = run.sameAsAlgorithm && bus == algorithm;
        }
        run.hasRows = true;
        run.reduces = run.reduces || std::find(words.begin(), words.end(), "sum") != words.end();
        return true;
    }

    double rateIn(std::string_view cell) const {
        constexpr double mostGBps = 1e6;
        const auto value = wholeNumber(cell);
        if (!value || *value < 0 || *value > mostGBps) fail("found " + inQuotes(cell), "a bandwidth in GB/s");
        return *value;
    }

    void add(Measurements& measured, const NcclRun& run) const {
        if (!run.hasRows || run.bestGBps <= 0) return;
        const std::string operation = !run.operation.empty() ? run.operation
                                      : run.reduces          ? "reduction"
                                      : run.sameAsAlgorithm  ? "sendrecv"
                                                             : "collective operation";
        if (run.groups.size() > 1) {
            measured.ignored.push_back(operation + " of " + counted(run.groups.size(), "group") +
                                       " at once: which of them had the rate is not said");
            return;
        }
        std::vector<MeasuredEnd> ends;
        for (const auto& [rank, end] : run.ranks) ends.push_back(end);
        const double bps = run.bestGBps * gigabyte;
        if (operation == "sendrecv" && (ends.size() == 2 || ends.empty()))
            measured.pairs.push_back(
                {ends.empty() ? MeasuredEnd() : ends[0], ends.empty() ? MeasuredEnd() : ends[1], bps, 0});
        else
            measured.groups.push_back({std::move(ends), operation, bps});
    }

    [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(line_), problem, expected);
    }

    const std::string& file_;
    int line_ = 0;
    std::vector<NcclRun> runs_;
    std::set<std::string> names_;
};

}  // namespace

bool looksLikeNcclTests(std::string_view text) {
    const std::string_view beginning = text.substr(0, std::size_t{1} << 16);
    return beginning.find("algbw") != std::string_view::npos &&
           beginning.find("busbw") != std::string_view::npos;
}

Measurements readNcclTests(std::string_view text, const std::string& file) {
    return NcclReader(file).read(text);
}

}  // namespace stagecraft::formats
