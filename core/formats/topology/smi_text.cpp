#include "core/formats/topology/smi_text.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace stagecraft::formats {

namespace {

using Words = std::vector<std::string_view>;
constexpr std::size_t mostDevices = 1024;

/// Without terminal escapes ("ESC [ 4 m", "ESC ] … BEL") and other control characters than tab and newline.
std::string withoutEscapes(std::string_view text) {
    constexpr char escape = '\x1b', bell = '\a';
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (letter == escape && at + 1 < text.size() && text[at + 1] == '[') {
            for (at += 2; at < text.size() && !(text[at] >= '@' && text[at] <= '~'); ++at) {
            }
        } else if (letter == escape && at + 1 < text.size() && text[at + 1] == ']') {
            while (at + 1 < text.size() && text[at] != bell && text[at] != '\n') ++at;
        } else if (static_cast<unsigned char>(letter) >= 0x20 || letter == '\t' || letter == '\n') {
            plain += letter;
        }
    }
    return plain;
}

bool isGpuName(std::string_view word) {
    return word.starts_with("GPU") && wholeInteger(word.substr(3)).has_value();
}
/// "GPU0", and "GPU0GPU1" where a terminal swallowed the blanks.
bool beginsWithGpuName(std::string_view word) {
    return word.size() > 3 && word.starts_with("GPU") && word[3] >= '0' && word[3] <= '9';
}

/// The header names devices and then columns that begin with "CPU" or "NUMA".
bool isHeader(const Words& words, const SmiDialect& dialect) {
    if (words.empty() || !beginsWithGpuName(words[0]) || words[0].ends_with(':')) return false;
    return words.size() == 1 || dialect.meaning(words[1]).empty();
}

/// "GPU 0: Tesla V100-SXM2-32GB (UUID: …)": the name.
std::string nameOnGpuLine(std::string_view line) {
    const std::size_t colon = line.find(':');
    std::string_view name = trimmed(line.substr(colon + 1));
    return std::string(trimmed(name.substr(0, name.find("(UUID"))));
}
/// 0 to 7 of "0,1,2,3,4,5,6,7"; nothing if it is no list of numbers.
std::vector<int> numbersIn(std::string_view list) {
    std::vector<int> numbers;
    for (const std::string_view cell : cellsOf(list, ',')) {
        const auto number = wholeInteger(cell);
        if (!number || *number < 0 || numbers.size() == mostDevices) return {};
        numbers.push_back(*number);
    }
    return numbers;
}
/// The numbers of "GPU 0: NVIDIA H20" or "GPU 0,1,2,3: NVIDIA B200", as PyTorch's and SGLang's reports have
/// it.
std::vector<int> numbersOnGpuLine(const Words& words) {
    if (words.size() < 3 || words[0] != "GPU" || !words[1].ends_with(':')) return {};
    return numbersIn(words[1].substr(0, words[1].size() - 1));
}
/// 100 of "GPU 0,1 Compute Capability: 10.0"; 0 for any other line.
int capabilityOnLine(const Words& words) {
    if (words.size() != 5 || words[0] != "GPU" || words[2] != "Compute" || words[3] != "Capability:")
        return 0;
    const auto capability = wholeNumber(words[4]);
    const bool isPlausible = capability && *capability >= 1 && *capability < 100;
    return isPlausible ? static_cast<int>(std::lround(*capability * 10)) : 0;
}
/// A title that may be glued to its neighbour, as names of rows in turn, perhaps with the title "CPU" or
/// "NUMA" at its end; nothing if it is not made of these.
Words titlesIn(std::string_view title, const std::set<std::string, std::less<>>& rows) {
    Words titles;
    while (!title.empty()) {
        std::size_t longest = 0;
        for (const std::string_view name : {std::string_view("CPU"), std::string_view("NUMA")})
            if (title.starts_with(name)) longest = name.size();
        for (const std::string& name : rows)
            if (title.starts_with(name)) longest = std::max(longest, name.size());
        if (longest == 0) return {};
        titles.push_back(title.substr(0, longest));
        title.remove_prefix(longest);
    }
    return titles;
}

