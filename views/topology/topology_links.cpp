#include "views/topology/topology_links.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "views/topology/direct_lines.h"
#include "views/topology/link_colours.h"
#include "views/topology/link_routes.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace stagecraft::views::topology {

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

/// Where the bundles of servers leave them: lines inside to the edge, those of one box side by side.
class BundleExits {
public:
    BundleExits(const ClusterGraph& graph, const TopologyLayout& layout, const LinkRoutes& routes,
                const std::vector<LinkPlace>& places)
        : graph_(graph), layout_(layout), routes_(routes), places_(places) {}

    /// Routes all bundles of servers to switches.
    void route(std::map<std::pair<int, int>, LinkBundle>& bundles) {
        const int servers = static_cast<int>(layout_.servers.size());
        std::map<Side, std::vector<LinkBundle*>> leaving;
        for (auto& [ends, bundle] : bundles) {
            if (bundle.betweenServers) continue;
            if (isGroup(bundle.a)) continue;
            if (bundle.a >= servers) {
                bundle.route = routes_.toSwitch(bundleEnd(layout_, bundle.a), bundleEnd(layout_, bundle.b));
                continue;
            }
            for (const QRectF& box : boxesOf(bundle)) leaving[sideOf(bundle, box)].push_back(&bundle);
        }
        routeGroups(bundles);
        std::map<LinkBundle*, std::vector<QPolygonF>> exits;
        for (auto& [side, all] : leaving) {
            std::stable_sort(all.begin(), all.end(), [&](const LinkBundle* a, const LinkBundle* b) {
                return bundleEnd(layout_, a->b).center().x() < bundleEnd(layout_, b->b).center().x();
            });
            const auto& [server, up, left, top, right, bottom] = side;
            for (std::size_t i = 0; i < all.size(); ++i) {
                double share = static_cast<double>(i + 1) / static_cast<double>(all.size() + 1);
                // Into the middle of its upper edge a card has its link from above.
                if (up && right - left < nicSize.width() + 1) share = 0.5 + share / 2;
                exits[all[i]].push_back(
                    routes_.exit(QRectF(QPointF(left, top), QPointF(right, bottom)), server, up, share));
            }
        }
        for (auto& [bundle, lines] : exits) finish(*bundle, std::move(lines));
    }

private:
    using Side = std::tuple<int, bool, double, double, double, double>;  // server, up, edges of the box

    bool isGroup(int end) const {
        return end < static_cast<int>(layout_.servers.size()) &&
               layout_.servers[static_cast<std::size_t>(end)].isGroup();
    }
    /// From boxes for many servers, side by side.
    void routeGroups(std::map<std::pair<int, int>, LinkBundle>& bundles) const {
        std::map<std::pair<int, bool>, std::vector<LinkBundle*>> leaving;  // by group, up
        for (auto& [ends, bundle] : bundles)
            if (!bundle.betweenServers && isGroup(bundle.a))
                leaving[{bundle.a, bundleEnd(layout_, bundle.b).top() < bundleEnd(layout_, bundle.a).top()}]
                    .push_back(&bundle);
        for (auto& [side, all] : leaving) {
            const QRectF& own = bundleEnd(layout_, side.first);
            std::stable_sort(all.begin(), all.end(), [&](const LinkBundle* a, const LinkBundle* b) {
                return bundleEnd(layout_, a->b).center().x() < bundleEnd(layout_, b->b).center().x();
            });
            const double step = own.width() / static_cast<double>(all.size() + 1);
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i]->route = routes_.toSwitch(own, bundleEnd(layout_, all[i]->b),
                                                 own.left() + step * static_cast<double>(i + 1));
        }
    }

    std::vector<QRectF> boxesOf(const LinkBundle& bundle) const {
        std::vector<QRectF> boxes;
        for (const int link : bundle.summary.links) {
            const ClusterGraph::Edge& edge =
                graph_.edges[static_cast<std::size_t>(places_[static_cast<std::size_t>(link)].edge)];
            const ClusterNode inside = layout_.server(edge.a) == bundle.a ? edge.a : edge.b;
            const QRectF& box = layout_.rect(inside);
            if (std::find(boxes.begin(), boxes.end(), box) == boxes.end()) boxes.push_back(box);
        }
        // What has that many ways out is said by the line between the boxes.
        constexpr std::size_t mostExits = 16;
        if (boxes.size() > mostExits) boxes.resize(1);
        return boxes;
    }
    Side sideOf(const LinkBundle& bundle, const QRectF& box) const {
        const QRectF &end = bundleEnd(layout_, bundle.b), &own = bundleEnd(layout_, bundle.a);
        const bool up = end.center().y() < own.center().y() && !LinkRoutes::isBeside(own, end);
        return {bundle.a, up, box.left(), box.top(), box.right(), box.bottom()};
    }
    void finish(LinkBundle& bundle, std::vector<QPolygonF> lines) const {
        const bool up = lines.front().back().y() < bundleEnd(layout_, bundle.a).center().y();
        std::vector<double> xs;
        for (const QPolygonF& line : lines) xs.push_back(line.back().x());
        std::sort(xs.begin(), xs.end());
        const QRectF &own = bundleEnd(layout_, bundle.a), &end = bundleEnd(layout_, bundle.b);
        double port = xs[xs.size() / 2];
        if (LinkRoutes::isBeside(own, end)) port = own.right() <= end.left() ? xs.back() : xs.front();
        bundle.route = routes_.toSwitch(own, end, port);
        const double off = lines.front().back().y() + (up ? -8 : 8);
        for (QPolygonF& line : lines)
            if (std::abs(line.back().x() - port) > 0.5)
                line << QPointF(line.back().x(), off) << QPointF(port, off);
        bundle.exits = std::move(lines);
    }

    const ClusterGraph& graph_;
    const TopologyLayout& layout_;
    const LinkRoutes& routes_;
    const std::vector<LinkPlace>& places_;
};

