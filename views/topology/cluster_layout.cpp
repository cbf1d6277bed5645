#include "views/topology/cluster_layout.h"

#include "views/topology/node_roles.h"
#include "views/topology/rack_layout.h"
#include "views/topology/server_grid.h"
#include "views/topology/server_layout.h"
#include "views/topology/server_mesh.h"
#include "views/topology/switch_rows.h"

#include <algorithm>
#include <optional>
#include <set>

namespace stagecraft::views::topology {

namespace {

constexpr double rackStreet = 2 * street;
constexpr double networkRowGap = 44;  // between rows of network switches
constexpr double margin = 4;

/// The unplaced network switches in rows from bottom to top, each sorted from left to right.
class NetworkRows {
public:
    NetworkRows(const ClusterGraph& graph, TopologyLayout& layout, std::vector<int> switches)
        : graph_(graph), layout_(layout) {
        const std::vector<int> levels =
            switchLevels(graph, switches, [&](ClusterNode node) { return layout_.server(node) >= 0; });
        const int top = levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end());
        byLevel_.resize(static_cast<std::size_t>(top));
        for (std::size_t i = 0; i < switches.size(); ++i)
            byLevel_[static_cast<std::size_t>(levels[i] - 1)].push_back(switches[i]);
    }

    int levels() const { return static_cast<int>(byLevel_.size()); }
    /// Below the lowest row, for the lanes of lines to many switches.
    double roomForLanes() const {
        constexpr int fewSwitches = 4, most = 12;
        const int lowest = byLevel_.empty() ? 0 : static_cast<int>(byLevel_.front().size());
        return lanePitch * std::clamp(lowest - fewSwitches, 0, most - fewSwitches);
    }

    /// Of a level that is one row; one of very many is several.
    double widest() const {
        constexpr std::size_t mostInARow = 12;
        std::size_t most = 1;
        for (const std::vector<int>& level : byLevel_)
            most = std::max(most, std::min(level.size(), mostInARow));
        return static_cast<double>(most) * (switchSize.width() + switchGap) - switchGap;
    }

    static int rowsFor(std::size_t count, double width) {
        const int each = perRow(width, count);
        return (static_cast<int>(count) + each - 1) / each;
    }
    double height(double width) const {
        double sum = 0;
        for (const std::vector<int>& level : byLevel_)
            sum += rowsFor(level.size(), width) * (switchSize.height() + networkRowGap);
        return sum;
    }

    /// Rows grow upwards from `bottom`.
    void place(double left, double width, double bottom) {
        double y = bottom;
        for (const std::vector<int>& level : byLevel_) {
            std::vector<std::pair<double, int>> wanted;
            for (const int index : level) wanted.emplace_back(meanBelow(index, left + width / 2), index);
            std::sort(wanted.begin(), wanted.end());
            const int each = perRow(width, level.size());
            for (std::size_t first = 0; first < wanted.size(); first += static_cast<std::size_t>(each)) {
                const std::size_t end = std::min(wanted.size(), first + static_cast<std::size_t>(each));
                y -= switchSize.height() + networkRowGap;
                std::vector<double> centres;
                for (std::size_t i = first; i < end; ++i) centres.push_back(wanted[i].first);
                const double needed =
                    static_cast<double>(centres.size()) * (switchSize.width() + switchGap) - switchGap;
                const double out = std::max(0.0, needed - width) / 2;
                const std::vector<double> lefts =
                    spreadRow(centres, switchSize.width(), switchGap, left - out, width + 2 * out);
                for (std::size_t i = first; i < end; ++i)
                    layout_.setSwitch(wanted[i].second, QRectF(QPointF(lefts[i - first], y), switchSize));
            }
        }
    }

private:
    /// A level that is little wider than the servers is one row all the same.
    static int perRow(double width, std::size_t count) {
        constexpr double littleWider = 1.25;
        const auto fitting = [](double room) {
            return std::max(1, static_cast<int>((room + switchGap) / (switchSize.width() + switchGap)));
        };
        const int all = static_cast<int>(count);
        return fitting(littleWider * width) >= all ? std::max(1, all) : fitting(width);
    }

    /// Mean centre of the servers and already placed switches that the switch joins.
    double meanBelow(int index, double otherwise) const {
        const ClusterNode self{ClusterNode::Kind::switchNode, index};
        double sum = 0;
        int count = 0;
        for (const int edge : graph_.edgesOf(self)) {
            const ClusterNode end = graph_.other(edge, self);
            const int server = layout_.server(end);
            const QRectF& box =
                server >= 0 ? layout_.servers[static_cast<std::size_t>(layout_.drawnServer(server))].box
                            : layout_.rect(end);
            if (box.isEmpty()) continue;
            sum += box.center().x();
            ++count;
        }
        return count ? sum / count : otherwise;
    }

