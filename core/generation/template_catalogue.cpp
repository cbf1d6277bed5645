#include "core/generation/template_catalogue.h"

#include "core/base/spelling.h"
#include "core/generation/cluster_templates.h"
#include "core/generation/machines.h"
#include "core/generation/server_templates.h"
#include "core/generation/template_parameters.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace stagecraft::generation {

namespace {

constexpr double gbps = bytesPerSecondOfGbps;
constexpr double mostBytes = 1e15;

// What more parameters are called.
constexpr char gpuName[] = "gpu", memoryName[] = "memory", gpusName[] = "gpus", pcieName[] = "pcie_bandwidth",
               nvlinkName[] = "nvlink_bandwidth", socketName[] = "socket_bandwidth",
               perSwitchName[] = "gpus_per_switch", socketsName[] = "sockets",
               perServerName[] = "gpus_per_server", insideName[] = "inside", kindName[] = "network_kind",
               seedName[] = "seed", groupsName[] = "groups", routersName[] = "routers_per_group",
               perRouterName[] = "servers_per_router";
constexpr const char* sideNames[] = {"x", "y", "z"};

using Parameters = std::vector<Parameter>;

Parameters operator+(Parameters a, const Parameters& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

bool isAnyGpu(const Gpu&) { return true; }
bool hasNvlink(const Gpu& gpu) { return isNvidia(gpu) && gpu.nvlinks > 0; }
bool fillsCubeMesh(const Gpu& gpu) { return isNvidia(gpu) && gpu.nvlinks == 6; }
bool hasInfinityFabric(const Gpu& gpu) { return !isNvidia(gpu) && gpu.nvlinks > 0; }

/// Those that a template is for.
std::vector<std::string> catalogueNames(bool (*fits)(const Gpu&) = isAnyGpu) {
    std::vector<std::string> names;
    for (const Gpu& gpu : gpuCatalogue())
        if (fits(gpu)) names.push_back(gpu.name);
    return names;
}

Parameters gpuParameters(const char* usual, bool (*fits)(const Gpu&) = isAnyGpu) {
    Parameter type =
        choice(gpuName, "GPU", "A type of the catalogue, or a custom one", usual, catalogueNames(fits));
    type.othersToo = true;
    return {type,
            quantity(memoryName, "Memory (0: its own)", "Of each GPU; 0: as the catalogue says", 0,
                     Quantity::bytes, mostBytes),
            speedParameter(), ratesParameter()};
}

Gpu gpuFrom(const ParameterValues& values) {
    const std::string& name = std::get<std::string>(values.at(gpuName));
    const double memory = valueOf<double>(values, memoryName);
    if (const Gpu* known = findGpu(name)) {
        Gpu gpu = *known;
        if (memory > 0) gpu.memoryBytes = memory;
        return gpu;
    }
    if (name.empty()) throw std::invalid_argument("the GPU has no name");
    if (memory == 0)
        throw std::invalid_argument("the catalogue has no GPU '" + name + "'" +
                                    spellingHint(name, catalogueNames()) + "; a custom GPU needs its memory");
    return ownGpu(name, memory);
}

Parameters pcieParameters() {
    return {bandwidth(pcieName, "PCIe (0: its own)", "Of each GPU's link; 0: as the catalogue says", 0)};
}

Parameters treeParameters(int gpusPerSwitch) {
    return pcieParameters() +
           Parameters{countParameter(perSwitchName, "GPUs per PCIe switch", "Below each PCIe switch",
                                     gpusPerSwitch, 64),
                      countParameter(socketsName, "Sockets",
                                     "To which the PCIe switches are attached, if there are several", 2, 8),
                      bandwidth(socketName, "Between sockets", "Of the link between two sockets", 10e9)};
}

Parameters nvlinkParameters() {
    return {bandwidth(nvlinkName, "NVLink (0: its own)",
                      "All NVLinks of a GPU together, one way; 0: as the catalogue says", 0)};
}

Parameters gpuCount(int usual) { return {countParameter(gpusName, "GPUs", "In the server", usual, 64)}; }

/// What is there of it; the rest of the specification stays as it is.
void readServer(ServerSpec& spec, const ParameterValues& values) {
    spec.gpu = gpuFrom(values);
    spec.speed = valueOf<double>(values, speedName);
    spec.rates = ratesFrom(values);
    spec.pcieBps = valueOf<double>(values, pcieName);
    if (values.contains(gpusName)) spec.gpus = valueOf<int>(values, gpusName);
    if (values.contains(nvlinkName)) spec.nvlinkBps = valueOf<double>(values, nvlinkName);
    if (!values.contains(perSwitchName)) return;
    spec.gpusPerSwitch = valueOf<int>(values, perSwitchName);
    spec.sockets = valueOf<int>(values, socketsName);
    spec.socketBps = valueOf<double>(values, socketName);
}

ClusterTemplate serverTemplate(const char* id, const char* title, const char* description,
                               const ServerSpec& usual, const Parameters& parameters) {
    return {id, title, description, parameters, [usual](const ParameterValues& values) {
                ServerSpec spec = usual;
                readServer(spec, values);
                return serversOnNetwork(spec, {});
            }};
}

constexpr char insidePcie[] = "pcie", insideRing[] = "nvlink-ring", insideMesh[] = "cube-mesh",
               insideNvswitch[] = "nvswitch", insideFabric[] = "infinity-fabric";

/// Whose number follows from the network's shape.
Parameters joinedServers(int gpusPerServer) {
    return Parameters{
               countParameter(perServerName, "GPUs per server", "In each", gpusPerServer, 64),
               choice(insideName, "Inside", "What joins the GPUs of a server; the cube mesh takes 8",
                      insidePcie, {insidePcie, insideRing, insideMesh, insideNvswitch, insideFabric})} +
           gpuParameters("V100-SXM2-16GB") + pcieParameters() + nvlinkParameters() +
           Parameters{
               bandwidth(networkName, "Network", "Of each server's link", 100 * gbps), latencyParameter(),
               choice(kindName, "Kind", "Of the network", "ethernet", {"ethernet", "infiniband", "rdma"})};
}

Parameters manyServers(int servers, int gpusPerServer) {
    return Parameters{countParameter(serversName, "Servers", "How many", servers, 16384)} +
           joinedServers(gpusPerServer);
}

ServerSpec manyServersSpec(const ParameterValues& values) {
    const std::string& inside = std::get<std::string>(values.at(insideName));
    ServerSpec spec;
    spec.gpus = valueOf<int>(values, perServerName);
    if (inside == insideRing) spec.nvlink = NvlinkShape::ring;
    if (inside == insideNvswitch) spec.nvlink = NvlinkShape::nvswitch;
    if (inside == insideFabric) spec.nvlink = NvlinkShape::infinityFabric;
    if (inside == insideMesh) {
        spec.nvlink = NvlinkShape::cubeMesh;
        spec.gpusPerSwitch = 2;
        spec.sockets = 2;
    }
    readServer(spec, values);
    return spec;
}

NetworkSpec networkFrom(const ParameterValues& values) {
    NetworkSpec spec;
    if (values.contains(serversName)) spec.servers = valueOf<int>(values, serversName);
    spec.serverBps = valueOf<double>(values, networkName);
    spec.latencyS = valueOf<double>(values, latencyName);
    spec.kind = valueOf<std::string>(values, kindName);
    if (!values.contains(perLeafName)) return spec;
    spec.fabric = Fabric::fatTree;
    spec.serversPerLeaf = valueOf<int>(values, perLeafName);
    spec.spines = valueOf<int>(values, spinesName);
    spec.oversubscription = valueOf<double>(values, oversubscriptionName);
    return spec;
}

Cluster torusFrom(const ParameterValues& values) {
    NetworkSpec network = networkFrom(values);
    network.fabric = Fabric::torus;
    for (const char* side : sideNames) {
        network.sides.push_back(valueOf<int>(values, side));
        network.servers *= network.sides.back();
    }
    return serversOnNetwork(manyServersSpec(values), network);
}

Cluster dragonflyFrom(const ParameterValues& values) {
    NetworkSpec network = networkFrom(values);
    network.fabric = Fabric::dragonfly;
    network.groups = valueOf<int>(values, groupsName);
    network.routersPerGroup = valueOf<int>(values, routersName);
    network.serversPerRouter = valueOf<int>(values, perRouterName);
    network.servers = network.groups * network.routersPerGroup * network.serversPerRouter;
    return serversOnNetwork(manyServersSpec(values), network);
}

Parameter seedParameter() { return {seedName, "Seed", "Of the bandwidths that are drawn", 1, 0, 1e9}; }

std::uint64_t seedFrom(const ParameterValues& values) {
    return static_cast<std::uint64_t>(valueOf<int>(values, seedName));
}

/// A complete graph has a link for each pair.
constexpr int mostRandomServers = 256, mostRandomGpus = 2048;

/// Bandwidths between GPUs are drawn, those to the host are the GPUs' own.
Cluster withHostRates(Cluster cluster, LinkRates rates) {
    for (Device& device : cluster.devices)
        if (const Gpu* gpu = findGpu(device.gpu)) device.hostBandwidthBps = pcieBps(*gpu, rates);
    return cluster;
}

Cluster randomFrom(const ParameterValues& values) {
    const auto range = [&](const char* least, const char* most) {
        return BandwidthRange{valueOf<double>(values, least), valueOf<double>(values, most)};
    };
    const int servers = valueOf<int>(values, serversName), gpus = valueOf<int>(values, perServerName);
    if (servers * gpus > mostRandomGpus)
        throw std::invalid_argument("a random cluster has at most " + std::to_string(mostRandomGpus) +
                                    " GPUs, since each pair has a link");
    Cluster cluster =
        randomCluster({.groups = {{servers, gpus, range("inside_least", "inside_most"), "pcie"}},
                       .interServer = range("network_least", "network_most"),
                       .gpu = gpuFrom(values),
                       .seed = seedFrom(values)});
    for (Device& device : cluster.devices) device.speed = valueOf<double>(values, speedName);
    return withHostRates(std::move(cluster), ratesFrom(values));
}

std::vector<ClusterTemplate> singleServers() {
    return {
        serverTemplate("pcie", "Server with PCIe", "GPUs on PCIe switches, and these on sockets.", {},
                       gpuCount(4) + gpuParameters("V100-PCIe-16GB") + treeParameters(4)),
        serverTemplate(
            "nvlink-ring", "Server with an NVLink ring",
            "Each GPU has half of its NVLinks to the next GPU and half to the one before; the others "
            "are reached over PCIe.",
            {.nvlink = NvlinkShape::ring},
            gpuCount(4) + gpuParameters("V100-SXM2-16GB", hasNvlink) + nvlinkParameters() +
                treeParameters(4)),
        serverTemplate(
            "dgx1", "DGX-1: hybrid cube mesh of 8 GPUs",
            "Six NVLinks per GPU, one or two to each of four others; PCIe switches of two GPUs and two "
            "sockets beneath.",
            {.gpus = 8, .nvlink = NvlinkShape::cubeMesh},
            gpuParameters("V100-SXM2-16GB", fillsCubeMesh) + nvlinkParameters() + treeParameters(2)),
        serverTemplate("nvswitch", "Server with NVSwitch",
                       "Every GPU reaches every other with all of its NVLinks; PCIe beneath.",
                       {.nvlink = NvlinkShape::nvswitch},
                       gpuCount(8) + gpuParameters("A100-SXM4-80GB", usesNvswitch) + nvlinkParameters() +
                           treeParameters(4)),
        serverTemplate("infinity-fabric", "Server with Infinity Fabric",
                       "GPUs of AMD: each has a link to each other, and PCIe beneath.",
                       {.nvlink = NvlinkShape::infinityFabric},
                       gpuCount(8) + gpuParameters("MI300X-192GB", hasInfinityFabric) + nvlinkParameters() +
                           treeParameters(4)),
    };
}

std::vector<ClusterTemplate> networks() {
    const auto make = [](const ParameterValues& values) {
        return serversOnNetwork(manyServersSpec(values), networkFrom(values));
    };
    const Parameters sides = {countParameter(sideNames[0], "Servers along x", "Of the torus", 4, 256),
                              countParameter(sideNames[1], "Servers along y", "Of the torus", 4, 256),
                              countParameter(sideNames[2], "Servers along z", "Of the torus", 1, 256)};
    const Parameters dragonfly = {
        countParameter(groupsName, "Groups", "Of routers", 4, 64),
        countParameter(routersName, "Routers per group", "Each with a link to each", 4, 64),
        countParameter(perRouterName, "Servers per router", "On each router", 2, 64)};
    const Parameters tree = {perLeafParameter(), spinesParameter(), oversubscriptionParameter()};
    return {
        {"switched", "Servers on one switch", "Equal servers, each with a link to one network switch.",
         manyServers(4, 4), make},
        {"fat-tree", "Fat tree of two levels",
         "Equal servers below leaf switches, and these below spines. A path between two leaves takes one "
         "spine, so that its bandwidth is that of one link up at most.",
         manyServers(16, 8) + tree, make},
        {"torus", "Torus of servers",
         "Each server has a link to the next along each dimension, and the last to the first: no switch. A "
         "side of 1 leaves a dimension out.",
         joinedServers(4) + sides, torusFrom},
        {"dragonfly", "Dragonfly",
         "Servers on routers; the routers of a group are joined all to all, and so are the groups, by one "
         "link "
         "for each two of them.",
         joinedServers(4) + dragonfly, dragonflyFrom}};
}

std::vector<ClusterTemplate> randomOnes() {
    return {
        {"random", "Random cluster",
         "A link for each pair of GPUs: one bandwidth is drawn for each server and one for each pair of "
         "servers, in steps of 0.1 Gbit/s.",
         Parameters{countParameter(serversName, "Servers", "How many", 8, mostRandomServers),
                    countParameter(perServerName, "GPUs per server", "In each", 4, 64)} +
             gpuParameters("V100-SXM2-16GB") +
             Parameters{bandwidth("inside_least", "Inside, from", "Of a server, at least", 96 * gbps),
                        bandwidth("inside_most", "Inside, to", "Of a server, at most", 200 * gbps),
                        bandwidth("network_least", "Between, from", "Of two servers, at least", 32 * gbps),
                        bandwidth("network_most", "Between, to", "Of two servers, at most", 40 * gbps),
                        seedParameter()},
         randomFrom},
        {"spp",
         "Random cluster of the SPP paper",
         "8 servers of 4 V100: 3 with PCIe of 96 to 128 Gbit/s, 5 with NVLink of 160 to 200, and 32 to 40 "
         "between servers (Luo et al., INFOCOM 2022, Sec. V-B).",
         {seedParameter(), ratesParameter()},
         [](const ParameterValues& values) {
             return withHostRates(randomCluster(sppDefaultCluster(seedFrom(values))), ratesFrom(values));
         }},
        {"spp-mixed",
         "Random cluster of the SPP paper, [6×2, 3×4, 1×8]",
         "6 servers of 2 V100 on PCIe, 3 of 4 and 1 of 8 on NVLink, with the ranges of Sec. V-B (Fig. 7 of "
         "the same paper).",
         {seedParameter(), ratesParameter()},
         [](const ParameterValues& values) {
             return withHostRates(randomCluster(sppMixedCluster(seedFrom(values))), ratesFrom(values));
         }}};
}

}  // namespace

const std::vector<ClusterTemplate>& clusterTemplates() {
    static const std::vector<ClusterTemplate> all = [] {
        std::vector<ClusterTemplate> list = namedMachines();
        for (const std::vector<ClusterTemplate>& more : {singleServers(), networks(), randomOnes()})
            list.insert(list.end(), more.begin(), more.end());
        return list;
    }();
    return all;
}

std::vector<ClusterTemplate> rackServers() {
    std::vector<ClusterTemplate> servers = namedMachines();
    std::erase_if(servers, [](const ClusterTemplate& machine) {
        return std::none_of(machine.parameters.begin(), machine.parameters.end(),
                            [](const Parameter& each) { return each.name == serversName; });
    });
    ClusterTemplate plain = *findClusterTemplate("switched");
    plain.title = "Plain server";
    plain.description = "4 GPUs on a PCIe switch, and a link of 100 Gbit/s to the network.";
    servers.push_back(std::move(plain));
    return servers;
}

Cluster rackOf(const ClusterTemplate& server, int servers) {
    if (servers < 2) throw std::invalid_argument("a rack needs at least two servers");
    ParameterValues values = defaultValues(server.parameters);
    values[serversName] = servers;
    Cluster rack = server.make(values);
    rack.name = "Rack of " + std::to_string(servers) + " × " + server.title;
    std::string& id = rack.switches.back().id;
    const std::string before = std::exchange(id, "tor");
    for (Link& link : rack.links)
        for (std::string* end : {&link.a, &link.b})
            if (*end == before) *end = id;
    return rack;
}

const ClusterTemplate* findClusterTemplate(const std::string& id) {
    const auto& all = clusterTemplates();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ClusterTemplate& each) { return each.id == id; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace stagecraft::generation
