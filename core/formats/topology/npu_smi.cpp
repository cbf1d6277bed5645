#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/input_error.h"
#include "core/formats/topology/accelerator_mesh.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <array>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;
using Words = std::vector<std::string_view>;

/// "NPU3", or "Phy-ID12" where one machine shows part of another's.
bool isNpu(std::string_view word) {
    for (const std::string_view stem : {std::string_view("NPU"), std::string_view("Phy-ID")})
        if (word.starts_with(stem)) return wholeInteger(word.substr(stem.size())).value_or(-1) >= 0;
    return false;
}

struct NpuMatrix {
    std::vector<std::vector<std::string>> label;  ///< square
    std::vector<std::string> cpuAffinity;         ///< of each; empty: not said
};

/// What `npu-smi info -t topo` of Ascend prints.
class NpuReader {
public:
    explicit NpuReader(const std::string& file) : file_(file) {}

    NpuMatrix read(std::string_view text) {
        for (const std::string_view line : linesOf(text)) {
            ++line_;
            const Words words = wordsOf(line);
            if (words.empty() || !isNpu(words[0])) continue;
            const bool isHeading = words.size() == 1 || isNpu(words[1]);
            if (isHeading && found_.label.empty())
                columns_ = static_cast<std::size_t>(std::count_if(words.begin(), words.end(), isNpu));
            else if (found_.label.size() < columns_)
                takeRow(words);
        }
        if (found_.label.empty() || found_.label.size() != columns_)
            throw InputError(file_, "", "the table of NPUs has " + counted(found_.label.size(), "row"),
                             std::to_string(columns_) + ", as many as its heading has columns");
        check();
        return std::move(found_);
    }

private:
    [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(line_), problem, expected);
    }

    void takeRow(const Words& words) {
        constexpr std::size_t most = 1024;
        if (found_.label.size() == most || columns_ > most)
            fail("there are more than 1,024 NPUs", "one server");
        if (words.size() < columns_ + 1)
            fail("the row of " + std::string(words[0]) + " has " + counted(words.size() - 1, "cell"),
                 std::to_string(columns_) + ", one per NPU");
        for (std::size_t column = 1; column <= columns_; ++column)
            if (std::find(labels.begin(), labels.end(), words[column]) == labels.end())
                fail("found " + inQuotes(words[column]),
                     "X, SYS, PHB, PIX, PXB, HCCS, HCCS_SW, SIO, UB or NA");
        const auto end = words.begin() + static_cast<std::ptrdiff_t>(columns_) + 1;
        found_.label.emplace_back(words.begin() + 1, end);
        found_.cpuAffinity.emplace_back(end == words.end() ? std::string_view() : *end);
    }

    void check() const {
        for (std::size_t a = 0; a < columns_; ++a)
            for (std::size_t b = 0; b < a; ++b)
                if (found_.label[a][b] != found_.label[b][a])
                    throw InputError(file_, "",
                                     "NPU " + std::to_string(b) + " and NPU " + std::to_string(a) + " have " +
                                         inQuotes(found_.label[b][a]) + " one way and " +
                                         inQuotes(found_.label[a][b]) + " the other",
                                     "a symmetric table");
    }

    static constexpr std::array<std::string_view, 10> labels = {"X",    "SYS",     "PHB", "PIX", "PXB",
                                                                "HCCS", "HCCS_SW", "SIO", "UB",  "NA"};
    const std::string& file_;
    int line_ = 0;
    std::size_t columns_ = 0;
    NpuMatrix found_;
};

class NpuImporter {
public:
    NpuImporter(const std::string& file, const ImportOptions& options, NpuMatrix matrix)
        : file_(file), options_(options), matrix_(std::move(matrix)) {}

    Machine import() {
        addAccelerators(machine_,
                        {static_cast<int>(count()), matrix_.cpuAffinity,
                         chooseGpu(options_, nullptr, nullptr, machine_.assumed)},
                        options_, file_);
        addLinks();
        machine_.note(Kind::took, counted(count(), "NPU") + " of npu-smi info -t topo");
        return std::move(machine_);
    }

private:
    std::size_t count() const { return matrix_.label.size(); }

    /// Of HCCS and the like the table says where they are and not how fast.
    void addLinks() {
        constexpr double usualBps = 28 * gigabyte;
        int hub = -1, links = 0;
        for (std::size_t a = 0; a < count(); ++a)
            for (std::size_t b = a + 1; b < count(); ++b) {
                const std::string& label = matrix_.label[a][b];
                if (label == "HCCS" || label == "UB" || label == "SIO") {
                    machine_.join(static_cast<int>(a), static_cast<int>(b),
                                  {usualBps, label + ", assumed: 28 GB/s"}, PathType::nvlink, "hccs");
                    ++links;
                } else if (label == "HCCS_SW" && hub < 0) {
                    hub = machine_.add({.kind = MachineNode::Kind::nvSwitch, .id = "hccs"});
                }
            }
        for (std::size_t npu = 0; hub >= 0 && npu < count(); ++npu) {
            machine_.join(static_cast<int>(npu), hub, {usualBps, "HCCS_SW, assumed: 28 GB/s"},
                          PathType::nvlink, "hccs");
            ++links;
        }
        if (links > 0)
            assume(machine_.assumed,
                   {"The table does not say how fast HCCS, SIO or UB are; 28 GB/s one way were taken for "
                    "each of " +
                        counted(links, "link") + ".",
                    "", ""});
    }

    const std::string& file_;
    const ImportOptions& options_;
    const NpuMatrix matrix_;
    Machine machine_;
};

bool looksLikeNpuSmi(std::string_view text) {
    const auto lines = linesOf(text);
    return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
        const Words words = wordsOf(line);
        return words.size() > 1 && isNpu(words[0]) && (isNpu(words[1]) || words[1] == "X");
    });
}

}  // namespace

TopologyFormat npuSmiFormat() {
    return {.id = "npu-smi",
            .name = "npu-smi text",
            .suffix = "txt",
            .recognises = looksLikeNpuSmi,
            .readServer = [](std::string_view text, const std::string& file, const ImportOptions& options) {
                return NpuImporter(file, options, NpuReader(file).read(text)).import();
            }};
}

}  // namespace stagecraft::formats
