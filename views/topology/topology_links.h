#pragma once

#include "views/topology/topology_layout.h"

#include <QPolygonF>
#include <QString>

#include <unordered_map>

namespace stagecraft::views::topology {

/// What a set of links has in common.
struct LinkSummary {
    std::vector<int> links;  ///< indices into Cluster::links, ascending
    double minBps = 0;
    double maxBps = 0;
    double maxLatencyS = 0;
    std::vector<std::string> kinds;  ///< each once, ascending

    void add(int index, const Link& link);
    bool operator==(const LinkSummary&) const = default;
    /// "PCIe 12.0–16.0 GB/s"; without the kind if there are several.
    QString text() const;
};

/// All links between two servers, a server and a network switch, or two network switches.
struct LinkBundle {
    int a = 0;  ///< a server's index, or the number of servers + a network switch's index; a < b
    int b = 0;
    LinkSummary summary;
    QPolygonF route;  ///< empty where there are too many bundles to draw each
    bool betweenServers = false;
    int mesh = -1;  ///< index into TopologyLinks::meshes if it goes through the hub of one
    std::vector<QPolygonF> exits = {};  ///< inside servers, from what the links join to the route
    bool ofMany = false;                ///< an end represents many servers or network switches that are alike

    QString text()
        const;  ///< "16,384 × InfiniBand 50.0 GB/s" where an end represents many, else without count
};

/// A link inside a server that is drawn by itself.
struct InnerLink {
    int link = 0;  ///< index into Cluster::links
    QPolygonF route;
    bool isDirect = false;  ///< between two devices
    QRectF label = {};      ///< room for its rate; empty: none
    int thickness = 1;      ///< of a direct one: how many times as fast as the slowest, 3 at most
};

/// All links of a ServerMesh.
struct LinkMesh {
    LinkSummary summary;
    std::vector<QPolygonF> routes;  ///< from each of its servers to the hub

    QString text() const;    ///< "all to all, 10.0 GB/s"
    QString detail() const;  ///< "448 links, RDMA"
};

/// All links of a DirectHub.
struct LinkHub {
    int server = 0;
    LinkSummary summary;
    std::vector<QPolygonF> routes;
    QRectF label;
    double spineX = 0;  ///< as in DirectHub

    QString text() const;  ///< "all to all: NVLink 25.0 GB/s each"
    /// From one of its devices along the shared line to another.
    QPolygonF between(const QRectF& a, const QRectF& b) const;
};

/// Where a link is drawn: indices into TopologyLinks and ClusterGraph::edges, -1 for none.
struct LinkPlace {
    int inner = -1, hub = -1, bundle = -1, edge = -1;
};

/// The links of a kind, those between GPUs by rate: "NVLink", 8 of "2 × 20 GB/s".
struct LinkKind {
    std::string kind;
    std::size_t count = 0;
    double minBps = 0, maxBps = 0;
    QString rates;      ///< each of few, in words
    int thickness = 0;  ///< of its lines between devices, as InnerLink::thickness; 0: there are none
};

/// How the links of a cluster are drawn.
struct TopologyLinks {
    std::vector<LinkBundle> bundles;  ///< ordered by (a, b)
    std::vector<InnerLink> inner;
    std::vector<LinkMesh> meshes;            ///< by index into TopologyLayout::meshes
    std::vector<LinkHub> hubs;               ///< of all servers
    std::vector<LinkPlace> places;           ///< by index into Cluster::links
    std::vector<LinkSummary> serverSummary;  ///< device-to-device links inside each server, drawn or not
    std::vector<LinkSummary> among;  ///< of each box for many servers: links between one and another of them
    std::vector<LinkSummary> amongStack;  ///< the same of each of TopologyLayout::stacks
    std::vector<LinkSummary> undrawn;     ///< those of each server for which there was no room
    /// Links of each switch by index, of one in a server those inside it; not of those in servers that are
    /// drawn as one of many alike.
    std::unordered_map<int, LinkSummary> switchSummary;
    LinkSummary betweenServers;   ///< all of them
    std::vector<LinkKind> kinds;  ///< as linkKinds() gives them
    bool hidesBundles = false;    ///< server pairs are shown for what is hovered over or selected alone

    /// Of a switch that has links there; else empty.
    const LinkSummary& ofSwitch(int index) const;
};

TopologyLinks arrangeLinks(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& layout);

/// What kinds of links there are, in the order of their names.
std::vector<LinkKind> linkKinds(const Cluster& cluster);

/// The rectangle of an end of a bundle.
const QRectF& bundleEnd(const TopologyLayout& layout, int end);

QString countText(std::size_t count);                  ///< "520,192"
QString bandwidthRange(double minBps, double maxBps);  ///< "12.0–16.0 GB/s", or one value
QString kindName(const std::string& kind);             ///< "PCIe" for "pcie"; others as they are

/// Distance of a point from a polyline; infinite for an empty one.
double distanceTo(const QPolygonF& line, QPointF point);
/// From the nearest of several.
double distanceTo(const std::vector<QPolygonF>& lines, QPointF point);

}  // namespace stagecraft::views::topology