class SmiReader {
public:
    SmiReader(const std::string& file, const SmiDialect& dialect) : file_(file), dialect_(dialect) {}

    SmiText read(std::string_view text) {
        const std::vector<std::string_view> lines = linesOf(text);
        for (const std::string_view line : lines)
            if (const Words words = wordsOf(line); words.size() > 2 && isLabel(words[1]))
                rowNames_.emplace(words[0]);
        for (const std::string_view line : lines) {
            ++line_;
            readLine(line);
        }
        finishMatrix();
        for (auto& [number, gpu] : listed_) found_.listed.push_back(std::move(gpu));
        return std::move(found_);
    }

private:
    bool isLabel(std::string_view word) const { return !dialect_.meaning(word).empty(); }

    [[noreturn]] void fail(const std::string& problem, const std::string& expected, int line = 0) const {
        throw InputError(file_, line > 0 ? "line " + std::to_string(line) : "", problem, expected);
    }

    void readLine(std::string_view line) {
        const Words words = wordsOf(line);
        if (words.empty()) return;
        if (columns_.empty() && isHeader(words, dialect_)) return readHeader(words);
        if (const std::vector<int> numbers = numbersOnGpuLine(words); !numbers.empty()) {
            listGpus(numbers, nameOnGpuLine(line));
        } else if (const int capability = capabilityOnLine(words)) {
            found_.computeCapability = capability;
        } else if (words[0] == "Link" && current_) {
            readLinkLine(words);
        } else if (const auto row = columns_.find(words[0]); row != columns_.end()) {
            readRow(row->second, words);
        } else if (words[0] == "SOC" && words.size() > 1 && words[1] == "=") {
            found_.matrix.isOld = true;
        } else if (words.size() == 2 && words[0].ends_with(':') && words[0].starts_with("NIC")) {
            legend_[std::string(words[0].substr(0, words[0].size() - 1))] = words[1];
        }
    }

    /// A GPU is one, however many of the tools list it.
    void listGpus(const std::vector<int>& numbers, const std::string& name) {
        for (const int number : numbers) {
            SmiGpuLinks& gpu = listed_[number];
            gpu.number = number;
            gpu.name = name;
            current_ = &gpu;
        }
        if (listed_.size() > mostDevices) fail("there are more than 1,024 GPUs", "one server", line_);
    }

    /// "Link 3: 25.781 GB/s" or "Link 3: <inactive>".
    void readLinkLine(const Words& words) {
        if (words.size() < 3 || !seenLinks_.emplace(current_->number, words[1]).second) return;
        const auto speed = wholeNumber(words[2]);
        if (!speed || *speed <= 0) {
            ++current_->inactive;
            return;
        }
        ++current_->links;
        current_->rawGBps = *speed;
    }

    void readHeader(const Words& words) {
        headerLine_ = line_;
        for (const std::string_view word : words) {
            const bool isWhole = rowNames_.contains(word) || rowNames_.empty();
            Words titles = isWhole ? Words{} : titlesIn(word, rowNames_);
            if (titles.empty()) titles = {word};
            for (const std::string_view title : titles) {
                if (title == "CPU" || title == "NUMA") return sizeRows();
                addColumn(title);
            }
        }
        sizeRows();
    }

    void addColumn(std::string_view title) {
        if (columns_.size() == mostDevices) fail("there are more than 1,024 devices", "one server", line_);
        if (!columns_.emplace(title, columns_.size()).second)
            fail("the column " + inQuotes(title) + " is given twice", "each device once", line_);
        names_.emplace_back(title);
    }

    void sizeRows() {
        rows_.resize(columns_.size());
        rowLine_.resize(columns_.size(), 0);
    }

