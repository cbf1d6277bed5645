#include "core/generation/cluster_templates.h"

#include <locale>
#include <sstream>
#include <stdexcept>

namespace stagecraft {

namespace {

void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

std::string gbps(double bytesPerSecond) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << bytesPerSecond / bytesPerSecondOfGbps << " Gbps";
    return text.str();
}

std::string nameOf(const SwitchedClusterSpec& spec, double intraServerBps) {
    const std::string server = std::to_string(spec.gpusPerServer) + " " + spec.gpu.name + " on " +
                               gbps(intraServerBps) + " " + spec.intraServerKind;
    if (spec.servers == 1) return server;
    return std::to_string(spec.servers) + " servers of " + server + ", joined by " + gbps(spec.networkBps) +
           " " + spec.networkKind;
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

Cluster switchedCluster(const SwitchedClusterSpec& spec) {
    require(spec.servers >= 1 && spec.gpusPerServer >= 1,
            "a cluster needs at least one server and one GPU in it");
    const double intraServerBps = spec.intraServerBps == 0 ? spec.gpu.hostBandwidthBps : spec.intraServerBps;
    require(intraServerBps > 0, "the bandwidth inside a server must be greater than 0");
    require(spec.servers == 1 || spec.networkBps > 0, "the bandwidth between servers must be greater than 0");
    require(spec.networkLatencyS >= 0, "the latency between servers must not be negative");

    Cluster cluster;
    cluster.name = spec.name.empty() ? nameOf(spec, intraServerBps) : spec.name;
    const std::string network = "network";
    for (int server = 0; server < spec.servers; ++server) {
        const std::string hub = serverName(server) + "switch";
        cluster.switches.push_back({hub, serverName(server)});
        for (int index = 0; index < spec.gpusPerServer; ++index) {
            cluster.devices.push_back(deviceOf(spec.gpu, server, index));
            cluster.links.push_back(
                {cluster.devices.back().id, hub, intraServerBps, 0, spec.intraServerKind});
        }
        if (spec.servers > 1)
            cluster.links.push_back({hub, network, spec.networkBps, spec.networkLatencyS, spec.networkKind});
    }
    if (spec.servers > 1) cluster.switches.push_back({network, ""});
    return cluster;
}

Cluster dgx1Cluster() {
    constexpr double nvlinkBps = 25e9, pcieBps = 12e9;
    constexpr double socketBps = 10e9;  // what NCCL counts for the link between two Xeons
    struct Pair {
        int a, b, links;
    };
    // The connection matrix that the machine's own nvidia-smi prints.
    constexpr Pair pairs[] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1},
                              {1, 5, 2}, {2, 3, 2}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1},
                              {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
    constexpr int gpus = 8, gpusPerSwitch = 2, switchesPerSocket = 2;
    const Gpu& gpu = *findGpu("V100-SXM2-16GB");

    Cluster cluster;
    cluster.name =
        "DGX-1 with 8 V100 (hybrid cube mesh: NVLink 25 GB/s a link and way, PCIe 12 GB/s, sockets 10 GB/s)";
    for (int index = 0; index < gpus; ++index) cluster.devices.push_back(deviceOf(gpu, 0, index));
    for (const Pair& pair : pairs)
        cluster.links.push_back({cluster.devices[static_cast<std::size_t>(pair.a)].id,
                                 cluster.devices[static_cast<std::size_t>(pair.b)].id, pair.links * nvlinkBps,
                                 0, "nvlink"});
    for (int hub = 0; hub < gpus / gpusPerSwitch; ++hub) {
        const std::string id = "pcie" + std::to_string(hub);
        const std::string socket = "socket" + std::to_string(hub / switchesPerSocket);
        if (hub % switchesPerSocket == 0) cluster.switches.push_back({socket, serverName(0)});
        cluster.switches.push_back({id, serverName(0)});
        for (int port = 0; port < gpusPerSwitch; ++port)
            cluster.links.push_back({cluster.devices[static_cast<std::size_t>(hub * gpusPerSwitch + port)].id,
                                     id, pcieBps, 0, "pcie"});
        cluster.links.push_back({id, socket, pcieBps, 0, "pcie"});
    }
    cluster.links.push_back({"socket0", "socket1", socketBps, 0, "socket"});
    return cluster;
}

}  // namespace stagecraft
