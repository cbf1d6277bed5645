#include "core/generation/server_templates.h"

#include "core/base/quantity.h"
#include "core/base/spelling.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace stagecraft::generation {

namespace {

/// With more the window takes seconds for a step and gigabytes of memory.
constexpr int mostGpus = 131072;

void require(bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument(message);
}

/// Two appended pieces rather than a sum: GCC 12 warns falsely about the sum.
std::string numbered(std::string name, int number) { return name.append(std::to_string(number)); }

class ServerBuilder {
public:
    ServerBuilder(Cluster& cluster, const ServerSpec& spec, int server)
        : cluster_(cluster), spec_(spec), name_(serverName(server)), firstDevice_(cluster.devices.size()) {
        require(spec.gpus >= 1, "a server needs at least one GPU");
        require(spec.gpusPerSwitch >= 1 && spec.sockets >= 1,
                "a server needs a socket, and a PCIe switch at least one GPU");
        for (int index = 0; index < spec.gpus; ++index) {
            cluster_.devices.push_back(deviceOf(spec.gpu, server, index));
            cluster_.devices.back().speed = spec.speed;
            cluster_.devices.back().hostBandwidthBps = pcieBps();
        }
    }

    std::vector<std::string> addPcieTree() {
        const int hubs = (spec_.gpus + spec_.gpusPerSwitch - 1) / spec_.gpusPerSwitch;
        const int sockets = hubs == 1 ? 0 : std::min(spec_.sockets, hubs);
        for (int socket = 0; socket < sockets; ++socket) addSwitch(numbered("socket", socket));
        std::vector<std::string> cards;
        for (int hub = 0; hub < hubs; ++hub) {
            const std::string id = addSwitch(numbered("pcie", hub));
            const int first = hub * spec_.gpusPerSwitch;
            const int end = std::min(spec_.gpus, first + spec_.gpusPerSwitch);
            for (int gpu = first; gpu < end; ++gpu) join(device(gpu), id, pcieBps(), "pcie", pcieSource());
            for (int nic = 0; nic < spec_.nics.perSwitch; ++nic) {
                cards.push_back(addSwitch(numbered("nic", static_cast<int>(cards.size()))));
                join(cards.back(), id, pcieBps(), "pcie", pcieSource());
            }
            if (sockets)
                join(id, name_ + numbered("socket", hub * sockets / hubs), pcieBps(), "pcie", pcieSource());
        }
        for (int a = 0; a < sockets; ++a)
            for (int b = a + 1; b < sockets; ++b)
                join(name_ + numbered("socket", a), name_ + numbered("socket", b), spec_.socketBps, "socket",
                     "");
        if (cards.empty()) cards.push_back(name_ + (sockets ? "socket0" : "pcie0"));
        return cards;
    }

    void addNvlinks() {
        checkShape();
        switch (spec_.nvlink) {
            case NvlinkShape::none:
                return;
            case NvlinkShape::ring:
                return addRing();
            case NvlinkShape::cubeMesh:
                return addCubeMesh();
            case NvlinkShape::infinityFabric:
                return addMesh();
            case NvlinkShape::nvswitch:
                break;
        }
        const std::string id = addSwitch("nvswitch"), source = nvlinkSource(1);
        cluster_.switches.back().sums = spec_.switchSums;
        for (int gpu = 0; gpu < spec_.gpus; ++gpu) join(device(gpu), id, nvlinkBps(), "nvlink", source);
    }

private:
    /// What the catalogue knows of a GPU decides; of one that a person described nothing is known.
    void checkShape() const {
        const Gpu& gpu = spec_.gpu;
        if (gpu.architecture.empty() || spec_.nvlink == NvlinkShape::none) return;
        const bool isAmd = !isNvidia(gpu);
        const std::string instead = isAmd && gpu.nvlinks > 0 ? "; it has Infinity Fabric" : "";
        if (spec_.nvlink == NvlinkShape::infinityFabric)
            return require(isAmd && gpu.nvlinks > 0,
                           "Infinity Fabric joins GPUs of AMD, and " + gpu.name + " is none with such links");
        require(!isAmd && gpu.nvlinks > 0, withArticle(gpu.name) + " has no NVLink" + instead);
        if (spec_.nvlink == NvlinkShape::nvswitch)
            require(usesNvswitch(gpu),
                    "an NVSwitch joins SXM modules from the V100 on, and " + gpu.name + " is none");
        constexpr int linksOfCubeMesh = 6;
        if (spec_.nvlink == NvlinkShape::cubeMesh)
            require(gpu.nvlinks == linksOfCubeMesh,
                    "the hybrid cube mesh takes six NVLinks of each GPU, and " + withArticle(gpu.name) +
                        " has " + std::to_string(gpu.nvlinks));
    }

