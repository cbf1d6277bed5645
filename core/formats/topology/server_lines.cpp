#include "core/base/counted.h"
#include "core/base/quantity.h"
#include "core/base/spelling.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/input_error.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

const std::vector<std::string>& lineNames() {
    static const std::vector<std::string> names = {"servers", "gpus", "gpu",  "memory", "links",
                                                   "link",    "pcie", "nics", "nic",    "network"};
    return names;
}

/// "servers: 4" and the like, each name once; # begins a remark.
class ServerLines {
public:
    ServerLines(std::string_view text, const std::string& file) : file_(file) {
        for (std::string_view line : linesOf(text)) {
            ++line_;
            line = trimmed(line.substr(0, line.find('#')));
            if (line.empty() || line == "---") continue;
            take(line);
        }
    }

    bool has(const std::string& name) const { return values_.contains(name); }
    std::string text(const std::string& name) const { return has(name) ? values_.at(name).text : ""; }

    int count(const std::string& name, int otherwise) const {
        constexpr int most = 4096;
        if (!has(name)) return otherwise;
        const auto number = wholeInteger(values_.at(name).text);
        if (!number || *number < 1 || *number > most) fail(name, "a number from 1 to 4,096");
        return *number;
    }
    /// In bytes, or bytes per second; 0: not given.
    double quantity(const std::string& name, Quantity quantity, const char* example) const {
        if (!has(name)) return 0;
        try {
            const double value = parseQuantity(quantity, values_.at(name).text);
            if (value > 0) return value;
        } catch (const std::invalid_argument&) {
        }
        fail(name, std::string("a quantity such as ") + example);
    }

    [[noreturn]] void fail(const std::string& name, const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(values_.at(name).line),
                         name + " is " + inQuotes(values_.at(name).text), expected);
    }

private:
    struct Value {
        std::string text;
        int line = 0;
    };

    void take(std::string_view line) {
        const std::size_t colon = line.find(':');
        const std::string name(trimmed(line.substr(0, colon)));
        const bool isKnown = std::find(lineNames().begin(), lineNames().end(), name) != lineNames().end();
        const std::string place = "line " + std::to_string(line_);
        if (colon == std::string_view::npos || !isKnown)
            throw InputError(file_, place, "found " + inQuotes(line) + spellingHint(name, lineNames()),
                             "a line such as 'gpus: 8'");
        std::string_view value = trimmed(line.substr(colon + 1));
        if (value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
            value.back() == value.front())
            value = value.substr(1, value.size() - 2);
        if (!values_.emplace(name, Value{std::string(value), line_}).second)
            throw InputError(file_, place, "'" + name + "' is given twice", "each once");
    }

    const std::string& file_;
    int line_ = 0;
    std::map<std::string, Value> values_;
};

class ServerBuilder {
public:
    ServerBuilder(const ServerLines& lines, const std::string& file, const ImportOptions& options)
        : lines_(lines), file_(file), options_(options) {}

    Machine build() {
        const int gpus = lines_.count("gpus", 1);
        addGpus(gpus);
        const int cpu = machine_.add({.kind = MachineNode::Kind::cpu, .id = "cpu0"});
        for (int gpu = 0; gpu < gpus; ++gpu) machine_.join(gpu, cpu, pcie(), PathType::phb, "pcie");
        addLinks(gpus);
        addNics(cpu);
        return std::move(machine_);
    }

private:
    void addGpus(int gpus) {
        const std::string name = lines_.text("gpu");
        ImportOptions options = options_;
        if (options.memoryBytes <= 0)
            options.memoryBytes = lines_.quantity("memory", Quantity::bytes, "80 GiB");
        for (int gpu = 0; gpu < gpus; ++gpu) {
            const AssumedGpu chosen = chooseGpu(options, name.empty() ? nullptr : findGpuModel(name), nullptr,
                                                machine_.assumed, name);
            model_ = chosen.model;
            machine_.add({.kind = MachineNode::Kind::gpu,
                          .id = "g" + std::to_string(gpu),
                          .gpu = chosen.name,
                          .memoryBytes = chosen.memoryBytes});
        }
    }