    const ClusterGraph& graph_;
    TopologyLayout& layout_;
    std::vector<std::vector<int>> byLevel_;
};

void groupIntoServers(const Cluster& cluster, TopologyLayout& layout) {
    std::unordered_map<std::string, int> known;
    const auto serverNamed = [&](const std::string& name) {
        const auto [entry, added] = known.try_emplace(name, static_cast<int>(layout.servers.size()));
        if (added) layout.servers.push_back({name, {}, {}, {}, {}, {}, {}});
        return entry->second;
    };
    for (int i = 0; i < cluster.deviceCount(); ++i) {
        const int server = serverNamed(cluster.devices[static_cast<std::size_t>(i)].server);
        layout.serverOfDevice.push_back(server);
        layout.servers[static_cast<std::size_t>(server)].devices.push_back(i);
    }
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const std::string& name = cluster.switches[i].server;
        const int server = name.empty() ? -1 : serverNamed(name);
        layout.serverOfSwitch.push_back(server);
        if (server >= 0)
            layout.servers[static_cast<std::size_t>(server)].switches.push_back(static_cast<int>(i));
    }
    layout.devices.resize(cluster.devices.size());
    layout.switches.resize(cluster.switches.size());
}

std::vector<int> networkSwitchesToPlace(const Cluster& cluster, TopologyLayout& layout) {
    std::vector<int> unplaced;
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        if (layout.serverOfSwitch[i] >= 0 || !layout.isDrawn(static_cast<int>(i))) continue;
        const auto given = cluster.layout.find(cluster.switches[i].id);
        if (given == cluster.layout.end()) {
            if (layout.switches[i].isEmpty()) unplaced.push_back(static_cast<int>(i));
        } else {
            QRectF rect(QPointF(), switchSize);
            rect.moveCenter(QPointF(given->second.x, given->second.y));
            layout.setSwitch(static_cast<int>(i), rect);
        }
    }
    return unplaced;
}

QRectF unionOf(const TopologyLayout& layout) {
    QRectF all;
    for (const ServerBox& server : layout.servers)
        all |= server.isGroup() ? server.box.adjusted(0, -groupPile, groupPile, 0) : server.box;
    for (const QRectF& rect : layout.switches) all |= rect;
    for (const ServerMesh& mesh : layout.meshes) all |= mesh.hub;
    return all;
}

/// How many of the servers, in their order, each leaf switch joins (the last may have fewer), if each is
/// linked to one leaf alone; else 1.
int serversPerLeaf(const ClusterGraph& graph, const TopologyLayout& layout,
                   const std::vector<std::size_t>& servers) {
    std::vector<std::set<int>> leaves(layout.servers.size());
    for (const ClusterGraph::Edge& edge : graph.edges)
        for (const auto& [end, other] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)})
            if (const int server = layout.server(end); server >= 0 && layout.server(other) != server)
                leaves[static_cast<std::size_t>(server)].insert(layout.server(other) < 0 ? other.index : -1);
    std::vector<std::pair<int, int>> runs;  // a leaf, servers
    for (const std::size_t server : servers) {
        if (leaves[server].size() != 1 || *leaves[server].begin() < 0) return 1;
        const int leaf = *leaves[server].begin();
        if (runs.empty() || runs.back().first != leaf) runs.emplace_back(leaf, 0);
        ++runs.back().second;
    }
    if (runs.size() < 2 || runs.back().second > runs.front().second) return 1;
    const bool alike = std::all_of(runs.begin(), runs.end() - 1,
                                   [&](const auto& run) { return run.second == runs.front().second; });
    return alike ? runs.front().second : 1;
}

/// The servers that have no place yet, and the network switches. @param alone nothing else has a place
void placeInGrid(const ClusterGraph& graph, TopologyLayout& layout, const std::vector<bool>& isPlaced,
                 QPointF origin, NetworkRows& network, bool alone) {
    if (hasFolds(layout)) {
        placeFolded(layout, isPlaced, origin);
        const QRectF all = unionOf(layout);
        const double width = std::max(all.width(), network.widest());
        return network.place(all.center().x() - width / 2, width, all.top());
    }
    std::vector<std::size_t> inGrid;
    std::vector<QSizeF> sizes;
    for (std::size_t i = 0; i < layout.servers.size(); ++i) {
        if (isPlaced[i]) continue;
        inGrid.push_back(i);
        sizes.push_back(layout.servers[i].box.size());
    }
    const ServerGrid grid(sizes, serversPerLeaf(graph, layout, inGrid));

    // Two rows of servers and one level of switches: the switches are in the street between. So is the hub
    // of a mesh, if there is a street in the middle.
    const bool between = alone && grid.rows() == 2 && network.levels() == 1;
    const bool hasHub = alone && grid.rows() % 2 == 0 && network.levels() == 0 && !layout.meshes.empty();
    const double middle = between ? network.height(grid.width()) : hasHub ? meshHubSize.height() : 0;
    for (std::size_t i = 0; i < inGrid.size(); ++i) {
        ServerBox& server = layout.servers[inGrid[i]];
        const int index = static_cast<int>(i);
        const QPointF lower(0, grid.rowOf(index) >= (grid.rows() + 1) / 2 ? middle : 0);
        moveServer(layout, server, origin + grid.corner(index) + lower - server.box.topLeft());
    }
    QRectF servers;
    for (const ServerBox& server : layout.servers) servers |= server.box;
    const double width = std::max(servers.width(), switchSize.width());
    network.place(servers.left(), width,
                  between ? grid.top(1) + middle - (street - networkRowGap) / 2
                          : unionOf(layout).top() - network.roomForLanes());
}