    void addMesh() {
        require(spec_.gpus >= 2, "Infinity Fabric joins at least two GPUs");
        const int others = spec_.gpus - 1;
        require(spec_.gpu.nvlinks == 0 || others <= spec_.gpu.nvlinks,
                "the " + std::to_string(spec_.gpu.nvlinks) + " links of a " + spec_.gpu.name +
                    " do not reach " + std::to_string(others) + " other GPUs");
        // Whole links: seven of an MI300X go to seven others, to three others two each.
        const int links = spec_.gpu.nvlinks / others;
        const double share =
            spec_.gpu.nvlinks > 0 ? static_cast<double>(links) / spec_.gpu.nvlinks : 1.0 / others;
        const std::string source = nvlinkSource(share);
        for (int a = 0; a < spec_.gpus; ++a)
            for (int b = a + 1; b < spec_.gpus; ++b)
                join(device(a), device(b), share * nvlinkBps(), "xgmi", source);
    }

    void addRing() {
        require(spec_.gpus >= 2, "a ring needs at least two GPUs");
        // The two directions of a ring of two are the same pair.
        const double share = spec_.gpus == 2 ? 1 : 0.5;
        const int links = spec_.gpus == 2 ? 1 : spec_.gpus;
        for (int gpu = 0; gpu < links; ++gpu)
            join(device(gpu), device((gpu + 1) % spec_.gpus), share * nvlinkBps(), "nvlink",
                 nvlinkSource(share));
    }

    void addCubeMesh() {
        struct Pair {
            int a, b, links;
        };
        // The connection matrix that the machine's own nvidia-smi prints.
        constexpr int linksOfGpu = 6;
        constexpr std::array<Pair, 16> pairs = {{{0, 1, 1},
                                                 {0, 2, 1},
                                                 {0, 3, 2},
                                                 {0, 4, 2},
                                                 {1, 2, 2},
                                                 {1, 3, 1},
                                                 {1, 5, 2},
                                                 {2, 3, 2},
                                                 {2, 6, 1},
                                                 {3, 7, 1},
                                                 {4, 5, 1},
                                                 {4, 6, 1},
                                                 {4, 7, 2},
                                                 {5, 6, 2},
                                                 {5, 7, 1},
                                                 {6, 7, 2}}};
        require(spec_.gpus == 8, "the hybrid cube mesh joins 8 GPUs");
        const double linkBps = nvlinkBps() / linksOfGpu;
        for (const Pair& pair : pairs)
            join(device(pair.a), device(pair.b), pair.links * linkBps, "nvlink",
                 spec_.nvlinkBps > 0
                     ? std::to_string(pair.links) + " × NVLink at " + exactText(Quantity::bandwidth, linkBps)
                     : nvlinkSource(static_cast<double>(pair.links) / linksOfGpu));
    }

    std::string addSwitch(const std::string& name) {
        cluster_.switches.push_back({name_ + name, name_});
        return name_ + name;
    }
    void join(const std::string& a, const std::string& b, double bandwidthBps, const std::string& kind,
              const std::string& source) {
        cluster_.links.push_back({a, b, bandwidthBps, 0, kind, source});
    }
    const std::string& device(int index) const {
        return cluster_.devices[firstDevice_ + static_cast<std::size_t>(index)].id;
    }

    double pcieBps() const {
        const double bps = spec_.pcieBps > 0 ? spec_.pcieBps : generation::pcieBps(spec_.gpu, spec_.rates);
        require(bps > 0, "nothing is known of the PCIe of '" + spec_.gpu.name + "'; give pcie_bandwidth");
        return bps;
    }
    std::string pcieSource() const {
        return spec_.pcieBps > 0 ? "" : generation::pcieSource(spec_.gpu, spec_.rates);
    }
    double nvlinkBps() const {
        const double bps =
            spec_.nvlinkBps > 0 ? spec_.nvlinkBps : spec_.gpu.nvlinks * linkBps(spec_.gpu, spec_.rates);
        require(bps > 0, "nothing is known of NVLinks of '" + spec_.gpu.name + "'; give nvlink_bandwidth");
        return bps;
    }
    std::string nvlinkSource(double share) const {
        return spec_.nvlinkBps > 0
                   ? ""
                   : generation::nvlinkSource(spec_.gpu, share * spec_.gpu.nvlinks, spec_.rates);
    }

