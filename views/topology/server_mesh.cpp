#include "views/topology/server_mesh.h"

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::views::topology {

namespace {

constexpr std::size_t fewestInMesh = 4;
constexpr double besideHub = 10, aboveHub = 24;  // room for lines
constexpr double aboveServers = 44;

/// What is linked to a server, and to what of them a path leads.
class ServerPairs {
public:
    ServerPairs(const ClusterGraph& graph, const TopologyLayout& layout) {
        for (const ClusterGraph::Edge& edge : graph.edges) {
            const int a = layout.server(edge.a), b = layout.server(edge.b);
            if (a < 0 || b < 0 || a == b) continue;
            next_[a].insert(b);
            next_[b].insert(a);
        }
    }

    /// The servers that paths lead to from each other.
    std::vector<std::vector<int>> groups() const {
        std::set<int> seen;
        std::vector<std::vector<int>> all;
        for (const auto& [first, others] : next_) {
            if (seen.contains(first)) continue;
            std::vector<int> group = {first};
            seen.insert(first);
            for (std::size_t i = 0; i < group.size(); ++i)
                for (const int other : next_.at(group[i]))
                    if (seen.insert(other).second) group.push_back(other);
            std::sort(group.begin(), group.end());
            all.push_back(std::move(group));
        }
        return all;
    }
    bool isFull(const std::vector<int>& group) const {
        return std::all_of(group.begin(), group.end(),
                           [&](int server) { return next_.at(server).size() + 1 == group.size(); });
    }

private:
    std::map<int, std::set<int>> next_;
};

bool isFree(const TopologyLayout& layout, const QRectF& rect) {
    const QRectF room = rect.adjusted(-besideHub, -aboveHub, besideHub, aboveHub);
    const auto meets = [&room](const QRectF& other) { return other.intersects(room); };
    for (const ServerBox& server : layout.servers)
        if (meets(server.box)) return false;
    for (const ServerMesh& mesh : layout.meshes)
        if (meets(mesh.hub)) return false;
    for (std::size_t i = 0; i < layout.switches.size(); ++i)
        if (layout.serverOfSwitch[i] < 0 && meets(layout.switches[i])) return false;
    return true;
}

}  // namespace

std::vector<ServerMesh> findMeshes(const ClusterGraph& graph, const TopologyLayout& layout) {
    const ServerPairs pairs(graph, layout);
    std::vector<ServerMesh> meshes;
    for (std::vector<int>& group : pairs.groups())
        if (group.size() >= fewestInMesh && pairs.isFull(group)) meshes.push_back({std::move(group), {}});
    return meshes;
}

void placeMeshes(TopologyLayout& layout) {
    for (ServerMesh& mesh : layout.meshes) {
        QRectF servers, all;
        for (const int server : mesh.servers) servers |= layout.servers[static_cast<std::size_t>(server)].box;
        for (const ServerBox& server : layout.servers) all |= server.box;
        for (const QRectF& node : layout.switches) all |= node;
        QRectF hub(QPointF(), meshHubSize);
        hub.moveCenter(servers.center());
        if (!isFree(layout, hub)) hub.moveBottom(all.top() - aboveServers);
        while (!isFree(layout, hub)) hub.translate(0, -meshHubSize.height() - aboveServers);
        mesh.hub = hub;
    }
}

}  // namespace stagecraft::views::topology
