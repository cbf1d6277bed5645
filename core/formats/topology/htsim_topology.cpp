#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/topology/plain_cluster.h"
#include "core/formats/topology/topology_format.h"

#include <set>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

/// One tier's switches and the links below them.
struct Tier {
    double downGbps = 0;
    double latencyNs = 0;
    int radixDown = 0;
    int radixUp = 0;
    int bundle = 1;  ///< parallel links between two switches
};

struct ClosNetwork {
    int nodes = 0;
    int podSize = 0;
    std::vector<Tier> tiers;
};

class HtsimReader {
public:
    explicit HtsimReader(const std::string& file) : file_(file) {}

    const std::set<std::string>& ignored() const { return ignored_; }
    ClosNetwork read(std::string_view text) {
        int tierCount = 0, current = -1;
        for (const std::string_view line : linesOf(text)) {
            ++line_;
            const auto words = wordsOf(line.substr(0, line.find('#')));
            if (words.empty()) continue;
            if (words.size() != 2)
                fail("the line has " + counted(words.size(), "word"), "a name and a number");
            const std::string name = lettersAndDigits(words[0]);
            if (name == "nodes")
                network_.nodes = integer(words[1]);
            else if (name == "tiers")
                tierCount = integer(words[1]);
            else if (name == "podsize")
                network_.podSize = integer(words[1]);
            else if (name == "tier") {
                current = static_cast<int>(network_.tiers.size());
                network_.tiers.emplace_back();
                if (wholeInteger(words[1]) != current || current > 2)
                    fail("the tier is " + inQuotes(words[1]), "0, 1 and 2 in order");
            } else if (current < 0)
                fail("the name " + inQuotes(words[0]) + " is not known", "Nodes, Tiers, Podsize or Tier");
            else
                readField(network_.tiers.back(), name, words);
        }
        line_ = 0;
        if (tierCount < 2 || tierCount > 3 || network_.tiers.size() != static_cast<std::size_t>(tierCount))
            fail((network_.tiers.size() == 1 ? "there is " : "there are ") +
                     counted(network_.tiers.size(), "tier") + " and " + std::to_string(tierCount) +
                     " announced",
                 "2 or 3, and as many described");
        if (network_.nodes == 0) fail("the number of nodes is missing", "'Nodes' and a number");
        if (network_.podSize == 0) network_.podSize = network_.nodes;
        for (const Tier& tier : network_.tiers)
            if (tier.downGbps <= 0 || tier.radixDown == 0)
                fail("a tier has no downlink speed or radix", "both for each tier");
        return network_;
    }

private:
    void readField(Tier& tier, const std::string& name, const std::vector<std::string_view>& words) {
        if (name == "downlinkspeedgbps")
            tier.downGbps = number(words[1]);
        else if (name == "downlinklatencyns")
            tier.latencyNs = number(words[1]);
        else if (name == "radixdown")
            tier.radixDown = integer(words[1]);
        else if (name == "radixup")
            tier.radixUp = integer(words[1]);
        else if (name == "bundle")
            tier.bundle = integer(words[1]);
        else
            ignored_.insert(std::string(words[0]));
    }

    int integer(std::string_view word) const {
        constexpr int most = 1000000;
        const auto number = wholeInteger(word);
        if (!number || *number < 1 || *number > most)
            fail("found " + inQuotes(word), "a number from 1 to a million");
        return *number;
    }
    double number(std::string_view word) const {
        const auto number = wholeNumber(word);
        if (!number || *number < 0) fail("found " + inQuotes(word), "a number");
        return *number;
    }
    [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
        throw InputError(file_, line_ > 0 ? "line " + std::to_string(line_) : "", problem, expected);
    }

    const std::string& file_;
    int line_ = 0;
    ClosNetwork network_;
    std::set<std::string> ignored_;
};

/// Draws the tiers as htsim connects them: each top-of-rack switch to all aggregation switches of its pod,
/// and aggregation switch number a of every pod to the cores of number a modulo their number in a pod.
class ClosBuilder {
public:
    ClosBuilder(PlainCluster& cluster, const ClosNetwork& network, const std::string& file)
        : cluster_(cluster), network_(network), file_(file) {}