    Cluster& cluster_;
    const ServerSpec& spec_;
    std::string name_;
    std::size_t firstDevice_;
};

std::string nameOf(const ServerSpec& server, const NetworkSpec& network) {
    constexpr const char* shapes[] = {" on PCIe", " in an NVLink ring", " in a hybrid cube mesh",
                                      " on NVSwitch", " on Infinity Fabric"};
    const std::string inside =
        std::to_string(server.gpus) + " " + server.gpu.name + shapes[static_cast<std::size_t>(server.nvlink)];
    if (network.servers == 1) return inside;
    const std::string joined = std::to_string(network.servers) + " servers of " + inside + ", ";
    const std::string rate = exactText(Quantity::bandwidth, network.serverBps) + " " + network.kind;
    switch (network.fabric) {
        case Fabric::oneSwitch:
            break;
        case Fabric::fatTree:
            return joined + "fat tree with oversubscription " +
                   exactText(Quantity::plain, network.oversubscription) + " : 1";
        case Fabric::rails:
            return joined + "rails of " + rate;
        case Fabric::torus:
            return joined + "torus of " + rate;
        case Fabric::dragonfly:
            return joined + "dragonfly of " + rate;
    }
    return joined + rate;
}

/// The network cards of a server.
using Cards = std::vector<std::string>;

/// What joins the cards of all servers, by server.
class FabricBuilder {
public:
    FabricBuilder(Cluster& cluster, const NetworkSpec& network, const std::vector<Cards>& cards,
                  std::string cardSource)
        : cluster_(cluster), network_(network), cards_(cards), cardSource_(std::move(cardSource)) {}

    void build() {
        switch (network_.fabric) {
            case Fabric::oneSwitch:
                addSwitch("network");
                for (const Cards& own : cards_)
                    for (const std::string& card : own) joinServer(card, "network");
                return;
            case Fabric::fatTree:
                return addFatTree();
            case Fabric::rails:
                return addRails();
            case Fabric::torus:
                return addTorus();
            case Fabric::dragonfly:
                return addDragonfly();
        }
    }

private:
    void addSwitch(const std::string& id) { cluster_.switches.push_back({id, ""}); }
    void joinServer(const std::string& card, const std::string& to) {
        cluster_.links.push_back(
            {card, to, network_.serverBps, network_.latencyS, network_.kind, cardSource_});
    }

    void addFatTree() {
        require(network_.serversPerLeaf >= 1, "a leaf needs at least one server");
        const int leaves = (network_.servers + network_.serversPerLeaf - 1) / network_.serversPerLeaf;
        for (int leaf = 0; leaf < leaves; ++leaf) addSwitch(numbered("leaf", leaf));
        for (int server = 0; server < network_.servers; ++server)
            for (const std::string& card : cards_[static_cast<std::size_t>(server)])
                joinServer(card, numbered("leaf", server / network_.serversPerLeaf));
        if (leaves > 1)
            addSpines("leaf", leaves, network_.serversPerLeaf * static_cast<int>(cards_.front().size()));
    }

    /// A server reaches its own rails alone; from one rail to another it is over a spine, or through the
    /// server.
    void addRails() {
        const int count = static_cast<int>(cards_.front().size());
        require(count > 1, "rails need several network cards in each server");
        for (int rail = 0; rail < count; ++rail) addSwitch(numbered("rail", rail));
        for (const Cards& own : cards_)
            for (int rail = 0; rail < count; ++rail)
                joinServer(own[static_cast<std::size_t>(rail)], numbered("rail", rail));
        addSpines("rail", count, network_.servers);
    }

    void addSpines(const char* below, int count, int portsBelow) {
        require(network_.oversubscription >= 1, "an oversubscription is 1 or more");
        require(network_.spines >= 1, "a network of two levels needs at least one spine");
        const double upBps = portsBelow * network_.serverBps / network_.oversubscription / network_.spines;
        const std::string source =
            std::to_string(portsBelow) + " × " + exactText(Quantity::bandwidth, network_.serverBps) +
            ", oversubscribed " + exactText(Quantity::plain, network_.oversubscription) + " : 1, over " +
            std::to_string(network_.spines) + (network_.spines == 1 ? " spine" : " spines");
        for (int spine = 0; spine < network_.spines; ++spine) {
            const std::string id = numbered("spine", spine);
            addSwitch(id);
            for (int each = 0; each < count; ++each)
                cluster_.links.push_back(
                    {numbered(below, each), id, upBps, network_.latencyS, network_.kind, source});
        }
    }

    void addTorus() {
        int places = 1;
        for (const int side : network_.sides) {
            require(side >= 1, "each side of a torus has at least one server");
            places *= side;
        }
        require(places == network_.servers, "the sides of a torus multiply to its servers");
        int stride = 1;
        for (const int side : network_.sides) {
            for (int server = 0; server < network_.servers; ++server) {
                const int at = server / stride % side, next = (at + 1) % side;
                // The way around a ring of two is the way there.
                if (side == 1 || (side == 2 && next < at)) continue;
                const Cards &own = cards_[static_cast<std::size_t>(server)],
                            &other = cards_[static_cast<std::size_t>(server + (next - at) * stride)];
                for (std::size_t card = 0; card < own.size(); ++card) joinServer(own[card], other[card]);
            }
            stride *= side;
        }
    }

