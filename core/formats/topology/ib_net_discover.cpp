#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/input_error.h"
#include "core/formats/topology/plain_cluster.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

/// What ibnetdiscover of infiniband-diags calls a node: "S-…" a switch, "H-…" a card.
struct IbNode {
    std::string description;
    int line = 0;
};

struct IbLink {
    std::string a, b;   ///< nodes
    std::string speed;  ///< "4xEDR"
    double bps = 0;     ///< 0: not known
};

struct IbFabric {
    std::map<std::string, IbNode> nodes;
    std::vector<IbLink> links;  ///< each once
};

/// What is between the next two double quotes, and what follows; nothing if there are none.
struct Quoted {
    std::string_view text, rest;
};
std::optional<Quoted> quotedIn(std::string_view line) {
    const std::size_t from = line.find('"');
    const std::size_t to = from == std::string_view::npos ? from : line.find('"', from + 1);
    if (to == std::string_view::npos) return std::nullopt;
    return Quoted{line.substr(from + 1, to - from - 1), line.substr(to + 1)};
}

/// The number in brackets at the start: "[12]".
std::optional<int> portIn(std::string_view text) {
    const std::size_t end = text.find(']');
    if (!text.starts_with('[') || end == std::string_view::npos) return std::nullopt;
    return wholeInteger(text.substr(1, end - 1));
}

/// Data rate of a lane, as the InfiniBand architecture has it after encoding, in Gbit/s.
double ibRate(std::string_view speed) {
    constexpr std::pair<std::string_view, double> lanes[] = {{"SDR", 2},    {"DDR", 4},     {"QDR", 8},
                                                             {"FDR10", 10}, {"FDR", 13.64}, {"EDR", 25},
                                                             {"HDR", 50},   {"NDR", 100},   {"XDR", 200}};
    constexpr double gigabit = gigabyte / 8;
    const std::size_t cross = speed.find('x');
    const auto width = wholeInteger(speed.substr(0, cross));
    if (cross == std::string_view::npos || !width || *width < 1 || *width > 12) return 0;
    for (const auto& [name, rate] : lanes)
        if (speed.substr(cross + 1) == name) return *width * rate * gigabit;
    return 0;
}

class IbReader {
public:
    explicit IbReader(const std::string& file) : file_(file) {}

    IbFabric read(std::string_view text) {
        for (const std::string_view raw : linesOf(text)) {
            ++line_;
            const std::string_view line = trimmed(raw);
            const auto words = wordsOf(line);
            if (words.empty()) continue;
            if (words[0] == "Switch" || words[0] == "Ca" || words[0] == "Rt")
                open(line);
            else if (line.starts_with('['))
                takePort(line);
        }
        return std::move(found_);
    }

private:
    [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(line_), problem, expected);
    }

    /// `Switch 36 "S-ec0d9a0300ec8240" # "name" base port 0 lid 48 lmc 0`
    void open(std::string_view line) {
        const auto id = quotedIn(line);
        if (!id) fail("found " + inQuotes(line), "a node such as Switch 36 \"S-0002c902\" # \"name\"");
        const auto name = quotedIn(id->rest);
        here_ = id->text;
        know(here_, name ? name->text : std::string_view());
    }

    void know(const std::string& id, std::string_view description) {
        constexpr std::size_t mostNodes = 20000;
        IbNode& node = found_.nodes[id];
        if (found_.nodes.size() > mostNodes) fail("there are more than 20,000 nodes", "20,000 at most");
        if (node.line == 0) node.line = line_;
        if (node.description.empty()) node.description = trimmed(description);
    }

    /// `[1] "H-506b4b03"[1](506b4b03) # "node018 HCA-1" lid 67 4xEDR`; of a card `[1](8f10) "S-0008"[6] # lid
    /// 16 lmc 1 "name" lid 3 4xSDR`.
    void takePort(std::string_view line) {
        const auto port = portIn(line);
        const auto peer = quotedIn(line);
        const auto peerPort = peer ? portIn(peer->rest) : std::nullopt;
        if (here_.empty() || !port || !peerPort)
            fail("found " + inQuotes(line), "a port below its node, such as [1] \"S-0002c902\"[6] # …");
        const auto name = quotedIn(peer->rest);
        const std::string there(peer->text);
        know(there, name ? name->text : std::string_view());
        const auto words = wordsOf(name ? name->rest : peer->rest);
        const std::string end = here_ + "[" + std::to_string(*port),
                          other = there + "[" + std::to_string(*peerPort);
        if (!seen_.insert(std::min(end, other) + std::max(end, other)).second || here_ == there) return;
        const std::string speed = words.empty() ? "" : std::string(words.back());
        found_.links.push_back({here_, there, speed, ibRate(speed)});
    }

    const std::string& file_;
    int line_ = 0;
    std::string here_;
    IbFabric found_;
    std::set<std::string> seen_;  ///< pairs of ports
};