    Rate pcie() {
        if (const double bps = lines_.quantity("pcie", Quantity::bandwidth, "24 GB/s"); bps > 0)
            return {bps, "PCIe, as the file says"};
        int generation = options_.pcieGeneration;
        if (generation == 0) {
            generation = model_ && model_->pcieGeneration > 0 ? model_->pcieGeneration : 4;
            assume(machine_.assumed, {"The file does not say how fast PCIe is; 16 lanes of Gen " +
                                          std::to_string(generation) + " were taken.",
                                      "pcie_generation", std::to_string(generation)});
        }
        return pcieRateOfGeneration(generation, options_.rates);
    }

    /// Of `share` of a GPU's links.
    Rate linkRate(int share) const {
        if (const double bps = lines_.quantity("link", Quantity::bandwidth, "450 GB/s"); bps > 0)
            return {bps / share, "links of a GPU, as the file says"};
        if (!model_ || model_->links == 0)
            throw InputError(file_, "", "nothing says how fast the links between GPUs are",
                             "a line such as 'link: 450 GB/s', or a GPU of the catalogue that has links");
        Rate rate = model_->isNvidia() ? nvlinkRate(model_->links, model_->computeCapability, options_.rates)
                                       : xgmiRate(model_->links, model_->gfx, options_.rates);
        rate.bps /= share;
        return rate;
    }

    void addLinks(int gpus) {
        const std::string links = lines_.text("links");
        const bool isKnown =
            links.empty() || links == "pcie" || links == "nvswitch" || links == "mesh" || links == "ring";
        if (!isKnown) lines_.fail("links", "nvswitch, mesh, ring or pcie");
        if (links.empty() || links == "pcie" || gpus < 2) return;
        const char* kind = model_ && !model_->isNvidia() ? "xgmi" : "nvlink";
        if (links == "nvswitch") {
            const int hub = machine_.add({.kind = MachineNode::Kind::nvSwitch, .id = "nvswitch"});
            for (int gpu = 0; gpu < gpus; ++gpu) machine_.join(gpu, hub, linkRate(1), PathType::nvlink, kind);
            return;
        }
        const int neighbours = links == "mesh" ? gpus - 1 : std::min(2, gpus - 1);
        for (int a = 0; a < gpus; ++a)
            for (int b = a + 1; b < gpus; ++b)
                if (links == "mesh" || b == a + 1 || (a == 0 && b == gpus - 1))
                    machine_.join(a, b, linkRate(neighbours), PathType::nvlink, kind);
        checkSize(file_, static_cast<std::size_t>(gpus), 0, machine_.links.size());
    }

    void addNics(int cpu) {
        if (!lines_.has("nics") && !lines_.has("nic")) return;
        ImportOptions options = options_;
        if (options.nicBps <= 0) options.nicBps = lines_.quantity("nic", Quantity::bandwidth, "400 Gbit/s");
        const Rate rate = nicRateOrAssumed(options, machine_.assumed);
        for (int nic = 0; nic < lines_.count("nics", 1); ++nic)
            machine_.join(machine_.add({.kind = MachineNode::Kind::port, .id = "nic" + std::to_string(nic)}),
                          cpu, rate, PathType::phb, "network");
    }

    const ServerLines& lines_;
    const std::string& file_;
    const ImportOptions& options_;
    Machine machine_;
    const GpuModel* model_ = nullptr;
};

ImportedCluster readServerLines(std::string_view text, const std::string& file, const ImportOptions& given) {
    const ServerLines lines(text, file);
    ImportOptions options = given;
    options.copies = lines.count("servers", 1);
    if (options.networkBps <= 0)
        options.networkBps = lines.quantity("network", Quantity::bandwidth, "400 Gbit/s");
    checkSize(file,
              static_cast<std::size_t>(options.copies) * static_cast<std::size_t>(lines.count("gpus", 1)), 0,
              0);
    std::vector<Machine> machines;
    machines.push_back(ServerBuilder(lines, file, options).build());
    checkLinksOfChosenGpu(machines.front(), file, options);
    ImportedCluster imported = clusterOf(std::move(machines), options);
    imported.notes.insert(imported.notes.begin(), {Kind::took, counted(options.copies, "server") + " of " +
                                                                   counted(lines.count("gpus", 1), "GPU")});
    return imported;
}

}  // namespace

TopologyFormat serverLinesFormat() {
    return {.id = "servers",
            .name = "lines of servers and GPUs",
            .suffix = "yml",
            .recognises =
                [](std::string_view text) { return hasField(text, "servers") && hasField(text, "gpus"); },
            .readWhole = readServerLines};
}

}  // namespace stagecraft::formats