    void build() {
        const Tier& rack = network_.tiers[0];
        const int racksInPod =
            whole(network_.podSize, rack.radixDown, "nodes of a pod by Radix_Down of tier 0");
        const int pods = whole(network_.nodes, network_.podSize, "nodes by Podsize");
        const bool hasCores = network_.tiers.size() == 3;
        if (!hasCores && pods > 1) fail("two tiers do not join " + counted(pods, "pod"));
        const int aggregations =
            whole(rack.radixUp, network_.tiers[1].bundle, "Radix_Up of tier 0 by Bundle of tier 1");
        const std::vector<std::vector<std::string>> cores = addCores(hasCores ? aggregations : 0);
        for (int pod = 0; pod < pods; ++pod) {
            std::vector<std::string> above;
            for (int a = 0; a < aggregations; ++a) {
                above.push_back(cluster_.addSwitch("aggregation", -1));
                if (!hasCores) continue;
                for (const std::string& core : cores[static_cast<std::size_t>(a)])
                    join(above.back(), core, 2);
            }
            for (int r = 0; r < racksInPod; ++r) addRack(pod * racksInPod + r, above);
        }
    }

private:
    std::vector<std::vector<std::string>> addCores(int aggregations) {
        std::vector<std::vector<std::string>> cores(static_cast<std::size_t>(aggregations));
        for (std::vector<std::string>& group : cores) {
            const int each = whole(network_.tiers[1].radixUp, network_.tiers[2].bundle,
                                   "Radix_Up of tier 1 by Bundle of tier 2");
            for (int core = 0; core < each; ++core) group.push_back(cluster_.addSwitch("core", -1));
        }
        return cores;
    }

    void addRack(int rack, const std::vector<std::string>& above) {
        const std::string id = cluster_.addSwitch("rack", -1);
        const int nodes = network_.tiers[0].radixDown;
        for (int node = 0; node < nodes; ++node) join(cluster_.device(rack * nodes + node), id, 0);
        for (const std::string& aggregation : above) join(id, aggregation, 1);
    }

    void join(const std::string& below, const std::string& above, std::size_t tierIndex) {
        const Tier& tier = network_.tiers[tierIndex];
        constexpr double bytesPerGigabit = gigabyte / 8, nanosecond = 1e-9;
        const int links = tierIndex == 0 ? 1 : tier.bundle;
        std::string source = std::to_string(links) + " × " + formatNumber(tier.downGbps) + " Gbit/s, tier " +
                             std::to_string(tierIndex) + " of htsim";
        cluster_.join(below, above, {links * tier.downGbps * bytesPerGigabit, std::move(source)},
                      tier.latencyNs * nanosecond, "network");
    }

    int whole(int number, int divisor, const std::string& what) const {
        if (divisor < 1 || number < divisor || number % divisor != 0)
            fail(what + " is " + std::to_string(number) + " by " + std::to_string(divisor));
        return number / divisor;
    }
    [[noreturn]] void fail(const std::string& problem) const {
        throw InputError(file_, "", problem, "tiers that fit together");
    }

    PlainCluster& cluster_;
    const ClosNetwork& network_;
    const std::string& file_;
};

}  // namespace

ImportedCluster readHtsimTopology(std::string_view text, const std::string& file,
                                  const ImportOptions& options) {
    HtsimReader reader(file);
    const ClosNetwork network = reader.read(text);
    PlainCluster cluster(file, options, network.nodes, 1);
    ClosBuilder(cluster, network, file).build();
    cluster.note(Kind::took, counted(network.nodes, "node") + " of one GPU each, " +
                                 counted(network.tiers.size(), "tier") + " of switches");
    cluster.note(Kind::derived,
                 "bundled links between two switches are one link of their sum; a pair takes one of the "
                 "paths through the tiers");
    for (const std::string& field : reader.ignored())
        cluster.note(Kind::ignored, "the field " + inQuotes(field));
    return std::move(cluster).finish();
}

TopologyFormat htsimTopologyFormat() {
    return {.id = "htsim",
            .name = "htsim topology",
            .suffix = "topo",
            .recognises =
                [](std::string_view text) { return hasField(text, "Nodes") && hasField(text, "Tiers"); },
            .readWhole = readHtsimTopology};
}

}  // namespace stagecraft::formats
