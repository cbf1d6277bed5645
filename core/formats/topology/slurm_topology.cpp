#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/input_error.h"
#include "core/formats/topology/host_list.h"
#include "core/formats/topology/plain_cluster.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

constexpr std::size_t mostNames = 16384;

/// A line of topology.conf, or of what `scontrol show topo` prints.
struct SlurmSwitch {
    std::string name;
    int line = 0;
    std::vector<std::string> nodes, switches;
};

/// Names of parameters are told apart without regard to case.
bool isCalled(std::string_view word, std::string_view name) {
    return word.size() > name.size() && word[name.size()] == '=' &&
           lettersAndDigits(word.substr(0, name.size())) == lettersAndDigits(name);
}

class SlurmReader {
public:
    explicit SlurmReader(const std::string& file) : file_(file) {}

    std::vector<SlurmSwitch> read(std::string_view text) {
        for (std::string_view line : linesOf(text)) {
            ++line_;
            line = line.substr(0, line.find('#'));
            if (const std::vector<std::string_view> words = wordsOf(line); !words.empty()) takeLine(words);
        }
        if (found_.empty()) fail("no switch in the text", "a line such as 'SwitchName=s0 Nodes=n[0-3]'", 0);
        check();
        return std::move(found_);
    }

private:
    [[noreturn]] void fail(const std::string& problem, const std::string& expected, int line) const {
        throw InputError(file_, line > 0 ? "line " + std::to_string(line) : "", problem, expected);
    }

    void takeLine(const std::vector<std::string_view>& words) {
        if (!isCalled(words[0], "SwitchName")) return;  // blocks and other plugins' lines
        SlurmSwitch taken{std::string(words[0].substr(words[0].find('=') + 1)), line_, {}, {}};
        for (const std::string_view word : words) {
            const std::string_view value = word.substr(word.find('=') + 1);
            if (isCalled(word, "Nodes")) taken.nodes = namesIn(value);
            if (isCalled(word, "Switches")) taken.switches = namesIn(value);
        }
        // The upper switches of `scontrol show topo` list all nodes below them besides.
        if (!taken.switches.empty()) taken.nodes.clear();
        if (found_.size() == mostNames) fail("there are more than 16,384 switches", "16,384 at most", line_);
        found_.push_back(std::move(taken));
    }

    std::vector<std::string> namesIn(std::string_view list) const {
        if (list.empty() || list == "(null)") return {};
        std::vector<std::string> names = hostsIn(list, mostNames);
        if (names.empty()) fail("found " + inQuotes(list), "names such as n[001-128], 16,384 at most", line_);
        return names;
    }

    void check() const {
        std::map<std::string, int> lineOf;
        for (const SlurmSwitch& each : found_)
            if (!lineOf.emplace(each.name, each.line).second)
                fail("the switch " + inQuotes(each.name) + " is given twice", "each switch once", each.line);
        std::set<std::string> below;
        for (const SlurmSwitch& each : found_)
            for (const std::string& lower : each.switches) {
                if (!lineOf.contains(lower))
                    fail("the switch " + inQuotes(lower) + " has no line of its own",
                         "a line for each switch", each.line);
                if (!below.insert(lower).second)
                    fail("the switch " + inQuotes(lower) + " is below two others", "a tree", each.line);
            }
    }

    const std::string& file_;
    int line_ = 0;
    std::vector<SlurmSwitch> found_;
};

/// Servers in the order in which the text names them.
std::vector<std::string> serversOf(const std::vector<SlurmSwitch>& switches) {
    std::vector<std::string> servers;
    std::set<std::string> known;
    for (const SlurmSwitch& each : switches)
        for (const std::string& node : each.nodes)
            if (known.insert(node).second) servers.push_back(node);
    return servers;
}

class SlurmImporter {
public:
    SlurmImporter(const std::string& file, const ImportOptions& options, std::vector<SlurmSwitch> switches)
        : switches_(std::move(switches)),
          servers_(serversOf(switches_)),
          perServer_(options.gpusPerServer > 0 ? options.gpusPerServer : usualPerServer),
          cluster_(file, options, checkedCount(file, servers_.size(), perServer_), perServer_),
          options_(options) {}

