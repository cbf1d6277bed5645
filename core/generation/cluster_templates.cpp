#include "core/generation/cluster_templates.h"

#include "core/generation/server_templates.h"

#include <locale>
#include <sstream>
#include <stdexcept>

namespace stagecraft::generation {

namespace {

void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

std::string gbpsText(double bytesPerSecond) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << bytesPerSecond / bytesPerSecondOfGbps << " Gbps";
    return text.str();
}

std::string nameOf(const SwitchedClusterSpec& spec, double intraServerBps) {
    const std::string server = std::to_string(spec.gpusPerServer) + " " + spec.gpu.name + " on " +
                               gbpsText(intraServerBps) + " " + spec.intraServerKind;
    if (spec.servers == 1) return server;
    return std::to_string(spec.servers) + " servers of " + server + ", joined by " +
           gbpsText(spec.networkBps) + " " + spec.networkKind;
}

}  // namespace

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
    Cluster cluster = serversOnNetwork({.gpu = *findGpu("V100-SXM2-16GB"),
                                        .gpus = 8,
                                        .nvlink = NvlinkShape::cubeMesh,
                                        .gpusPerSwitch = 2,
                                        .sockets = 2},
                                       {});
    cluster.name =
        "DGX-1 with 8 V100 (hybrid cube mesh: NVLink 20 GB/s per link and direction, PCIe 12 GB/s, sockets "
        "10 GB/s)";
    return cluster;
}

}  // namespace stagecraft::generation
