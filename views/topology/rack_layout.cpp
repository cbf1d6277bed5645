#include "views/topology/rack_layout.h"

#include "views/topology/switch_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace stagecraft::views::topology {

namespace {

constexpr double barStreet = 40;  // beside the bar
constexpr double overhang = 40;   // of the bar, so that the lines in the street below the last row reach it
constexpr double rackAspect = 1.6;
constexpr int mostPerSide = 3;      // so that the lines of a row of servers have room in the street below it
constexpr double emptyPlace = 0.3;  // how much worse a whole side without servers is than a wrong aspect

bool isRackSwitch(const TopologyLayout& layout, int index) {
    const auto i = static_cast<std::size_t>(index);
    return layout.serverOfSwitch[i] < 0 && layout.roles[i] == NodeRole::nvSwitch;
}

std::set<int> serversOf(const ClusterGraph& graph, const TopologyLayout& layout, int index) {
    const ClusterNode self{ClusterNode::Kind::switchNode, index};
    std::set<int> servers;
    for (const int edge : graph.edgesOf(self))
        if (const int server = layout.server(graph.other(edge, self)); server >= 0) servers.insert(server);
    return servers;
}

/// Those that join the same servers from the same place are drawn as one. @return the drawn ones
std::vector<int> stackUp(const Cluster& cluster, TopologyLayout& layout,
                         const std::map<int, std::set<int>>& servers) {
    const auto placeOf = [&](int index) {
        const auto given = cluster.layout.find(cluster.switches[static_cast<std::size_t>(index)].id);
        return given == cluster.layout.end() ? std::tuple(false, 0.0, 0.0)
                                             : std::tuple(true, given->second.x, given->second.y);
    };
    std::map<std::pair<std::set<int>, std::tuple<bool, double, double>>, std::vector<int>> alike;
    for (const auto& [index, joined] : servers) alike[{joined, placeOf(index)}].push_back(index);
    std::vector<int> drawn;
    for (const auto& [key, members] : alike) {
        drawn.push_back(members.front());
        if (members.size() < 2) continue;
        for (const int member : members)
            layout.stackOf[static_cast<std::size_t>(member)] = static_cast<int>(layout.stacks.size());
        layout.stacks.push_back({members, static_cast<int>(members.size()), false});
    }
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

/// Servers on one side of the bar in a row.
int serversASide(int servers, QSizeF cell, double barWidth) {
    int best = 1;
    double bestCost = std::numeric_limits<double>::infinity();
    for (int each = 1; each <= mostPerSide; ++each) {
        const int rows = (servers + 2 * each - 1) / (2 * each);
        const double width = 2 * each * (cell.width() + street) - 2 * street + 2 * barStreet + barWidth;
        const double height = rows * (cell.height() + street) - street;
        const double missing = static_cast<double>(2 * each * rows - servers) / (2 * each);
        const double cost = std::abs(std::log(width / height / rackAspect)) + emptyPlace * missing;
        if (cost >= bestCost) continue;
        bestCost = cost;
        best = each;
    }
    return best;
}

}  // namespace

void moveServer(TopologyLayout& layout, ServerBox& server, QPointF by) {
    server.translate(by);
    for (const int device : server.devices) layout.devices[static_cast<std::size_t>(device)].translate(by);
    for (const int index : server.switches) layout.switches[static_cast<std::size_t>(index)].translate(by);
}

std::vector<Rack> findRacks(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout) {
    std::map<int, std::set<int>> joined;
    std::vector<int> rackOf(layout.servers.size());
    std::iota(rackOf.begin(), rackOf.end(), 0);
    const auto find = [&](int server) {
        while (rackOf[static_cast<std::size_t>(server)] != server)
            server = rackOf[static_cast<std::size_t>(server)];
        return server;
    };
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        if (!isRackSwitch(layout, static_cast<int>(i))) continue;
        const std::set<int> servers = serversOf(graph, layout, static_cast<int>(i));
        if (servers.size() < 2) continue;
        joined[static_cast<int>(i)] = servers;
        const int first = find(*servers.begin());
        for (const int server : servers) {
            const int other = find(server);
            rackOf[static_cast<std::size_t>(std::max(first, other))] = std::min(first, other);
        }
    }
    if (joined.empty()) return {};
    std::map<int, Rack> racks;
    for (const int index : stackUp(cluster, layout, joined))
        racks[find(*joined[index].begin())].switches.push_back(index);
    for (std::size_t server = 0; server < layout.servers.size(); ++server)
        if (const auto rack = racks.find(find(static_cast<int>(server))); rack != racks.end())
            rack->second.servers.push_back(static_cast<int>(server));
    std::vector<Rack> all;
    for (auto& [first, rack] : racks) all.push_back(std::move(rack));
    return all;
}