bool isSwitch(const std::string& id) { return id.starts_with('S'); }

/// Servers by the first word of what their cards are called, "node018 HCA-1".
class IbImporter {
public:
    IbImporter(const std::string& file, const ImportOptions& options, IbFabric fabric)
        : file_(file), options_(options), fabric_(std::move(fabric)) {
        for (const auto& [id, node] : fabric_.nodes) sort(id, node);
        for (const auto& [host, cards] : cardsOf_) hosts_.push_back(host);
    }

    ImportedCluster import() {
        if (hosts_.empty())
            throw InputError(file_, "", "no network card in the text", "cards, such as \"H-0002c902\"");
        std::size_t gpus = 0;
        for (const std::string& host : hosts_) gpus += gpusOf(host);
        PlainCluster cluster(file_, options_, static_cast<int>(std::min<std::size_t>(gpus, 4097)), 1);
        addServers(cluster);
        addSwitches(cluster);
        addLinks(cluster);
        cluster.note(Kind::took, counted(hosts_.size(), "server") + ", " + counted(cards_, "network card") +
                                     " and " + counted(switches_.size(), "switch", "switches") +
                                     " of ibnetdiscover");
        if (left_ > 0)
            cluster.note(Kind::ignored, counted(left_, "node") +
                                            " of another kind: routers, and what aggregates in switches");
        if (options_.gpusPerServer <= 0)
            cluster.assume(
                {"ibnetdiscover does not say how many GPUs a server has; one for each of its network cards "
                 "was taken.",
                 "gpus_per_server", std::to_string(cardsOf_.at(hosts_.front()).size())});
        return std::move(cluster).finish();
    }

private:
    void sort(const std::string& id, const IbNode& node) {
        const bool aggregates = node.description.find("Aggregation Node") != std::string::npos;
        if (isSwitch(id)) {
            switches_.push_back(id);
        } else if (!id.starts_with('H') || aggregates) {
            ++left_;
        } else {
            // "MT23108 InfiniHost Mellanox Technologies" is what a card is called where no host named it.
            const auto words = wordsOf(node.description);
            const bool isNamed = words.size() == 2;
            cardsOf_[isNamed ? std::string(words[0]) : id].push_back(id);
            ++cards_;
        }
    }

    std::size_t gpusOf(const std::string& host) const {
        return options_.gpusPerServer > 0 ? static_cast<std::size_t>(options_.gpusPerServer)
                                          : cardsOf_.at(host).size();
    }

    void addServers(PlainCluster& cluster) {
        const int generation = options_.pcieGeneration > 0 ? options_.pcieGeneration : 4;
        const Rate lane = pcieRateOfGeneration(generation, options_.rates);
        if (options_.pcieGeneration <= 0)
            cluster.assume(
                {"ibnetdiscover says nothing of what is inside a server; GPUs and cards were put on one CPU "
                 "by "
                 "16 lanes of PCIe Gen 4.",
                 "pcie_generation", "4"});
        int device = 0;
        for (const std::string& host : hosts_) {
            const int first = device;
            for (std::size_t gpu = 0; gpu < gpusOf(host); ++gpu)
                cluster.rename(device++, host + "g" + std::to_string(gpu), host);
            const std::string cpu = cluster.addSwitch("cpu", first);
            for (int each = first; each < device; ++each)
                cluster.join(cluster.device(each), cpu, lane, 0, "pcie");
            int number = 0;
            for (const std::string& card : cardsOf_.at(host)) {
                idOf_[card] = cluster.addSwitch("nic" + std::to_string(number++), first);
                cluster.join(idOf_[card], cpu, lane, 0, "pcie");
            }
        }
    }

