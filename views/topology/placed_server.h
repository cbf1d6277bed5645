#pragma once

#include "views/topology/server_tree.h"

namespace stagecraft::views::topology {

/// Places one server's parts around those that Cluster::layout gives: what has a place keeps it, other
/// devices are in rows below, other switches in rows above what they join.
class PlacedServer {
public:
    PlacedServer(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout, int server,
                 const ServerTree& tree);
    void run();

private:
    QSizeF sizeOf(const ServerUnit& unit) const;
    void keepDevices();
    void keepSwitches();
    void growBars();
    void placeRows(const std::vector<int>& devices, QPointF corner);
    void placeSwitches();
    void placeLine(const std::vector<std::pair<double, int>>& wanted, int line, int lines,
                   const QRectF& tiles, double y);
    double meanBelow(int index, double otherwise) const;
    bool isFree(const QRectF& rect, const ServerUnit& except) const;
    void setRect(const ServerUnit& unit, const QRectF& rect);

    const Cluster& cluster_;
    const ClusterGraph& graph_;
    TopologyLayout& layout_;
    ServerBox& box_;
    int server_;
    const ServerTree& tree_;
    std::vector<int> looseDevices_;
    std::vector<int> looseUnits_;
    QRectF given_;
};

}  // namespace stagecraft::views::topology