    /// The titles of another number than the cells of a row.
    [[noreturn]] void failTitles(std::size_t row, std::size_t cells) const {
        fail("the titles name " + counted(columns_.size(), "device") + ", the last of them " +
                 inQuotes(names_.back()) + ", and the row of " + names_[row] + " has " +
                 counted(cells, "cell") + " of links",
             "a title for each; a terminal may have swallowed the blanks between two", headerLine_);
    }

    void readRow(std::size_t row, const Words& words) {
        if (rowLine_[row] > 0) return;  // the matrix appears twice
        const std::size_t columns = columns_.size();
        if (words.size() <= columns)
            fail("the row of " + names_[row] + " has " + counted(words.size() - 1, "cell"),
                 std::to_string(columns) + ", one per device", line_);
        std::size_t cells = 0;
        while (cells + 1 < words.size() && isLabel(words[cells + 1])) ++cells;
        const bool endsInAffinity = cells + 1 < words.size() && words[cells + 1].find_first_not_of(
                                                                    "0123456789-,") == std::string_view::npos;
        if (cells > columns || (cells < columns && endsInAffinity)) failTitles(row, cells);
        for (std::size_t column = 0; column < columns; ++column) {
            const std::string_view word = words[column + 1];
            std::string label = dialect_.meaning(word);
            if (label.empty())
                fail(std::string(dialect_.tool) + " prints no " + inQuotes(word),
                     std::string(dialect_.expected), line_);
            found_.matrix.isOld = found_.matrix.isOld || word == "SOC";
            rows_[row].push_back(std::move(label));
        }
        if (words.size() > columns + 1) affinity_[row] = words[columns + 1];
        rowLine_[row] = line_;
    }

    /// GPUs first, whatever the order of the columns.
    void finishMatrix() {
        SmiMatrix& matrix = found_.matrix;
        std::vector<std::size_t> order;
        for (const bool gpus : {true, false})
            for (std::size_t device = 0; device < names_.size(); ++device)
                if (isGpuName(names_[device]) == gpus) order.push_back(device);
        for (const std::size_t device : order) {
            const bool isGpu = isGpuName(names_[device]);
            if (isGpu && rowLine_[device] == 0)
                fail("the row of " + names_[device] + " is missing", "the whole matrix");
            const auto named = legend_.find(names_[device]);
            (isGpu ? matrix.gpus : matrix.nics)
                .push_back(named == legend_.end() ? names_[device] : named->second);
            if (isGpu) matrix.cpuAffinity.push_back(affinity_.contains(device) ? affinity_[device] : "");
            std::vector<std::string> cells(order.size());
            for (std::size_t other = 0; other < order.size() && rowLine_[device] > 0; ++other)
                cells[other] = rows_[device][order[other]];
            matrix.label.push_back(std::move(cells));
        }
        checkSymmetry(order);
    }

    void checkSymmetry(const std::vector<std::size_t>& order) const {
        const auto& label = found_.matrix.label;
        for (std::size_t a = 0; a < label.size(); ++a)
            for (std::size_t b = 0; b < label.size(); ++b) {
                const std::string &there = label[a][b], &back = label[b][a];
                if (there.empty() || back.empty()) continue;
                const std::string pair = "between " + names_[order[a]] + " and " + names_[order[b]] +
                                         " the text has " + dialect_.printed(there);
                if (there != back)
                    fail(pair + " and " + dialect_.printed(back), "the same both ways", rowLine_[order[a]]);
                if ((a == b) != (there == "X"))
                    fail(pair, "X on the diagonal and nowhere else", rowLine_[order[a]]);
            }
    }