/// The racks of which nothing has a place, in a grid below what has one.
class RackGrid {
public:
    RackGrid(const Cluster& cluster, TopologyLayout& layout, const std::vector<Rack>& racks,
             const std::vector<bool>& isPlaced)
        : layout_(layout) {
        const auto given = [&](int index) {
            return cluster.layout.contains(cluster.switches[static_cast<std::size_t>(index)].id);
        };
        for (const Rack& rack : racks)
            if (std::none_of(rack.switches.begin(), rack.switches.end(), given) &&
                std::none_of(rack.servers.begin(), rack.servers.end(),
                             [&](int server) { return isPlaced[static_cast<std::size_t>(server)]; }))
                racks_.push_back(&rack);
    }

    /// @param isPlaced set for the servers of the racks @returns what they take
    QRectF place(QPointF corner, std::vector<bool>& isPlaced) {
        if (racks_.empty()) return {};
        QSizeF cell(0, 0);
        for (const Rack* rack : racks_) {
            cell = cell.expandedTo(placeRack(layout_, *rack, corner).size());
            for (const int server : rack->servers) isPlaced[static_cast<std::size_t>(server)] = true;
        }
        cell += QSizeF(rackStreet - street, rackStreet - street);
        const ServerGrid grid(std::vector<QSizeF>(racks_.size(), cell), 1);
        QRectF all;
        for (std::size_t i = 0; i < racks_.size(); ++i)
            all |= placeRack(layout_, *racks_[i], corner + grid.corner(static_cast<int>(i)));
        return all;
    }

private:
    TopologyLayout& layout_;
    std::vector<const Rack*> racks_;
};

}  // namespace

TopologyLayout layOut(const Cluster& cluster, const ClusterGraph& graph,
                      const std::set<std::string>& openServers, const FoldChoice& choice) {
    const TopologyLayout parts = layoutOfParts(cluster, graph);
    std::optional<LikeParts> alike;
    if (wantsFolds(parts, choice)) alike.emplace(cluster, graph, parts);
    return layOutParts(cluster, graph, parts, alike ? &*alike : nullptr, openServers, choice);
}

TopologyLayout layoutOfParts(const Cluster& cluster, const ClusterGraph& graph) {
    TopologyLayout layout;
    groupIntoServers(cluster, layout);
    layout.roles = switchRoles(cluster, graph);
    layout.stackOf.assign(cluster.switches.size(), -1);
    return layout;
}

TopologyLayout layOutParts(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& parts,
                           const LikeParts* alike, const std::set<std::string>& openServers,
                           const FoldChoice& choice) {
    TopologyLayout layout = parts;
    if (wantsFolds(parts, choice)) foldLike(cluster, graph, *alike, layout, choice);
    std::vector<Rack> racks;
    if (!hasFolds(layout)) {
        racks = findRacks(cluster, graph, layout);
        layout.meshes = findMeshes(graph, layout);
    }

    std::vector<bool> isPlaced(layout.servers.size());
    QRectF placed;
    for (std::size_t i = 0; i < layout.servers.size(); ++i) {
        if (layout.servers[i].foldedInto >= 0 || layout.servers[i].isGroup()) continue;
        const bool isOpen = openServers.contains(layout.servers[i].name);
        isPlaced[i] = layOutServer(cluster, graph, layout, static_cast<int>(i), isOpen);
        if (isPlaced[i]) placed |= layout.servers[i].box;
    }
    const auto below = [&] {
        return placed.isEmpty() ? QPointF(0, 0) : placed.bottomLeft() + QPointF(0, street);
    };
    placed |= RackGrid(cluster, layout, racks, isPlaced).place(below(), isPlaced);
    NetworkRows network(graph, layout, networkSwitchesToPlace(cluster, layout));
    placeInGrid(graph, layout, isPlaced, below(), network, placed.isEmpty());
    growRackBars(layout, racks);
    placeMeshes(layout);
    layout.bounds = unionOf(layout).adjusted(-margin, -margin, margin, margin);
    return layout;
}

}  // namespace stagecraft::views::topology
