#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/topology/nccl_paths.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <array>
#include <map>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;
using Words = std::vector<std::string_view>;

/// The tables of `rocm-smi --showtopo`, by the titles between signs of equality.
struct RocmText {
    using Table = std::vector<std::vector<std::string>>;  ///< of each GPU to each
    Table weights, hops, types;
    std::map<int, int> numaNodes;       ///< by GPU
    std::map<int, std::string> series;  ///< what --showproductname calls a GPU
};

constexpr std::pair<const char*, RocmText::Table RocmText::*> tables[] = {
    {"Weight between two GPUs", &RocmText::weights},
    {"Hops between two GPUs", &RocmText::hops},
    {"Link Type between two GPUs", &RocmText::types}};

std::optional<int> gpuNumber(std::string_view word) {
    return word.starts_with("GPU") ? wholeInteger(word.substr(3)) : std::nullopt;
}

class RocmReader {
public:
    explicit RocmReader(const std::string& file) : file_(file) {}

    RocmText read(std::string_view text) {
        for (const std::string_view line : linesOf(text)) {
            ++line_;
            if (line.find("====") != std::string_view::npos)
                open(line);
            else
                take(line);
        }
        checkTables();
        return std::move(found_);
    }

private:
    [[noreturn]] void fail(const std::string& problem, const std::string& expected, int line) const {
        throw InputError(file_, line > 0 ? "line " + std::to_string(line) : "", problem, expected);
    }

    void open(std::string_view title) {
        table_ = nullptr;
        for (const auto& [name, table] : tables)
            if (title.find(name) != std::string_view::npos) table_ = &(found_.*table);
        if (table_) table_->clear();
        columns_ = 0;
    }

    void take(std::string_view line) {
        const Words words = wordsOf(line);
        if (words.empty()) return;
        if (words[0].starts_with("GPU[")) return takeFact(line);
        if (!table_) return;
        if (columns_ == 0) {
            if (std::all_of(words.begin(), words.end(), gpuNumber)) columns_ = words.size();
            return;
        }
        if (!gpuNumber(words[0])) return;
        constexpr std::size_t most = 1024;
        if (words.size() != columns_ + 1)
            fail("the row of " + std::string(words[0]) + " has " + counted(words.size() - 1, "cell"),
                 std::to_string(columns_) + ", one per GPU", line_);
        if (table_->size() == most) fail("there are more than 1,024 GPUs", "one server", line_);
        table_->emplace_back(words.begin() + 1, words.end());
    }

    /// "GPU[0] : (Topology) Numa Node: 0", "GPU[0] : Card Series: AMD Instinct MI300X"
    void takeFact(std::string_view line) {
        const std::size_t from = line.find('[') + 1, to = line.find(']');
        if (to == std::string_view::npos) return;
        const auto gpu = wholeInteger(line.substr(from, to - from));
        const std::string_view value = trimmed(line.substr(line.rfind(':') + 1));
        if (!gpu || *gpu < 0) return;
        if (line.find("Numa Node:") != std::string_view::npos)
            found_.numaNodes[*gpu] = wholeInteger(value).value_or(0);
        if (line.find("Card Series:") != std::string_view::npos ||
            line.find("Card series:") != std::string_view::npos)
            found_.series[*gpu] = value;
    }

    void checkTables() const {
        if (found_.types.empty())
            fail("the table 'Link Type between two GPUs' is missing",
                 "what rocm-smi --showtopo prints, whole", 0);
        for (const auto& [name, table] : tables) {
            const RocmText::Table& rows = found_.*table;
            if (rows.empty()) continue;
            if (rows.size() != found_.types.size() || rows.size() != rows.front().size())
                fail("the table '" + std::string(name) + "' has " + counted(rows.size(), "row") + " and " +
                         counted(rows.front().size(), "column"),
                     "as many of both as there are GPUs", 0);
        }
    }

    const std::string& file_;
    int line_ = 0;
    RocmText found_;
    RocmText::Table* table_ = nullptr;
    std::size_t columns_ = 0;
};

class RocmImporter {
public:
    RocmImporter(const std::string& file, const ImportOptions& options, RocmText text)
        : file_(file), options_(options), text_(std::move(text)) {}

    Machine import() {
        addGpus();
        addCpus();
        addXgmi();
        machine_.note(Kind::took, counted(count(), "GPU") + " of rocm-smi --showtopo on " +
                                      counted(machine_.count(MachineNode::Kind::cpu), "NUMA node"));
        notePairsWhereNcclDiffers(machine_);
        return std::move(machine_);
    }

private:
    std::size_t count() const { return text_.types.size(); }
    bool isXgmi(std::size_t a, std::size_t b) const { return text_.types[a][b] == "XGMI"; }

    /// The least weight between two GPUs is that of one link; what is more goes over GPUs in between.
    bool isDirect(std::size_t a, std::size_t b) const {
        const auto numberAt = [](const RocmText::Table& table, std::size_t row, std::size_t column) {
            return table.empty() ? 0 : wholeInteger(table[row][column]).value_or(0);
        };
        constexpr int ofOneLink = 15;
        return isXgmi(a, b) && numberAt(text_.hops, a, b) <= 1 && numberAt(text_.weights, a, b) <= ofOneLink;
    }

