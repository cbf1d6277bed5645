#pragma once

#include "core/model/cluster.h"

#include <QRectF>

#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft::views {

/// A device or a switch of a cluster, by index.
struct ClusterNode {
    enum class Kind { device, switchNode } kind = Kind::device;
    int index = -1;
    bool operator==(const ClusterNode&) const = default;
};

/// The links of a cluster with their ends looked up once; links that name nothing known are left out.
struct ClusterGraph {
    struct Edge {
        int link = 0;  ///< index into Cluster::links
        ClusterNode a, b;
    };
    explicit ClusterGraph(const Cluster& cluster);

    std::unordered_map<std::string, ClusterNode> nodes;  ///< by id
    std::vector<Edge> edges;
    std::vector<std::vector<int>> edgesOfDevice;  ///< indices into `edges`, by device
    std::vector<std::vector<int>> edgesOfSwitch;

    const std::vector<int>& edgesOf(ClusterNode node) const;
    ClusterNode other(int edge, ClusterNode from) const;
};

/// A server as drawn. The rectangles of its devices and switches are inside `box`.
struct ServerBox {
    std::string name;
    QRectF box;
    std::vector<int> devices;  ///< in order, row by row
    std::vector<int> switches;
};

/// The place of everything, in scene units (pixels at 100 %).
struct TopologyLayout {
    std::vector<ServerBox> servers;
    std::vector<QRectF> devices;      ///< by index into Cluster::devices
    std::vector<QRectF> switches;     ///< by index into Cluster::switches
    std::vector<int> serverOfDevice;  ///< index into `servers`
    std::vector<int> serverOfSwitch;  ///< -1: a network switch
    QRectF bounds;

    const QRectF& rect(ClusterNode node) const;
    int server(ClusterNode node) const;
};

inline constexpr QSizeF tileSize(120, 64);  ///< of a device
inline constexpr double tileCorner = 7;     ///< its radius
inline constexpr QSizeF switchSize(156, 40);
inline constexpr double serverHeader = 28;  ///< height of the strip with the server's name

}  // namespace stagecraft::views
