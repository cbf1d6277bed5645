#include "core/generation/server_templates.h"

#include "core/base/quantity.h"

#include <array>
#include <stdexcept>

namespace stagecraft::generation {

namespace {

/// A window cannot work with more, and a matrix of all pairs would take 32 GiB.
constexpr int mostGpus = 65536;

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

    std::string addPcieTree() {
        const int hubs = (spec_.gpus + spec_.gpusPerSwitch - 1) / spec_.gpusPerSwitch;
        const int sockets = hubs == 1 ? 0 : std::min(spec_.sockets, hubs);
        for (int socket = 0; socket < sockets; ++socket) addSwitch(numbered("socket", socket));
        for (int hub = 0; hub < hubs; ++hub) {
            const std::string id = addSwitch(numbered("pcie", hub));
            const int first = hub * spec_.gpusPerSwitch;
            const int end = std::min(spec_.gpus, first + spec_.gpusPerSwitch);
            for (int gpu = first; gpu < end; ++gpu) join(device(gpu), id, pcieBps(), "pcie", pcieSource());
            if (sockets)
                join(id, name_ + numbered("socket", hub * sockets / hubs), pcieBps(), "pcie", pcieSource());
        }
        for (int a = 0; a < sockets; ++a)
            for (int b = a + 1; b < sockets; ++b)
                join(name_ + numbered("socket", a), name_ + numbered("socket", b), spec_.socketBps, "socket",
                     "");
        return name_ + (sockets ? "socket0" : "pcie0");
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
        const std::string id = addSwitch("nvswitch");
        for (int gpu = 0; gpu < spec_.gpus; ++gpu)
            join(device(gpu), id, nvlinkBps(), "nvlink", nvlinkSource(1));
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
        require(!isAmd && gpu.nvlinks > 0, "a " + gpu.name + " has no NVLink" + instead);
        if (spec_.nvlink == NvlinkShape::nvswitch)
            require(usesNvswitch(gpu),
                    "an NVSwitch joins SXM modules from the V100 on, and " + gpu.name + " is none");
        constexpr int linksOfCubeMesh = 6;
        if (spec_.nvlink == NvlinkShape::cubeMesh)
            require(gpu.nvlinks == linksOfCubeMesh,
                    "the hybrid cube mesh takes six NVLinks of each GPU, and a " + gpu.name + " has " +
                        std::to_string(gpu.nvlinks));
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
        for (int a = 0; a < spec_.gpus; ++a)
            for (int b = a + 1; b < spec_.gpus; ++b)
                join(device(a), device(b), share * nvlinkBps(), "xgmi", nvlinkSource(share));
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
        const double bps = spec_.pcieBps > 0 ? spec_.pcieBps : spec_.gpu.hostBandwidthBps;
        require(bps > 0, "nothing is known of the PCIe of '" + spec_.gpu.name + "'; give pcie_bandwidth");
        return bps;
    }
    std::string pcieSource() const {
        return spec_.pcieBps > 0 ? "" : "PCIe of " + spec_.gpu.name + ", as NCCL counts it";
    }
    double nvlinkBps() const {
        const double bps =
            spec_.nvlinkBps > 0 ? spec_.nvlinkBps : spec_.gpu.nvlinks * reachedLinkBps(spec_.gpu);
        require(bps > 0, "nothing is known of NVLinks of '" + spec_.gpu.name + "'; give nvlink_bandwidth");
        return bps;
    }
    std::string nvlinkSource(double share) const {
        const Gpu& gpu = spec_.gpu;
        if (spec_.nvlinkBps > 0 || gpu.nvlinks == 0) return "";
        const bool isXgmi = !isNvidia(gpu);
        return exactText(Quantity::plain, share * gpu.nvlinks) + (isXgmi ? " × xGMI at " : " × NVLink at ") +
               exactText(Quantity::bandwidth, reachedLinkBps(gpu)) + ", " + gpu.name + ", as " +
               (isXgmi ? "RCCL" : "NCCL") + " counts it; " +
               exactText(Quantity::bandwidth, gpu.nvlinkBps / gpu.nvlinks) + " per link on the data sheet";
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
    if (network.serversPerLeaf == 0)
        return joined + exactText(Quantity::bandwidth, network.serverBps) + " " + network.kind;
    return joined + "fat tree with oversubscription " + exactText(Quantity::plain, network.oversubscription) +
           " : 1";
}

void addFatTree(Cluster& cluster, const NetworkSpec& network, const std::vector<std::string>& cards) {
    require(network.oversubscription >= 1, "an oversubscription is 1 or more");
    require(network.spines >= 1, "a fat tree needs at least one spine");
    const int leaves = (network.servers + network.serversPerLeaf - 1) / network.serversPerLeaf;
    for (int leaf = 0; leaf < leaves; ++leaf) cluster.switches.push_back({numbered("leaf", leaf), ""});
    for (int server = 0; server < network.servers; ++server)
        cluster.links.push_back({cards[static_cast<std::size_t>(server)],
                                 numbered("leaf", server / network.serversPerLeaf), network.serverBps,
                                 network.latencyS, network.kind});
    if (leaves == 1) return;
    const double upBps =
        network.serversPerLeaf * network.serverBps / network.oversubscription / network.spines;
    const std::string source = std::to_string(network.serversPerLeaf) + " × " +
                               exactText(Quantity::bandwidth, network.serverBps) + ", oversubscribed " +
                               exactText(Quantity::plain, network.oversubscription) + " : 1, over " +
                               std::to_string(network.spines) + " spines";
    for (int spine = 0; spine < network.spines; ++spine) {
        const std::string id = numbered("spine", spine);
        cluster.switches.push_back({id, ""});
        for (int leaf = 0; leaf < leaves; ++leaf)
            cluster.links.push_back(
                {numbered("leaf", leaf), id, upBps, network.latencyS, network.kind, source});
    }
}

}  // namespace

std::string serverName(int server) { return std::string(1, 's').append(std::to_string(server)); }

Device deviceOf(const Gpu& gpu, int server, int index) {
    return {.id = serverName(server).append(1, 'g').append(std::to_string(index)),
            .server = serverName(server),
            .gpu = gpu.name,
            .memoryBytes = gpu.memoryBytes,
            .speed = 1,
            .hostBandwidthBps = gpu.hostBandwidthBps};
}

std::string addServer(Cluster& cluster, const ServerSpec& spec, int server) {
    ServerBuilder builder(cluster, spec, server);
    const std::string card = builder.addPcieTree();
    builder.addNvlinks();
    return card;
}

Cluster serversOnNetwork(const ServerSpec& server, const NetworkSpec& network) {
    require(network.servers >= 1, "a cluster needs at least one server");
    require(server.gpus <= mostGpus / network.servers,
            "a template makes at most " + std::to_string(mostGpus) + " GPUs");
    require(network.servers == 1 || network.serverBps > 0,
            "the bandwidth between servers must be greater than 0");
    Cluster cluster;
    cluster.name = nameOf(server, network);
    std::vector<std::string> cards;
    for (int number = 0; number < network.servers; ++number)
        cards.push_back(addServer(cluster, server, number));
    if (network.servers == 1) return cluster;
    if (network.serversPerLeaf > 0) {
        addFatTree(cluster, network, cards);
        return cluster;
    }
    cluster.switches.push_back({"network", ""});
    for (const std::string& card : cards)
        cluster.links.push_back({card, "network", network.serverBps, network.latencyS, network.kind});
    return cluster;
}

}  // namespace stagecraft::generation