    bool isFullMesh() const {
        for (std::size_t a = 0; a < count(); ++a)
            for (std::size_t b = 0; b < count(); ++b)
                if (a != b && !isDirect(a, b)) return false;
        return true;
    }

    std::string seriesOf(std::size_t gpu) const {
        const auto found = text_.series.find(static_cast<int>(gpu));
        if (found == text_.series.end() || found->second == "N/A") return "";
        std::string_view name = found->second;
        for (const std::string_view form : {" OAM", " HC"})
            if (name.ends_with(form)) name.remove_suffix(form.size());
        return std::string(name);
    }

    void addGpus() {
        constexpr std::size_t gpusOfMi300 = 8;
        const GpuModel* likely =
            count() == gpusOfMi300 && isFullMesh() ? findGpuModel("MI300X-192GB") : nullptr;
        for (std::size_t gpu = 0; gpu < count(); ++gpu) {
            const std::string name = seriesOf(gpu);
            const AssumedGpu chosen = chooseGpu(options_, name.empty() ? nullptr : findGpuModel(name),
                                                name.empty() ? likely : nullptr, machine_.assumed, name);
            if (gpu == 0) model_ = chosen.model;
            if (chosen.model && chosen.model->gfx.empty())
                throw InputError(file_, "", "rocm-smi shows no " + chosen.model->name, "a GPU of AMD");
            machine_.add({.kind = MachineNode::Kind::gpu,
                          .id = "g" + std::to_string(gpu),
                          .gpu = chosen.name,
                          .memoryBytes = chosen.memoryBytes});
        }
    }

    Rate pcie() {
        int generation = options_.pcieGeneration;
        if (generation == 0) {
            generation = model_ ? model_->pcieGeneration : 4;
            assume(machine_.assumed, {"The text does not say how fast PCIe is; 16 lanes of Gen " +
                                          std::to_string(generation) + " were taken.",
                                      "pcie_generation", std::to_string(generation)});
        }
        return pcieRateOfGeneration(generation, options_.rates);
    }

    void addCpus() {
        std::map<int, int> cpus;  // node by NUMA node
        const Rate lane = pcie();
        for (std::size_t gpu = 0; gpu < count(); ++gpu) {
            const auto known = text_.numaNodes.find(static_cast<int>(gpu));
            const auto [cpu, isNew] = cpus.emplace(known == text_.numaNodes.end() ? 0 : known->second, 0);
            if (isNew)
                cpu->second = machine_.add(
                    {.kind = MachineNode::Kind::cpu, .id = "cpu" + std::to_string(cpus.size() - 1)});
            machine_.join(static_cast<int>(gpu), cpu->second, lane, PathType::phb, "pcie");
        }
        if (cpus.size() < 2) return;
        const Rate rate = betweenCpusOrAssumed(options_, {}, machine_.assumed);
        for (auto a = cpus.begin(); a != cpus.end(); ++a)
            for (auto b = std::next(a); b != cpus.end(); ++b)
                machine_.join(a->second, b->second, rate, PathType::sys, "socket");
        checkSize(file_, count(), cpus.size(), machine_.links.size());
    }

    void addXgmi() {
        const std::string gfx = model_ ? model_->gfx : "";
        int links = 0, farther = 0;
        for (std::size_t a = 0; a < count(); ++a)
            for (std::size_t b = a + 1; b < count(); ++b) {
                if (!isXgmi(a, b) && !isXgmi(b, a)) continue;
                if (isDirect(a, b) || isDirect(b, a)) {
                    machine_.join(static_cast<int>(a), static_cast<int>(b), xgmiRate(1, gfx, options_.rates),
                                  PathType::nvlink, "xgmi");
                    ++links;
                } else {
                    ++farther;
                }
            }
        if (links == 0) return;
        assume(machine_.assumed,
               {"rocm-smi does not say how many xGMI links join two GPUs; one was taken for each pair.", "",
                ""});
        machine_.note(Kind::derived,
                      counted(links, "pair") + " with weight 15 are joined by xGMI directly" +
                          (farther > 0 ? "; " + counted(farther, "pair goes", "pairs go") +
                                             " over GPUs in between, which forward nothing here"
                                       : ""));
    }

    const std::string& file_;
    const ImportOptions& options_;
    const RocmText text_;
    Machine machine_;
    const GpuModel* model_ = nullptr;
};

Machine readRocmSmi(std::string_view text, const std::string& file, const ImportOptions& options) {
    return RocmImporter(file, options, RocmReader(file).read(text)).import();
}

bool looksLikeRocmSmi(std::string_view text) {
    return std::any_of(std::begin(tables), std::end(tables), [&](const auto& table) {
        return text.find(std::string("= ") + table.first + " =") != std::string_view::npos;
    });
}

}  // namespace

TopologyFormat rocmSmiFormat() {
    return {.id = "rocm-smi",
            .name = "rocm-smi text",
            .suffix = "txt",
            .recognises = looksLikeRocmSmi,
            .readServer = readRocmSmi};
}

}  // namespace stagecraft::formats