QRectF placeRack(TopologyLayout& layout, const Rack& rack, QPointF corner) {
    QSizeF cell(0, 0);
    for (const int server : rack.servers)
        cell = cell.expandedTo(layout.servers[static_cast<std::size_t>(server)].box.size());
    const int bars = static_cast<int>(rack.switches.size());
    const double barWidth = bars * (switchSize.width() + barStreet) - barStreet;
    const int each = serversASide(static_cast<int>(rack.servers.size()), cell, barWidth);
    const double side = each * (cell.width() + street) - street;
    QRectF all;
    std::size_t next = 0;
    for (int row = 0; next < rack.servers.size(); ++row) {
        // A last row that is not full is about the bar.
        const int count = std::min(2 * each, static_cast<int>(rack.servers.size() - next));
        const int onLeft = (count + 1) / 2;
        for (int i = 0; i < count; ++i) {
            ServerBox& server = layout.servers[static_cast<std::size_t>(rack.servers[next++])];
            const double fromBar = i < onLeft
                                       ? -(onLeft - i) * (cell.width() + street) + street
                                       : barWidth + 2 * barStreet + (i - onLeft) * (cell.width() + street);
            const QPointF place(side + fromBar, row * (cell.height() + street));
            moveServer(layout, server, corner + place - server.box.topLeft());
            all |= server.box;
        }
    }
    const double height = all.height() + 2 * overhang;
    for (int bar = 0; bar < bars; ++bar) {
        const QRectF rect(corner.x() + side + barStreet + bar * (switchSize.width() + barStreet),
                          corner.y() - overhang, switchSize.width(), height);
        const int index = rack.switches[static_cast<std::size_t>(bar)];
        layout.setSwitch(index, rect);
        all |= rect;
    }
    return all;
}

void growRackBars(TopologyLayout& layout, const std::vector<Rack>& racks) {
    for (const Rack& rack : racks) {
        QRectF servers;
        for (const int server : rack.servers) servers |= layout.servers[static_cast<std::size_t>(server)].box;
        for (const int index : rack.switches) {
            const QRectF own = layout.switches[static_cast<std::size_t>(index)];
            if (own.isEmpty() || own.height() > switchSize.height() + 1 || !servers.contains(own.center()))
                continue;
            QRectF bar(0, 0, own.width(), servers.height() + 2 * overhang);
            bar.moveCenter(own.center());
            const bool meetsServer =
                std::any_of(layout.servers.begin(), layout.servers.end(),
                            [&](const ServerBox& server) { return server.box.intersects(bar); });
            bool meetsSwitch = false;
            for (std::size_t i = 0; i < layout.switches.size(); ++i)
                meetsSwitch = meetsSwitch || (layout.serverOfSwitch[i] < 0 && layout.switches[i] != own &&
                                              layout.switches[i].intersects(bar));
            if (!meetsServer && !meetsSwitch) layout.setSwitch(index, bar);
        }
    }
}

}  // namespace stagecraft::views::topology
