#include "views/topology/link_defaults.h"

#include "core/editing/cluster_edit.h"
#include "core/generation/gpu_catalogue.h"
#include "views/topology/server_layout.h"

namespace stagecraft::views {
namespace {

constexpr double pcieBps = 12e9;
/// What transfers reach on one NVLink of a V100 or an A100; data sheets say 25.
constexpr double nvlinkBps = 20e9;
constexpr double ethernetBps = 12.5e9;
constexpr int gpusOfServer = 4;

const std::string& idOf(const Cluster& cluster, ClusterNode node) {
    const auto i = static_cast<std::size_t>(node.index);
    return node.kind == ClusterNode::Kind::device ? cluster.devices[i].id : cluster.switches[i].id;
}

/// One link of the GPU at either end, where the catalogue knows it.
double oneLinkBps(const Cluster& cluster, ClusterNode a, ClusterNode b) {
    for (const ClusterNode end : {a, b}) {
        if (end.kind != ClusterNode::Kind::device) continue;
        const Gpu* gpu = findGpu(cluster.devices[static_cast<std::size_t>(end.index)].gpu);
        if (gpu && reachedLinkBps(*gpu) > 0) return reachedLinkBps(*gpu);
    }
    return nvlinkBps;
}

const std::string& serverOf(const Cluster& cluster, ClusterNode node) {
    const auto i = static_cast<std::size_t>(node.index);
    return node.kind == ClusterNode::Kind::device ? cluster.devices[i].server : cluster.switches[i].server;
}

/// The last link of a switch that leads to the same kind of thing as `other`, and out of its server as that
/// does.
const Link* precedent(const Cluster& cluster, const ClusterGraph& graph, ClusterNode node,
                      ClusterNode other) {
    if (node.kind != ClusterNode::Kind::switchNode) return nullptr;
    const auto leadsOut = [&](ClusterNode end) { return serverOf(cluster, end) != serverOf(cluster, node); };
    const std::vector<int>& edges = graph.edgesOf(node);
    for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
        const ClusterNode end = graph.other(*edge, node);
        const Link& link =
            cluster.links[static_cast<std::size_t>(graph.edges[static_cast<std::size_t>(*edge)].link)];
        if (end.kind == other.kind && leadsOut(end) == leadsOut(other) && link.bandwidthBps > 0) return &link;
    }
    return nullptr;
}

}  // namespace

Link newLink(const Cluster& cluster, const ClusterGraph& graph, ClusterNode a, ClusterNode b) {
    Link link;
    const Link* like = precedent(cluster, graph, a, b);
    if (!like) like = precedent(cluster, graph, b, a);
    const bool sameServer = serverOf(cluster, a) == serverOf(cluster, b) && !serverOf(cluster, a).empty();
    const auto isNvSwitch = [&](ClusterNode node) {
        return node.kind == ClusterNode::Kind::switchNode &&
               idOf(cluster, node).find("nv") != std::string::npos;
    };
    if (like) {
        link = *like;
    } else if (!sameServer) {
        link.kind = "ethernet";
        link.bandwidthBps = ethernetBps;
    } else if (isNvSwitch(a) || isNvSwitch(b) || (a.kind == b.kind && a.kind == ClusterNode::Kind::device)) {
        link.kind = "nvlink";
        link.bandwidthBps = oneLinkBps(cluster, a, b);
    } else {
        link.kind = "pcie";
        link.bandwidthBps = pcieBps;
    }
    link.source.clear();
    link.a = idOf(cluster, a);
    link.b = idOf(cluster, b);
    return link;
}

Device newDevice(const Cluster& cluster) {
    if (!cluster.devices.empty()) return cluster.devices.back();
    Device device;
    const Gpu* gpu = findGpu("V100-SXM2-16GB");
    device.gpu = gpu->name;
    device.memoryBytes = gpu->memoryBytes;
    device.hostBandwidthBps = gpu->hostBandwidthBps;
    return device;
}

Cluster newServer(const Cluster& cluster) {
    Cluster server;
    const double step = tileSize.width() + 16;
    const int hub = addSwitch(server, "pcie", "s0", {0, -60});
    for (int i = 0; i < gpusOfServer; ++i) {
        const int gpu =
            addDevice(server, newDevice(cluster), "s0", {(i - (gpusOfServer - 1) / 2.0) * step, 26});
        server.links.push_back({server.devices[static_cast<std::size_t>(gpu)].id,
                                server.switches[static_cast<std::size_t>(hub)].id, pcieBps, 0, "pcie", ""});
    }
    return server;
}

}  // namespace stagecraft::views
