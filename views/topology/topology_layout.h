#pragma once

#include "core/model/cluster.h"
#include "views/rooms.h"

#include <QPolygonF>
#include <QRectF>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stagecraft::views::topology {

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
    std::vector<ClusterNode> sameIds;                    ///< whose id another has that comes before
    std::vector<Edge> edges;
    std::vector<std::vector<int>> edgesOfDevice;  ///< indices into `edges`, by device
    std::vector<std::vector<int>> edgesOfSwitch;

    const std::vector<int>& edgesOf(ClusterNode node) const;
    ClusterNode other(int edge, ClusterNode from) const;
};

/// What a switch of a cluster is to the machine.
enum class NodeRole { socket, pcie, nic, nvSwitch, network };

/// Switches that are drawn in one box: a network card with its ports, or all cards of a kind folded.
struct SwitchStack {
    std::vector<int> members;  ///< indices into Cluster::switches; a card before its ports
    int units = 1;             ///< cards
    bool isFolded = false;     ///< several cards, or many network switches, which can be opened
    std::vector<int> open =
        {};  ///< network switches like its members that are drawn by themselves, ascending
};

/// The line of a link between two devices of a server.
struct DirectLine {
    int edge = 0;  ///< index into ClusterGraph::edges
    QPolygonF route;
    QRectF label;  ///< room for a few words on the line; empty: none
};

/// All pairs of a server's devices linked to each other, drawn as one line with a branch to each.
struct DirectHub {
    std::vector<int> edges;
    std::vector<QPolygonF> routes;  ///< from each device to the line of its row, and what joins these
    QRectF label;
    double spineX = 0;  ///< of the line that joins those of rows
};

/// A server as drawn. The rectangles of its devices and switches are inside `box`. Or a box that represents
/// many servers which are alike: it has the devices and switches of all, none of which are drawn.
struct ServerBox {
    std::string name;
    QRectF box;
    std::vector<int> devices;  ///< in order, row by row
    std::vector<int> switches;
    std::vector<std::pair<int, QRectF>> frames = {};  ///< around each socket (a switch) and what is below it
    std::vector<DirectLine> direct = {};
    std::vector<DirectHub> hubs = {};
    QRectF fold = {};  ///< where a click folds the network cards that one opened; empty: nothing to fold
    std::vector<int> members = {};  ///< the servers that it represents, ascending; empty: it is one itself
    std::vector<int> open = {};     ///< servers like its members that are drawn by themselves, ascending
    int foldedInto = -1;            ///< the box that represents this server, which is not drawn itself
    int besideGroup = -1;           ///< the box that represents others like this one, which is open
    QRectF close = {};              ///< of an open one: where a click folds it again

    bool isGroup() const { return !members.empty(); }

    void translate(QPointF by);  ///< all but its devices and switches
    /// What its name takes, as large as it is written at 100 %.
    QRectF title() const;
    /// The same for what a frame is called, "Socket 0".
    static QRectF titleOf(const QRectF& frame);
};

/// Servers that are linked each to each other, shown by lines to one hub.
struct ServerMesh {
    std::vector<int> servers;  ///< indices into TopologyLayout::servers, ascending
    QRectF hub;
};

/// The place of everything, in scene units (pixels at 100 %).
struct TopologyLayout {
    std::vector<ServerBox> servers;
    std::vector<QRectF> devices;      ///< by index into Cluster::devices
    std::vector<QRectF> switches;     ///< by index into Cluster::switches
    std::vector<int> serverOfDevice;  ///< index into `servers`
    std::vector<int> serverOfSwitch;  ///< -1: a network switch
    std::vector<NodeRole> roles;      ///< by index into Cluster::switches
    std::vector<SwitchStack> stacks;
    std::vector<int> stackOf;  ///< by index into Cluster::switches; -1: drawn by itself
    std::vector<ServerMesh> meshes;
    QRectF bounds;

    const QRectF& rect(ClusterNode node) const;
    int server(ClusterNode node) const;
    /// Whether a switch is drawn, itself or for those in the same box.
    bool isDrawn(int switchIndex) const;
    /// Whether it is in a server that is drawn as one of many alike.
    bool isHidden(ClusterNode node) const;
    /// The server itself, or the box that represents it.
    int drawnServer(int server) const;
    /// Where a thing is, or the box that represents its server.
    const QRectF& shownRect(ClusterNode node) const;
    /// Whether many network switches are drawn as one.
    bool isNetworkFold(const SwitchStack& stack) const;
    bool areStacked(ClusterNode a, ClusterNode b) const;
    /// The switch that is drawn for one: itself, or the first in the same box.
    int drawnFor(int switchIndex) const;
    /// Places a switch and all that are in the same box.
    void setSwitch(int switchIndex, const QRectF& rect);
};

inline constexpr QSizeF tileSize(120, 64);  ///< of a device
inline constexpr double tileCorner = 7;     ///< its radius
inline constexpr QSizeF switchSize(156, 40);
inline constexpr QSizeF meshHubSize(264, 44);
inline constexpr QSizeF nicSize(104, 28);
inline constexpr double groupPile = 12;  ///< what is seen of the boxes behind one that represents many
inline bool isUprightBar(const QRectF& box) { return box.height() > switchSize.height() + 1; }
inline constexpr double barHeight = 36;     ///< of what is as wide as the devices that it joins
inline constexpr double serverHeader = 28;  ///< height of the strip with the server's name

}  // namespace stagecraft::views::topology