/// The lines between devices of each server; where there is no channel for them they are said in words alone.
void addDirect(TopologyLinks& result, const Cluster& cluster, const ClusterGraph& graph,
               const TopologyLayout& layout) {
    const auto rateOf = [&](int link) { return cluster.links[static_cast<std::size_t>(link)].bandwidthBps; };
    for (const ServerBox& server : layout.servers)
        for (const DirectLine& line : server.direct)
            result.inner.push_back(
                {graph.edges[static_cast<std::size_t>(line.edge)].link, line.route, true, line.label});
    double least = std::numeric_limits<double>::infinity();
    for (const InnerLink& inner : result.inner)
        if (inner.isDirect) least = std::min(least, rateOf(inner.link));
    for (InnerLink& inner : result.inner)
        if (inner.isDirect && least > 0)
            inner.thickness = std::clamp(static_cast<int>(std::lround(rateOf(inner.link) / least)), 1, 3);
}

void setThickness(std::vector<LinkKind>& kinds, const std::vector<InnerLink>& inner, const Cluster& cluster) {
    for (LinkKind& kind : kinds)
        for (const InnerLink& line : inner) {
            const Link& link = cluster.links[static_cast<std::size_t>(line.link)];
            if (line.isDirect && link.kind == kind.kind && link.bandwidthBps == kind.maxBps)
                kind.thickness = line.thickness;
        }
}

void addHubs(TopologyLinks& result, const Cluster& cluster, const ClusterGraph& graph,
             const TopologyLayout& layout) {
    for (std::size_t server = 0; server < layout.servers.size(); ++server)
        for (const DirectHub& hub : layout.servers[server].hubs) {
            LinkHub own{static_cast<int>(server), {}, hub.routes, hub.label, hub.spineX};
            std::vector<int> links;
            for (const int edge : hub.edges)
                links.push_back(graph.edges[static_cast<std::size_t>(edge)].link);
            std::sort(links.begin(), links.end());
            for (const int link : links) own.summary.add(link, cluster.links[static_cast<std::size_t>(link)]);
            result.hubs.push_back(std::move(own));
        }
}

