#pragma once

#include "views/topology/topology_layout.h"

#include <QString>

#include <map>

namespace stagecraft::views::topology {

/// "2 × 20 GB/s" where the link's source counts lanes of the kind, else its bandwidth.
QString rateInWords(const Link& link);

/// The links between devices of a server, in channels below the rows of devices: a line of its own for each,
/// with right angles, short ones above long ones; where each of five or more is linked to all others one
/// line with a branch to each.
class DirectLines {
public:
    /// Rows are read off the places that the devices have in the layout.
    DirectLines(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& layout, int server);

    bool isEmpty() const { return edges_.empty() && hubs_.empty(); }
    int rows() const { return static_cast<int>(rows_.size()); }
    /// Height that the lines below a row take, in scene units.
    double heightBelow(int row) const;
    /// Sets the lines of the server, once its devices are where they stay: rows may be further apart, but no
    /// place in a row is another.
    void draw(ServerBox& box);

private:
    struct Run {  ///< a horizontal piece of a line
        int edge = 0;
        int channel = 0;
        double left = 0, right = 0;
        int track = 0;
    };
    using Port = std::pair<int, int>;  ///< edge and device

    void readRows(const ServerBox& box);
    void sortOut(const ServerBox& box);
    void addPorts();
    void addRuns();
    void setTracks();
    bool isHub(const std::vector<int>& devices, const std::vector<int>& edges) const;
    int rowOf(int device) const { return rowOf_.at(device); }
    double portX(int edge, int device) const { return portX_.at({edge, device}); }
    double trackY(int channel, int track) const;
    double gutter(int device) const;
    const QRectF& tile(int device) const { return layout_.devices[static_cast<std::size_t>(device)]; }
    std::pair<int, int> endsOf(int edge) const;
    QPolygonF routeOf(int edge) const;
    void drawHub(const std::vector<int>& edges, ServerBox& box) const;
    void setLabels(ServerBox& box) const;

    const Cluster& cluster_;
    const ClusterGraph& graph_;
    const TopologyLayout& layout_;
    std::vector<int> edges_;              ///< that have lines of their own
    std::vector<std::vector<int>> hubs_;  ///< edges of each
    std::vector<double> rows_;            ///< bottoms, ascending
    std::map<int, int> rowOf_;
    std::map<Port, double> portX_;
    std::vector<Run> runs_;
    std::map<std::pair<int, int>, int> trackOf_;  ///< by edge and channel
    std::vector<int> tracks_;                     ///< by channel
};

}  // namespace stagecraft::views::topology
