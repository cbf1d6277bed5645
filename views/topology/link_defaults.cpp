#include "views/topology/link_defaults.h"

#include "core/editing/cluster_edit.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/link_rates.h"
#include "core/generation/machines.h"
#include "core/generation/server_templates.h"
#include "views/topology/server_layout.h"

namespace stagecraft::views::topology {
namespace {

constexpr double usualPcieBps = 12e9;
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

/// The first GPU of a server that the catalogue knows; else nullptr.
const Gpu* gpuOfServer(const Cluster& cluster, const std::string& server) {
    if (server.empty()) return nullptr;
    for (const Device& device : cluster.devices)
        if (device.server == server)
            if (const Gpu* gpu = findGpu(device.gpu)) return gpu;
    return nullptr;
}

/// So many NVLinks (xGMI links) of the GPU, and where that comes from.
void useDirectLinks(Link& link, const Gpu* gpu, int links, LinkRates rates) {
    link.kind = gpu && !isNvidia(*gpu) ? "xgmi" : "nvlink";
    link.bandwidthBps = nvlinkBps;
    if (!gpu || !(linkBps(*gpu, rates) > 0)) return;
    link.bandwidthBps = links * linkBps(*gpu, rates);
    link.source = nvlinkSource(*gpu, links, rates);
}

void usePcie(Link& link, const Gpu* gpu, LinkRates rates) {
    link.kind = "pcie";
    link.bandwidthBps = usualPcieBps;
    if (!gpu || !(pcieBps(*gpu, rates) > 0)) return;
    link.bandwidthBps = pcieBps(*gpu, rates);
    link.source = pcieSource(*gpu, rates);
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

/// The widest link of a network switch; nullptr if it has none.
const Link* widestOf(const Cluster& cluster, const ClusterGraph& graph, ClusterNode node) {
    const Link* widest = nullptr;
    for (const int edge : graph.edgesOf(node)) {
        const Link& link =
            cluster.links[static_cast<std::size_t>(graph.edges[static_cast<std::size_t>(edge)].link)];
        if (!widest || link.bandwidthBps > widest->bandwidthBps) widest = &link;
    }
    return widest;
}

/// What is usual between two things, whatever else is linked: the ends are left open.
class UsualLink {
public:
    UsualLink(const Cluster& cluster, const ClusterGraph& graph, const std::vector<NodeRole>& roles)
        : cluster_(cluster), graph_(graph), roles_(roles) {}

    Link between(ClusterNode a, ClusterNode b) const {
        Link link;
        const std::string& server = serverOf(cluster_, a);
        const bool sameServer = server == serverOf(cluster_, b) && !server.empty();
        const Gpu* gpu = gpuAt(cluster_, a, b);
        const bool gpus = a.kind == ClusterNode::Kind::device && b.kind == ClusterNode::Kind::device;
        if (!sameServer) {
            useNetwork(link, a, b);
        } else if (is(a, NodeRole::nvSwitch) || is(b, NodeRole::nvSwitch)) {
            useDirectLinks(link, gpu, gpu ? gpu->nvlinks : 1, ratesOf(cluster_));
        } else if (gpus && (!gpu || gpu->nvlinks > 0)) {
            useDirectLinks(link, gpu, 1, ratesOf(cluster_));
        } else if (is(a, NodeRole::socket) && is(b, NodeRole::socket)) {
            link.kind = "socket";
            link.bandwidthBps = ServerSpec().socketBps;
        } else {
            usePcie(link, gpu ? gpu : gpuOfServer(cluster_, server), ratesOf(cluster_));
        }
        return link;
    }

private:
    bool is(ClusterNode node, NodeRole role) const {
        return node.kind == ClusterNode::Kind::switchNode &&
               roles_[static_cast<std::size_t>(node.index)] == role;
    }

    /// A network card's is that of machines with its server's GPU; a link up from a switch is as fast as
    /// those below it.
    void useNetwork(Link& link, ClusterNode a, ClusterNode b) const {
        link.kind = "ethernet";
        link.bandwidthBps = ethernetBps;
        for (const ClusterNode end : {a, b}) {
            if (!is(end, NodeRole::nic)) continue;
            const Gpu* gpu = gpuOfServer(cluster_, serverOf(cluster_, end));
            const auto usual = gpu ? usualCardOf(gpu->name) : std::nullopt;
            if (!usual) continue;
            link.kind = usual->card.kind;
            link.bandwidthBps = usual->card.bandwidthBps;
            link.source = usual->source;
            return;
        }
        if (!is(a, NodeRole::network) || !is(b, NodeRole::network)) return;
        for (const ClusterNode end : {a, b}) {
            const Link* below = widestOf(cluster_, graph_, end);
            if (!below || !(below->bandwidthBps > 0)) continue;
            link.kind = below->kind;
            link.bandwidthBps = below->bandwidthBps;
            link.source = "as fast as the fastest other link of " + idOf(cluster_, end);
            return;
        }
    }

    const Cluster& cluster_;
    const ClusterGraph& graph_;
    const std::vector<NodeRole>& roles_;
};

}  // namespace

Link newLink(const Cluster& cluster, const ClusterGraph& graph, const std::vector<NodeRole>& roles,
             ClusterNode a, ClusterNode b) {
    Link link = UsualLink(cluster, graph, roles).between(a, b);
    const Link* like = precedent(cluster, graph, a, b);
    if (!like) like = precedent(cluster, graph, b, a);
    const Gpu* gpu = gpuAt(cluster, a, b);
    const auto isOfGpu = [&](const Link& other) {
        return gpu && other.source.find(gpu->name) != std::string::npos;
    };
    if (like && gpu && !like->source.empty() && !isOfGpu(*like)) like = nullptr;  // of another GPU
    if (like) {
        // What was noted of the other link is said of this one where it is true of it as well.
        const bool isUsual = like->bandwidthBps == link.bandwidthBps && like->kind == link.kind;
        const std::string source = isOfGpu(*like) ? like->source : isUsual ? link.source : "";
        link = *like;
        link.source = source;
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
        usePcie(link, findGpu(server.devices[static_cast<std::size_t>(gpu)].gpu), ratesOf(cluster));
        server.links.push_back(std::move(link));
    }
    return server;
}

}  // namespace stagecraft::views::topology