/// Lines to the hubs of meshes, and the bundles of their servers along these.
void addMeshes(TopologyLinks& result, std::map<std::pair<int, int>, LinkBundle>& bundles,
               const Cluster& cluster, const TopologyLayout& layout, const LinkRoutes& routes) {
    std::map<int, std::pair<int, QPolygonF>> spokes;  // by server: its mesh, its line
    for (std::size_t i = 0; i < layout.meshes.size(); ++i) {
        const ServerMesh& mesh = layout.meshes[i];
        LinkMesh& own = result.meshes.emplace_back();
        for (const int server : mesh.servers) {
            const QRectF& box = layout.servers[static_cast<std::size_t>(server)].box;
            QPolygonF line = routes.toSwitch(box, mesh.hub, box.center().x());
            if (!box.adjusted(-1, -1, 1, 1).contains(line.front())) std::reverse(line.begin(), line.end());
            spokes[server] = {static_cast<int>(i), line};
            own.routes.push_back(std::move(line));
        }
    }
    std::vector<std::vector<int>> links(result.meshes.size());
    for (auto& [ends, bundle] : bundles) {
        const auto a = spokes.find(bundle.a), b = spokes.find(bundle.b);
        if (!bundle.betweenServers || a == spokes.end() || b == spokes.end()) continue;
        bundle.mesh = a->second.first;
        std::vector<int>& all = links[static_cast<std::size_t>(bundle.mesh)];
        all.insert(all.end(), bundle.summary.links.begin(), bundle.summary.links.end());
        bundle.route = a->second.second;
        bundle.route << layout.meshes[static_cast<std::size_t>(bundle.mesh)].hub.center();
        QPolygonF back = b->second.second;
        std::reverse(back.begin(), back.end());
        bundle.route += back;
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
        std::sort(links[i].begin(), links[i].end());
        for (const int link : links[i])
            result.meshes[i].summary.add(link, cluster.links[static_cast<std::size_t>(link)]);
    }
}

/// Whether an end of a bundle is drawn for many servers or network switches.
bool standsForMany(const TopologyLayout& layout, int end) {
    const int servers = static_cast<int>(layout.servers.size());
    if (end < servers) return layout.servers[static_cast<std::size_t>(end)].isGroup();
    const int stack = layout.stackOf[static_cast<std::size_t>(end - servers)];
    return stack >= 0 && layout.isNetworkFold(layout.stacks[static_cast<std::size_t>(stack)]);
}

/// With nothing said yet of any server, switch or box.
TopologyLinks withRoomFor(const Cluster& cluster, const TopologyLayout& layout) {
    TopologyLinks links;
    links.places.resize(cluster.links.size());
    links.serverSummary.resize(layout.servers.size());
    links.among.resize(layout.servers.size());
    links.amongStack.resize(layout.stacks.size());
    return links;
}

/// From things to themselves.
void addLoops(TopologyLinks& result, const Cluster& cluster, const ClusterGraph& graph,
              const TopologyLayout& layout) {
    for (std::size_t i = 0; i < cluster.links.size(); ++i) {
        const Link& link = cluster.links[i];
        if (link.a != link.b) continue;
        if (const auto node = graph.nodes.find(link.a);
            node != graph.nodes.end() && !layout.isHidden(node->second))
            result.inner.push_back({static_cast<int>(i), LinkRoutes::loop(layout.rect(node->second))});
    }
}

void addPlaces(TopologyLinks& result, const Cluster& cluster, const TopologyLayout& layout) {
    const auto place = [&](int link) -> LinkPlace& { return result.places[static_cast<std::size_t>(link)]; };
    for (std::size_t i = 0; i < result.inner.size(); ++i)
        place(result.inner[i].link).inner = static_cast<int>(i);
    for (std::size_t i = 0; i < result.hubs.size(); ++i)
        for (const int link : result.hubs[i].summary.links) place(link).hub = static_cast<int>(i);
    for (std::size_t i = 0; i < result.bundles.size(); ++i)
        for (const int link : result.bundles[i].summary.links) place(link).bundle = static_cast<int>(i);
    for (std::size_t i = 0; i < result.serverSummary.size(); ++i) {
        LinkSummary& undrawn = result.undrawn.emplace_back();
        if (layout.servers[i].foldedInto >= 0) continue;
        for (const int link : result.serverSummary[i].links)
            if (place(link).inner < 0 && place(link).hub < 0)
                undrawn.add(link, cluster.links[static_cast<std::size_t>(link)]);
    }
}

}  // namespace

