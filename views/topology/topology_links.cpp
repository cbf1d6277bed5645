#include "views/topology/topology_links.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "views/topology/link_routes.h"

#include <QLocale>

#include <limits>
#include <map>

namespace stagecraft::views {

namespace {

/// More curves than this between servers are a hairball whatever their colour.
constexpr std::size_t mostServerBundles = 120;

/// Whether the lower end of a link in a server is linked to other switches of the server's that are above
/// it.
bool hasSeveralParents(const ClusterGraph& graph, const TopologyLayout& layout,
                       const ClusterGraph::Edge& edge) {
    const ClusterNode lower = layout.rect(edge.a).top() > layout.rect(edge.b).top() ? edge.a : edge.b;
    const std::vector<int>& edges = graph.edgesOf(lower);
    return std::count_if(edges.begin(), edges.end(), [&](int other) {
               const ClusterNode end = graph.other(other, lower);
               return end.kind == ClusterNode::Kind::switchNode &&
                      layout.server(end) == layout.server(lower) &&
                      layout.rect(end).top() < layout.rect(lower).top();
           }) > 1;
}

}  // namespace

void LinkSummary::add(int index, const Link& link) {
    minBps = links.empty() ? link.bandwidthBps : std::min(minBps, link.bandwidthBps);
    maxBps = std::max(maxBps, link.bandwidthBps);
    maxLatencyS = std::max(maxLatencyS, link.latencyS);
    if (!link.kind.empty()) kinds.insert(link.kind);
    links.push_back(index);
}

QString LinkSummary::text() const {
    const QString range = bandwidthRange(minBps, maxBps);
    return kinds.size() == 1 ? kindName(*kinds.begin()) + " " + range : range;
}

QString kindName(const std::string& kind) {
    static const std::map<std::string, QString> usual = {{"pcie", "PCIe"},
                                                         {"nvlink", "NVLink"},
                                                         {"nvswitch", "NVSwitch"},
                                                         {"ethernet", "Ethernet"},
                                                         {"infiniband", "InfiniBand"},
                                                         {"rdma", "RDMA"},
                                                         {"qpi", "QPI"},
                                                         {"upi", "UPI"}};
    const auto found = usual.find(kind);
    return found == usual.end() ? QString::fromStdString(kind) : found->second;
}

QString countText(std::size_t count) {
    return QString::fromStdString(grouped(static_cast<long long>(count)));
}

QString bandwidthRange(double minBps, double maxBps) {
    const QString least = QString::fromStdString(formatBandwidth(minBps));
    const QString most = QString::fromStdString(formatBandwidth(maxBps));
    if (least == most) return most;
    const qsizetype unit = least.indexOf(' ');
    const bool sameUnit = least.mid(unit) == most.mid(most.indexOf(' '));
    return (sameUnit ? least.left(unit) : least) + QString::fromUtf8("–") + most;
}

const QRectF& bundleEnd(const TopologyLayout& layout, int end) {
    const int servers = static_cast<int>(layout.servers.size());
    return end < servers ? layout.servers[static_cast<std::size_t>(end)].box
                         : layout.switches[static_cast<std::size_t>(end - servers)];
}

double distanceTo(const QPolygonF& line, QPointF point) {
    double least = std::numeric_limits<double>::infinity();
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QPointF along = line[i] - line[i - 1];
        const QPointF to = point - line[i - 1];
        const double length2 = QPointF::dotProduct(along, along);
        const double t = length2 > 0 ? std::clamp(QPointF::dotProduct(to, along) / length2, 0.0, 1.0) : 0.0;
        const QPointF off = to - t * along;
        least = std::min(least, std::hypot(off.x(), off.y()));
    }
    return least;
}

TopologyLinks arrangeLinks(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& layout) {
    TopologyLinks result;
    const int servers = static_cast<int>(layout.servers.size());
    result.serverSummary.resize(layout.servers.size());
    result.switchSummary.resize(layout.switches.size());
    std::vector<std::vector<const ClusterGraph::Edge*>> direct(layout.servers.size());
    std::map<std::pair<int, int>, LinkBundle> bundles;
    LinkRoutes routes(layout);

    for (const ClusterGraph::Edge& edge : graph.edges) {
        const Link& link = cluster.links[static_cast<std::size_t>(edge.link)];
        const bool inside = layout.server(edge.a) == layout.server(edge.b);
        for (const ClusterNode node : {edge.a, edge.b})
            if (node.kind == ClusterNode::Kind::switchNode && (inside || layout.server(node) < 0))
                result.switchSummary[static_cast<std::size_t>(node.index)].add(edge.link, link);
        const auto endOf = [&](ClusterNode node) {
            const int server = layout.server(node);
            return server >= 0 ? server : servers + node.index;
        };
        const auto [a, b] = std::minmax({endOf(edge.a), endOf(edge.b)});
        if (a != b) {
            LinkBundle& bundle = bundles[{a, b}];
            bundle.a = a;
            bundle.b = b;
            bundle.betweenServers = b < servers;
            bundle.summary.add(edge.link, link);
            if (bundle.betweenServers) result.betweenServers.add(edge.link, link);
        } else if (edge.a.kind == ClusterNode::Kind::device && edge.b.kind == ClusterNode::Kind::device) {
            direct[static_cast<std::size_t>(a)].push_back(&edge);
            result.serverSummary[static_cast<std::size_t>(a)].add(edge.link, link);
        } else {
            result.inner.push_back(
                {edge.link, routes.inside(edge.a, edge.b, hasSeveralParents(graph, layout, edge))});
        }
    }

    for (std::size_t i = 0; i < cluster.links.size(); ++i) {
        const Link& link = cluster.links[i];
        if (link.a != link.b) continue;
        if (const auto node = graph.nodes.find(link.a); node != graph.nodes.end())
            result.inner.push_back({static_cast<int>(i), LinkRoutes::loop(layout.rect(node->second))});
    }
    for (std::size_t server = 0; server < direct.size(); ++server) {
        // A ring or pairs can be drawn; a complete graph of more than three devices is said in words.
        if (direct[server].size() > layout.servers[server].devices.size()) continue;
        for (const ClusterGraph::Edge* edge : direct[server])
            result.inner.push_back({edge->link, routes.direct(edge->a, edge->b)});
    }

    std::size_t serverPairs = 0;
    for (const auto& [ends, bundle] : bundles) serverPairs += bundle.betweenServers;
    result.hidesBundles = serverPairs > mostServerBundles;
    for (auto& [ends, bundle] : bundles) {
        if (!bundle.betweenServers)
            bundle.route = routes.toSwitch(bundleEnd(layout, bundle.a), bundleEnd(layout, bundle.b));
        else if (!result.hidesBundles)
            bundle.route = routes.betweenServers(bundle.a, bundle.b);
        result.bundles.push_back(std::move(bundle));
    }
    return result;
}

}  // namespace stagecraft::views
