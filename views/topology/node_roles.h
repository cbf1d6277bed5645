#pragma once

#include "views/topology/topology_layout.h"

#include <QString>

namespace stagecraft::views::topology {

/// What each switch is, by index into Cluster::switches: read off its name ("s0pcie1", "cpu0", "net-mlx5_4"),
/// else off the links that it has.
std::vector<NodeRole> switchRoles(const Cluster& cluster, const ClusterGraph& graph);

/// A server's part of an id taken away: "g3" for "s0g3" or "s0-g3" of server s0.
QString withoutServer(const QString& id, const QString& server);

/// What people call the devices and switches of a cluster: "GPU 3", "NIC mlx5_4", "PCIe switch 1". Where two
/// things of a server would have the same name both keep their ids.
class NodeNames {
public:
    NodeNames(const Cluster& cluster, const TopologyLayout& layout);

    const QString& of(ClusterNode node) const;
    /// Of a switch and what is drawn in one box with it: "8 × NIC", "NIC mlx5_0, mlx5_1".
    QString ofStack(const TopologyLayout& layout, int switchIndex) const;
    /// From the name to the shortest that still says which: "PCIe switch 1", "PCIe 1", "1"; "s1–s3 (×3)",
    /// "s1–s3", "×3".
    static QStringList wordings(const QString& name);
    /// "g0r1" for "group0router1"; empty for a name with fewer numbers.
    static QString initials(const QString& name);

private:
    std::vector<QString> devices_, switches_;
};

}  // namespace stagecraft::views::topology