    void addDragonfly() {
        const int routers = network_.routersPerGroup;
        require(network_.groups >= 1 && routers >= 1 && network_.serversPerRouter >= 1,
                "a dragonfly needs groups of routers with servers");
        const auto router = [](int group, int index) {
            return numbered(numbered("group", group) + "router", index);
        };
        const auto joinRouters = [&](const std::string& a, const std::string& b) {
            cluster_.links.push_back({a, b, network_.serverBps, network_.latencyS, network_.kind, ""});
        };
        int server = 0;
        for (int group = 0; group < network_.groups; ++group)
            for (int index = 0; index < routers; ++index) {
                addSwitch(router(group, index));
                for (int each = 0; each < network_.serversPerRouter; ++each, ++server)
                    for (const std::string& card : cards_[static_cast<std::size_t>(server)])
                        joinServer(card, router(group, index));
            }
        for (int group = 0; group < network_.groups; ++group)
            for (int a = 0; a < routers; ++a)
                for (int b = a + 1; b < routers; ++b) joinRouters(router(group, a), router(group, b));
        // The routers of a group take the links to the other groups in turn.
        for (int a = 0; a < network_.groups; ++a)
            for (int b = a + 1; b < network_.groups; ++b)
                joinRouters(router(a, (b - 1) % routers), router(b, a % routers));
    }

    Cluster& cluster_;
    const NetworkSpec& network_;
    const std::vector<Cards>& cards_;
    std::string cardSource_;
};

}  // namespace

std::string pcieSource(const Gpu& gpu, LinkRates rates) {
    const std::string what = "PCIe of " + gpu.name + ", ";
    return rates == LinkRates::reached
               ? what + "as NCCL counts it"
               : what + "data sheet; " + exactText(Quantity::bandwidth, pcieBps(gpu, LinkRates::reached)) +
                     " as NCCL counts it";
}

std::string nvlinkSource(const Gpu& gpu, double links, LinkRates rates) {
    const LinkTechnology* technology = linkTechnologyOf(gpu);
    if (!technology) return "";
    const bool isXgmi = !isNvidia(gpu);
    const auto text = [](double bps) { return exactText(Quantity::bandwidth, bps); };
    const std::string what = exactText(Quantity::plain, links) + (isXgmi ? " × xGMI at " : " × NVLink at ") +
                             text(technology->bps(rates)) + ", " + gpu.name + ", ";
    const std::string counted = std::string("as ") + (isXgmi ? "RCCL" : "NCCL") + " counts it";
    if (!(technology->dataSheetBps > 0)) return what + counted + "; no data sheet gives a rate";
    return rates == LinkRates::reached
               ? what + counted + "; " + text(technology->dataSheetBps) + " per link on the data sheet"
               : what + "data sheet; " + text(technology->reachedBps) + " per link " + counted;
}

std::string serverName(int server) { return std::string(1, 's').append(std::to_string(server)); }

Device deviceOf(const Gpu& gpu, int server, int index) {
    return {.id = serverName(server).append(1, 'g').append(std::to_string(index)),
            .server = serverName(server),
            .gpu = gpu.name,
            .memoryBytes = gpu.memoryBytes,
            .speed = 1,
            .hostBandwidthBps = gpu.hostBandwidthBps};
}

std::vector<std::string> addServer(Cluster& cluster, const ServerSpec& spec, int server) {
    ServerBuilder builder(cluster, spec, server);
    std::vector<std::string> cards = builder.addPcieTree();
    builder.addNvlinks();
    return cards;
}

Cluster serversOnNetwork(const ServerSpec& server, const NetworkSpec& network) {
    require(network.servers >= 1, "a cluster needs at least one server");
    require(server.gpus <= mostGpus / network.servers,
            "a template makes at most " + std::to_string(mostGpus) + " GPUs");
    require(network.servers == 1 || network.serverBps > 0,
            "the bandwidth between servers must be greater than 0");
    Cluster cluster;
    cluster.name = nameOf(server, network);
    std::vector<Cards> cards;
    for (int number = 0; number < network.servers; ++number)
        cards.push_back(addServer(cluster, server, number));
    if (network.servers > 1)
        FabricBuilder(cluster, network, cards,
                      server.nics.model.empty() ? "" : server.nics.model + ", as its data sheet has it")
            .build();
    return cluster;
}

}  // namespace stagecraft::generation