    /// "MF0;leaf-02:MQM9700/U1" is the switch leaf-02; one whose name others have too goes by its GUID.
    std::string nameOf(const std::string& id) const {
        std::string name = fabric_.nodes.at(id).description;
        if (const std::size_t mark = name.find(';'); mark != std::string::npos) name = name.substr(mark + 1);
        if (const std::size_t mark = name.find(':'); mark != std::string::npos) name = name.substr(0, mark);
        const auto isSame = [&](const std::string& other) {
            return fabric_.nodes.at(other).description == fabric_.nodes.at(id).description;
        };
        const bool isOwn = std::count_if(switches_.begin(), switches_.end(), isSame) == 1;
        return isOwn && !name.empty() ? name : "switch-" + id.substr(id.starts_with("S-") ? 2 : 0);
    }

    void addSwitches(PlainCluster& cluster) {
        for (const std::string& id : switches_) idOf_[id] = cluster.addNamedSwitch(nameOf(id));
    }

    /// Links between the same two are one of their sum.
    void addLinks(PlainCluster& cluster) {
        struct Bundle {
            double bps = 0;
            int count = 0;
            std::string speed;
        };
        std::map<std::pair<std::string, std::string>, Bundle> bundles;
        int unknown = 0;
        for (const IbLink& link : fabric_.links) {
            if (!idOf_.contains(link.a) || !idOf_.contains(link.b)) continue;
            Bundle& bundle = bundles[std::minmax(link.a, link.b)];
            bundle.bps += link.bps > 0 ? link.bps : usualBps;
            unknown += link.bps <= 0;
            ++bundle.count;
            bundle.speed = link.speed;
        }
        for (const auto& [ends, bundle] : bundles) {
            Rate rate{bundle.bps, counted(bundle.count, "link") + ", " + bundle.speed};
            const bool isCard = !isSwitch(ends.first) || !isSwitch(ends.second);
            if (options_.networkBps > 0 && isCard) rate = {options_.networkBps, "network, as chosen"};
            cluster.join(idOf_.at(ends.first), idOf_.at(ends.second), rate, options_.networkLatencyS,
                         "infiniband");
        }
        if (unknown > 0)
            cluster.assume({counted(unknown, "link has", "links have") +
                                " no width and speed that are known; 100 Gbit/s were taken for each.",
                            "", ""});
    }

    static constexpr double usualBps = 12.5 * gigabyte;
    const std::string& file_;
    const ImportOptions& options_;
    const IbFabric fabric_;
    std::map<std::string, std::vector<std::string>> cardsOf_;  ///< by host
    std::vector<std::string> hosts_, switches_;
    int cards_ = 0, left_ = 0;
    std::map<std::string, std::string> idOf_;  ///< in the cluster
};

}  // namespace

TopologyFormat ibNetDiscoverFormat() {
    return {.id = "ibnetdiscover",
            .name = "ibnetdiscover text",
            .suffix = "txt",
            .recognises =
                [](std::string_view text) {
                    const auto has = [text](std::string_view part) {
                        return text.find(part) != std::string_view::npos;
                    };
                    return (has("switchguid=0x") || has("caguid=0x")) && (has("\"S-") || has("\"H-"));
                },
            .readWhole =
                [](std::string_view text, const std::string& file, const ImportOptions& options) {
                    return IbImporter(file, options, IbReader(file).read(text)).import();
                }};
}

}  // namespace stagecraft::formats
