#pragma once

#include "views/topology/server_tree.h"

namespace stagecraft::views::topology {

/// Places one server's parts as the machine is, from the origin: network cards as a bar at the top if there
/// are many, sockets side by side, PCIe switches below, then devices with their few network cards beside
/// them, direct links, and NVSwitches as bars across the devices that they join.
class MachinePlaces {
public:
    MachinePlaces(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout, int server,
                  const ServerTree& tree);
    void run();

private:
    double placeUnit(int unit, double left);
    double placeLeaves(const std::vector<int>& devices, const std::vector<int>& cards, double left);
    double placeLoose(double left);
    double placeCards(const std::vector<int>& cards, double left);
    void setRect(int unit, const QRectF& rect);
    double rowY(int depth) const;
    void moveRowsApart();
    void placeNicBars(double left, double width);
    void placeNvBars();
    const ServerUnit& unitAt(int unit) const { return tree_.units[static_cast<std::size_t>(unit)]; }

    const Cluster& cluster_;
    const ClusterGraph& graph_;
    TopologyLayout& layout_;
    ServerBox& box_;
    int server_;
    const ServerTree& tree_;
    double treeTop_ = 0;
    double devicesTop_ = 0;
    double right_ = 0;
};

/// The rectangle of an NVSwitch that is as wide as the devices that it joins, at a height; empty if it joins
/// fewer than two.
QRectF barBelow(const ClusterGraph& graph, const TopologyLayout& layout, int switchIndex, double top);

/// Frames around the sockets of a server and what hangs below each, if there are several and the frames do
/// not overlap.
void setFrames(const ServerTree& tree, TopologyLayout& layout, ServerBox& box);

}  // namespace stagecraft::views::topology