    const std::string& file_;
    const SmiDialect& dialect_;
    int line_ = 0;
    int headerLine_ = 0;
    SmiText found_;
    std::map<int, SmiGpuLinks> listed_;                        ///< by number
    SmiGpuLinks* current_ = nullptr;                           ///< whose links follow
    std::set<std::pair<int, std::string>> seenLinks_;          ///< of which GPU, "3:"
    std::set<std::string, std::less<>> rowNames_;              ///< what lines of labels begin with
    std::vector<std::string> names_;                           ///< by column
    std::map<std::string, std::size_t, std::less<>> columns_;  ///< index of a name
    std::vector<std::vector<std::string>> rows_;
    std::vector<int> rowLine_;  ///< 0: not seen
    std::map<std::size_t, std::string> affinity_;
    std::map<std::string, std::string> legend_;
};

}  // namespace

int SmiMatrix::nvlinks(std::size_t a, std::size_t b) const { return linksOfLabel(label[a][b]); }

int SmiMatrix::nvlinkSum(std::size_t gpu) const {
    int sum = 0;
    for (std::size_t other = 0; other < gpus.size(); ++other) sum += nvlinks(gpu, other);
    return sum;
}

std::vector<SmiGpuLinks> SmiText::linked() const {
    std::vector<SmiGpuLinks> gpus;
    for (const SmiGpuLinks& gpu : listed)
        if (gpu.links + gpu.inactive > 0) gpus.push_back(gpu);
    return gpus;
}

std::string SmiText::nameOf(std::size_t gpu) const {
    if (matrix.gpus.empty()) return listed[gpu].name;
    const int number = wholeInteger(std::string_view(matrix.gpus[gpu]).substr(3)).value_or(-1);
    bool areAlike = !listed.empty();
    for (const SmiGpuLinks& each : listed) {
        if (each.number == number) return each.name;
        areAlike = areAlike && each.name == listed.front().name;
    }
    return areAlike ? listed.front().name : "";
}

SmiText readSmiText(std::string_view text, const std::string& file, const SmiDialect& dialect) {
    return SmiReader(file, dialect).read(withoutEscapes(text));
}

namespace {

/// A label that nvidia-smi has not: "MT2", "SPB".
bool isOwnLabel(std::string_view word, const SmiDialect& dialect) {
    return !dialect.meaning(word).empty() && nvidiaDialect().meaning(word).empty();
}

bool looksLikeNvidiaSmi(const std::string& plain) {
    const SmiDialect& dialect = nvidiaDialect();
    bool sawHeader = false, sawGpu = false;
    for (const std::string_view line : linesOf(plain)) {
        const Words words = wordsOf(line.substr(0, 4096));
        if (words.empty()) continue;
        if (isHeader(words, dialect) && words.size() > 1 && isGpuName(words[1])) return true;
        if (isHeader(words, dialect))
            sawHeader = true;
        else if (sawHeader && isGpuName(words[0]) && words.size() > 1 && !dialect.meaning(words[1]).empty())
            return true;
        else if (!numbersOnGpuLine(words).empty())
            sawGpu = true;
        else if (sawGpu && words[0] == "Link" && words.size() > 1 && words[1].ends_with(':'))
            return true;
    }
    return false;
}

}  // namespace

bool looksLikeSmi(std::string_view text, const SmiDialect& dialect) {
    const std::string plain = withoutEscapes(text);
    if (dialect.isNvidia()) return looksLikeNvidiaSmi(plain);
    bool sawHeader = false, isNamed = false;
    for (const std::string_view line : linesOf(plain)) {
        const Words words = wordsOf(line.substr(0, 4096));
        isNamed = isNamed || line.find(dialect.tool) != std::string_view::npos ||
                  line.find("MTHREADS") != std::string_view::npos;
        if (words.empty()) continue;
        if (isHeader(words, dialect))
            sawHeader = true;
        else if (sawHeader && isGpuName(words[0]) &&
                 (isNamed || std::any_of(words.begin() + 1, words.end(),
                                         [&](std::string_view word) { return isOwnLabel(word, dialect); })))
            return true;
    }
    return false;
}

}  // namespace stagecraft::formats