    ImportedCluster import() {
        const Rate rate = networkRate();
        std::map<std::string, std::string> ids, ports;
        for (std::size_t server = 0; server < servers_.size(); ++server)
            ports[servers_[server]] = addServer(server);
        for (const SlurmSwitch& each : switches_) ids[each.name] = cluster_.addNamedSwitch(each.name);
        for (const SlurmSwitch& each : switches_) {
            for (const std::string& node : each.nodes)
                cluster_.join(ports.at(node), ids.at(each.name), rate, options_.networkLatencyS, "network");
            for (const std::string& lower : each.switches)
                cluster_.join(ids.at(lower), ids.at(each.name), rate, options_.networkLatencyS, "network");
        }
        cluster_.note(Kind::took, counted(static_cast<int>(servers_.size()), "server") + " and " +
                                      counted(static_cast<int>(switches_.size()), "switch", "switches") +
                                      " of Slurm's topology");
        return std::move(cluster_).finish();
    }

private:
    static constexpr int usualPerServer = 8;

    static int checkedCount(const std::string& file, std::size_t servers, int perServer) {
        checkSize(file, servers * static_cast<std::size_t>(perServer), 0, 0);
        return static_cast<int>(servers) * perServer;
    }

    Rate networkRate() {
        if (options_.gpusPerServer <= 0)
            cluster_.assume({"Slurm's topology does not say how many GPUs a server has; 8 were taken.",
                             "gpus_per_server", "8"});
        if (options_.networkBps > 0) return {options_.networkBps, "network, as chosen"};
        constexpr double usualBps = 12.5 * gigabyte;
        cluster_.assume(
            {"Slurm's topology does not say how fast its links are; 100 Gbit/s were taken for each.",
             "network_rate", "12.5 GB/s"});
        return {usualBps, "network, assumed: 100 Gbit/s"};
    }

    /// Its GPUs hang on one switch, PCIe, with their server's name.
    std::string addServer(std::size_t server) {
        const int first = static_cast<int>(server) * perServer_;
        for (int gpu = 0; gpu < perServer_; ++gpu)
            cluster_.rename(first + gpu, servers_[server] + "g" + std::to_string(gpu), servers_[server]);
        const std::string host = cluster_.addSwitch("cpu", first);
        Rate lane =
            pcieRateOfGeneration(options_.pcieGeneration > 0 ? options_.pcieGeneration : 4, options_.rates);
        if (options_.pcieGeneration <= 0)
            cluster_.assume(
                {"Slurm's topology says nothing of what is inside a server; its GPUs were put on one "
                 "CPU by 16 lanes of PCIe Gen 4.",
                 "pcie_generation", "4"});
        for (int gpu = 0; gpu < perServer_; ++gpu)
            cluster_.join(cluster_.device(first + gpu), host, lane, 0, "pcie");
        return host;
    }

    const std::vector<SlurmSwitch> switches_;
    const std::vector<std::string> servers_;
    const int perServer_;
    PlainCluster cluster_;
    const ImportOptions& options_;
};

ImportedCluster readSlurmTopology(std::string_view text, const std::string& file,
                                  const ImportOptions& options) {
    std::vector<SlurmSwitch> switches = SlurmReader(file).read(text);
    if (serversOf(switches).empty())
        throw InputError(file, "", "no switch has a node", "'Nodes=' for the lowest switches");
    return SlurmImporter(file, options, std::move(switches)).import();
}

bool looksLikeSlurm(std::string_view text) {
    for (const std::string_view line : linesOf(text)) {
        const std::vector<std::string_view> words = wordsOf(line.substr(0, line.find('#')));
        if (words.empty()) continue;
        if (isCalled(words[0], "SwitchName")) return true;
    }
    return false;
}

}  // namespace

TopologyFormat slurmTopologyFormat() {
    return {.id = "slurm",
            .name = "Slurm topology",
            .suffix = "conf",
            .recognises = looksLikeSlurm,
            .readWhole = readSlurmTopology};
}

}  // namespace stagecraft::formats
