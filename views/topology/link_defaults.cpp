#include "views/topology/link_defaults.h"

#include "core/editing/cluster_edit.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/server_templates.h"
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

/// The GPU at either end, as the catalogue knows it; else nullptr.
const Gpu* gpuAt(const Cluster& cluster, ClusterNode a, ClusterNode b) {
    for (const ClusterNode end : {a, b})
        if (end.kind == ClusterNode::Kind::device)
            if (const Gpu* gpu = findGpu(cluster.devices[static_cast<std::size_t>(end.index)].gpu))
                return gpu;
    return nullptr;
}

/// So many NVLinks (xGMI links) of the GPU, and where that comes from.
void useDirectLinks(Link& link, const Gpu* gpu, int links) {
    link.kind = gpu && !isNvidia(*gpu) ? "xgmi" : "nvlink";
    link.bandwidthBps = nvlinkBps;
    if (!gpu || !(reachedLinkBps(*gpu) > 0)) return;
    link.bandwidthBps = links * reachedLinkBps(*gpu);
    link.source = nvlinkSource(*gpu, links);
}

void usePcie(Link& link, const Gpu* gpu) {
    link.kind = "pcie";
    link.bandwidthBps = pcieBps;
    if (!gpu || !(gpu->hostBandwidthBps > 0)) return;
    link.bandwidthBps = gpu->hostBandwidthBps;
    link.source = pcieSource(*gpu);
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
    const Gpu* gpu = gpuAt(cluster, a, b);
    const auto isOfGpu = [&](const Link& other) {
        return gpu && other.source.find(gpu->name) != std::string::npos;
    };
    if (like && gpu && !like->source.empty() && !isOfGpu(*like)) like = nullptr;  // of another GPU
    const bool betweenGpus = a.kind == ClusterNode::Kind::device && b.kind == ClusterNode::Kind::device;
    if (like) {
        link = *like;
        if (!isOfGpu(link)) link.source.clear();
    } else if (!sameServer) {
        link.kind = "ethernet";
        link.bandwidthBps = ethernetBps;
    } else if (isNvSwitch(a) || isNvSwitch(b)) {
        useDirectLinks(link, gpu, gpu ? gpu->nvlinks : 1);
    } else if (betweenGpus && (!gpu || gpu->nvlinks > 0)) {
        useDirectLinks(link, gpu, 1);
    } else {
        usePcie(link, gpu);
    }
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
        Link link{server.devices[static_cast<std::size_t>(gpu)].id,
                  server.switches[static_cast<std::size_t>(hub)].id};
        usePcie(link, findGpu(server.devices[static_cast<std::size_t>(gpu)].gpu));
        server.links.push_back(std::move(link));
    }
    return server;
}

}  // namespace stagecraft::views
