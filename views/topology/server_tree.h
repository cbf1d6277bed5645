#pragma once

#include "views/topology/topology_layout.h"

#include <set>
#include <string>

namespace stagecraft::views::topology {

/// A part of a server that has one place: a device, a switch, or switches in one box.
struct ServerUnit {
    enum class Kind { device, box, nic, nicBar, nvBar } kind = Kind::box;
    std::vector<int> members;   ///< a device, or switches
    int depth = 0;              ///< 0: a root
    int lowestDevice = 0;       ///< below it; a large number if there is none
    std::vector<int> children;  ///< indices into ServerTree::units
};

/// Of more network cards than this the equally fast ones of a server are one box until opened.
inline constexpr int mostSingleNics = 4;

/// A server as a tree: sockets (or what else its PCIe comes together in) as roots, then PCIe switches, and
/// devices and network cards as leaves. Links between sockets, between devices and to NVSwitches are no part
/// of it.
class ServerTree {
public:
    /// Adds the stacks of the server to the layout.
    /// @param isOpen whether the server's network cards are shown one by one
    ServerTree(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout, int server,
               bool isOpen);

    std::vector<ServerUnit> units;
    std::vector<int> roots;  ///< in order of their devices
    std::vector<int> loose;  ///< devices that hang on no switch
    int levels = 0;          ///< rows of switches
    int nicBars = 0;
    int nvBars = 0;
    bool isUnfolded = false;  ///< network cards that would be one box are shown one by one

    bool isTree() const { return !roots.empty(); }

private:
    void addUnits();
    void foldNics(std::vector<ServerUnit> cards);
    void addStack(const ServerUnit& unit, int cards, bool folded);
    void join();
    void growFrom(const std::vector<int>& start);
    int bestRoot() const;
    int settle(int unit, int depth);
    bool liesApart(int a, int b) const;
    double rateOf(const ServerUnit& unit) const;
    bool forwards(int unit) const {
        return units[static_cast<std::size_t>(unit)].kind == ServerUnit::Kind::box;
    }

    const Cluster& cluster_;
    const ClusterGraph& graph_;
    TopologyLayout& layout_;
    const ServerBox& box_;
    int server_;
    bool isOpen_;
    std::vector<std::vector<int>> neighbours_;
    std::vector<bool> reached_;
};

}  // namespace stagecraft::views::topology
