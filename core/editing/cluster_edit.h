#pragma once

#include "core/model/cluster.h"

#include <unordered_map>
#include <unordered_set>

namespace stagecraft::editing {

/// Things of a cluster: indices into its devices, switches and links, ascending. A server is chosen by
/// choosing everything in it.
struct ClusterPart {
    std::vector<int> devices;
    std::vector<int> switches;
    std::vector<int> links;

    bool isEmpty() const { return devices.empty() && switches.empty() && links.empty(); }
    std::size_t size() const { return devices.size() + switches.size() + links.size(); }
    bool operator==(const ClusterPart&) const = default;
};

/// Ids and names of servers that a cluster does not use yet.
class FreshNames {
public:
    explicit FreshNames(const Cluster& cluster);
    /// `stem` followed by the least number that makes an id of its own; from then on it is taken.
    std::string numbered(const std::string& stem);
    /// `wanted` itself if it is free, else with a number appended.
    std::string like(const std::string& wanted);
    /// "s0", "s1", …
    std::string server();

private:
    std::unordered_set<std::string> ids_, servers_;
};

/// The names of all servers, in the order in which devices and then switches first name them.
std::vector<std::string> serverNames(const Cluster& cluster);
/// Every device and switch of the server.
ClusterPart serverPart(const Cluster& cluster, const std::string& server);

/// A copy of `like` as a device of `server` (empty: of a new one) with an id of its own, its centre at `at`.
/// @return its index
int addDevice(Cluster& cluster, Device like, const std::string& server, Point at);
/// A switch called `stem` and a number after the server's name; `server` is empty for one of the network.
int addSwitch(Cluster& cluster, const std::string& stem, const std::string& server, Point at);

/// Removes the selected part, the links attached to it, and their positions.
void removePart(Cluster& cluster, const ClusterPart& part);

/// The selected part as a cluster of its own, with all links whose ends are both in it. A link that is
/// selected without its ends is left out.
Cluster extractPart(const Cluster& cluster, const ClusterPart& part);

/// Adds all of `other`, moved by `by`, under ids and names of servers that are not taken. `into` names the
/// server of this cluster that takes what is in a server of `other`.
/// @return what was added
ClusterPart insertCluster(Cluster& cluster, const Cluster& other, Point by,
                          const std::unordered_map<std::string, std::string>& into = {});

/// A copy of the devices and switches chosen for each of `offsets`, with the links among them and those that
/// lead out of them, which lead to the same place. A server that is chosen with everything in it becomes a
/// new server, a part of one stays in it.
/// @return what was added
ClusterPart duplicatePart(Cluster& cluster, const ClusterPart& part, const std::vector<Point>& offsets);

/// Moves the places of the devices and switches chosen; one without a place stays without.
void movePart(Cluster& cluster, const ClusterPart& part, Point by);

/// Moves the devices and switches chosen to another server; of switches, those of the network stay there. An
/// id that began with the name of the old server begins with that of the new one, and links follow it.
void movePartToServer(Cluster& cluster, const ClusterPart& part, const std::string& server);
/// Each of them to a server of its own, in the same way.
void moveApart(Cluster& cluster, const ClusterPart& part);

}  // namespace stagecraft::editing