QString LinkBundle::text() const {
    return ofMany ? countText(summary.links.size()) + QString::fromUtf8(" × ") + summary.text()
                  : summary.text();
}

QString LinkMesh::text() const { return "all to all, " + bandwidthRange(summary.minBps, summary.maxBps); }

QString LinkMesh::detail() const {
    const QString count = countText(summary.links.size()) + " links";
    return summary.kinds.size() == 1 ? count + ", " + kindName(*summary.kinds.begin()) : count;
}

QString LinkHub::text() const { return "all to all: " + summary.text() + " each"; }

QPolygonF LinkHub::between(const QRectF& a, const QRectF& b) const {
    QPolygonF line;
    for (const QRectF& device : {a, b}) {
        const QPointF foot(device.center().x(), device.bottom());
        const auto branch = std::find_if(routes.begin(), routes.end(), [&](const QPolygonF& route) {
            return (route.front() - foot).manhattanLength() < 1;
        });
        if (branch == routes.end()) return {};
        if (line.isEmpty()) {
            line = *branch;
            continue;
        }
        if (std::abs(line.back().y() - branch->back().y()) > 1)
            line << QPointF(spineX, line.back().y()) << QPointF(spineX, branch->back().y());
        line << branch->back() << branch->front();
    }
    return line;
}

const LinkSummary& TopologyLinks::ofSwitch(int index) const {
    static const LinkSummary none;
    const auto found = switchSummary.find(index);
    return found == switchSummary.end() ? none : found->second;
}

void LinkSummary::add(int index, const Link& link) {
    minBps = links.empty() ? link.bandwidthBps : std::min(minBps, link.bandwidthBps);
    maxBps = std::max(maxBps, link.bandwidthBps);
    maxLatencyS = std::max(maxLatencyS, link.latencyS);
    if (!link.kind.empty() && (kinds.empty() || kinds.back() != link.kind))
        if (const auto at = std::lower_bound(kinds.begin(), kinds.end(), link.kind);
            at == kinds.end() || *at != link.kind)
            kinds.insert(at, link.kind);
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
                                                         {"mtlink", "MTLink"},
                                                         {"hccs", "HCCS"},
                                                         {"qpi", "QPI"},
                                                         {"upi", "UPI"},
                                                         {"xgmi", "xGMI"},
                                                         {"socket", "Socket link"},
                                                         {"network", "Network"}};
    const auto found = usual.find(kind);
    return found == usual.end() ? QString::fromStdString(kind) : found->second;
}

std::vector<LinkKind> linkKinds(const Cluster& cluster) {
    constexpr std::size_t mostRates = 3;
    std::map<std::string, std::map<double, LinkKind>> kinds;
    const auto kindOf = [&](const Link& link) -> LinkKind& {
        std::map<double, LinkKind>& ofKind = kinds[link.kind];
        auto found = ofKind.find(link.bandwidthBps);
        if (found == ofKind.end())
            found = ofKind
                        .emplace(link.bandwidthBps, LinkKind{link.kind, 0, link.bandwidthBps,
                                                             link.bandwidthBps, rateInWords(link)})
                        .first;
        return found->second;
    };
    // Those of large clusters are of few kinds, whose links take turns.
    std::array<LinkKind*, 8> recent{};
    std::size_t next = 0;
    for (const Link& link : cluster.links) {
        const auto known = std::find_if(recent.begin(), recent.end(), [&link](const LinkKind* kind) {
            return kind && kind->minBps == link.bandwidthBps && kind->kind == link.kind;
        });
        LinkKind& kind = known == recent.end() ? kindOf(link) : **known;
        if (known == recent.end()) recent[next++ % recent.size()] = &kind;
        ++kind.count;
    }
    std::vector<LinkKind> all;
    for (const auto& [name, rates] : kinds) {
        const bool apart = linkFamily(name) == LinkFamily::fabric && rates.size() <= mostRates;
        LinkKind together{name, 0, rates.begin()->first, rates.rbegin()->first, {}};
        QStringList words;
        for (const auto& [bps, kind] : rates) {
            if (apart) all.push_back(kind);
            together.count += kind.count;
            if (!words.contains(kind.rates)) words << kind.rates;
        }
        together.rates = words.size() > static_cast<qsizetype>(mostRates)
                             ? bandwidthRange(rates.begin()->first, rates.rbegin()->first)
                             : words.join(QStringLiteral(", "));
        if (!apart) all.push_back(together);
    }
    return all;
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

double distanceTo(const std::vector<QPolygonF>& lines, QPointF point) {
    double least = std::numeric_limits<double>::infinity();
    for (const QPolygonF& line : lines) least = std::min(least, distanceTo(line, point));
    return least;
}

TopologyLinks arrangeLinks(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& layout) {
    TopologyLinks result = withRoomFor(cluster, layout);
    result.kinds = linkKinds(cluster);
    const int servers = static_cast<int>(layout.servers.size());
    std::map<std::pair<int, int>, LinkBundle> bundles;
    const LinkRoutes routes(layout);
    LinkBundle* latest = nullptr;  // links of one bundle often follow each other

    for (const ClusterGraph::Edge& edge : graph.edges) {
        result.places[static_cast<std::size_t>(edge.link)].edge =
            static_cast<int>(&edge - graph.edges.data());
        const Link& link = cluster.links[static_cast<std::size_t>(edge.link)];
        const bool inside = layout.server(edge.a) == layout.server(edge.b);
        for (const ClusterNode node : {edge.a, edge.b})
            if (node.kind == ClusterNode::Kind::switchNode && (inside || layout.server(node) < 0) &&
                !layout.isHidden(node))
                result.switchSummary[node.index].add(edge.link, link);
        const auto endOf = [&](ClusterNode node) {
            const int server = layout.server(node);
            return server >= 0 ? layout.drawnServer(server) : servers + layout.drawnFor(node.index);
        };
        const auto [a, b] = std::minmax({endOf(edge.a), endOf(edge.b)});
        if (a != b) {
            if (!latest || latest->a != a || latest->b != b) latest = &bundles[{a, b}];
            LinkBundle& bundle = *latest;
            bundle.a = a;
            bundle.b = b;
            bundle.betweenServers = b < servers;
            bundle.ofMany = standsForMany(layout, a) || standsForMany(layout, b);
            bundle.summary.add(edge.link, link);
            if (bundle.betweenServers) result.betweenServers.add(edge.link, link);
        } else if (a < servers && !inside) {
            result.among[static_cast<std::size_t>(a)].add(edge.link, link);
            result.betweenServers.add(edge.link, link);
        } else if (a >= servers && standsForMany(layout, a)) {
            const int stack = layout.stackOf[static_cast<std::size_t>(a - servers)];
            result.amongStack[static_cast<std::size_t>(stack)].add(edge.link, link);
        } else if (edge.a.kind == ClusterNode::Kind::device && edge.b.kind == ClusterNode::Kind::device) {
            result.serverSummary[static_cast<std::size_t>(layout.server(edge.a))].add(edge.link, link);
        } else if (!layout.isHidden(edge.a) && !layout.areStacked(edge.a, edge.b)) {
            result.inner.push_back(
                {edge.link, routes.inside(edge.a, edge.b, hasSeveralParents(graph, layout, edge))});
        }
    }

    addLoops(result, cluster, graph, layout);
    addDirect(result, cluster, graph, layout);
    setThickness(result.kinds, result.inner, cluster);
    addHubs(result, cluster, graph, layout);
    addMeshes(result, bundles, cluster, layout, routes);

    std::size_t serverPairs = 0;
    for (const auto& [ends, bundle] : bundles) serverPairs += bundle.betweenServers && bundle.mesh < 0;
    result.hidesBundles = serverPairs > mostServerBundles;
    BundleExits(graph, layout, routes, result.places).route(bundles);
    for (auto& [ends, bundle] : bundles) {
        if (bundle.betweenServers && bundle.mesh < 0 && !result.hidesBundles)
            bundle.route = routes.betweenServers(bundle.a, bundle.b);
        result.bundles.push_back(std::move(bundle));
    }
    addPlaces(result, cluster, layout);
    return result;
}

}  // namespace stagecraft::views::topology
