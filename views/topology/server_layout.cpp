#include "views/topology/server_layout.h"

#include "views/topology/machine_places.h"
#include "views/topology/placed_server.h"

#include <algorithm>
#include <map>

namespace stagecraft::views {

namespace {

bool hasGivenPlace(const Cluster& cluster, const ServerBox& box) {
    const auto isGiven = [&](const std::string& id) { return cluster.layout.contains(id); };
    if (box.devices.empty())
        return std::any_of(box.switches.begin(), box.switches.end(), [&](int index) {
            return isGiven(cluster.switches[static_cast<std::size_t>(index)].id);
        });
    return std::any_of(box.devices.begin(), box.devices.end(), [&](int device) {
        return isGiven(cluster.devices[static_cast<std::size_t>(device)].id);
    });
}

void setBox(const TopologyLayout& layout, ServerBox& box) {
    QRectF content;
    for (const int device : box.devices) content |= layout.devices[static_cast<std::size_t>(device)];
    for (const int index : box.switches) content |= layout.switches[static_cast<std::size_t>(index)];
    for (const auto& [socket, frame] : box.frames) content |= frame;
    QRectF lines;
    for (const DirectLine& line : box.direct) lines |= line.route.boundingRect();
    for (const DirectHub& hub : box.hubs) lines |= hub.label;
    if (!lines.isEmpty()) content.setBottom(std::max(content.bottom(), lines.bottom()));
    box.box = content.adjusted(-serverPadding, -serverHeader, serverPadding, serverPadding);
}

}  // namespace

bool layOutServer(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout, int server,
                  bool isOpen) {
    ServerBox& box = layout.servers[static_cast<std::size_t>(server)];
    const ServerTree tree(cluster, graph, layout, server, isOpen);
    const bool placed = hasGivenPlace(cluster, box);
    if (placed)
        PlacedServer(cluster, graph, layout, server, tree).run();
    else
        MachinePlaces(cluster, graph, layout, server, tree).run();
    setFrames(tree, layout, box);
    setBox(layout, box);
    return placed;
}

std::vector<int> switchLevels(const ClusterGraph& graph, const std::vector<int>& switches,
                              const std::function<bool(ClusterNode)>& isBase) {
    std::map<int, int> level;  // 0: not reached yet
    for (const int index : switches) level[index] = 0;
    const auto reached = [&](ClusterNode node, int below) {
        if (below == 0) return isBase(node);
        const auto entry = level.find(node.index);
        return node.kind == ClusterNode::Kind::switchNode && entry != level.end() && entry->second == below;
    };
    for (int next = 1, found = 1; found > 0; ++next) {
        found = 0;
        for (auto& [index, own] : level) {
            if (own != 0) continue;
            const ClusterNode self{ClusterNode::Kind::switchNode, index};
            const std::vector<int>& edges = graph.edgesOf(self);
            if (std::none_of(edges.begin(), edges.end(),
                             [&](int edge) { return reached(graph.other(edge, self), next - 1); }))
                continue;
            own = next;
            ++found;
        }
    }
    std::vector<int> result;
    for (const int index : switches) result.push_back(std::max(1, level[index]));
    return result;
}

std::vector<double> spreadRow(const std::vector<double>& centres, double width, double gap, double left,
                              double available) {
    std::vector<double> lefts;
    for (const double centre : centres) {
        const double wanted = std::max(left, centre - width / 2);
        lefts.push_back(lefts.empty() ? wanted : std::max(wanted, lefts.back() + width + gap));
    }
    const double needed = static_cast<double>(centres.size()) * (width + gap) - gap;
    double limit = left + std::max(available, needed) - width;
    for (auto edge = lefts.rbegin(); edge != lefts.rend(); ++edge) {
        *edge = std::min(*edge, limit);
        limit = *edge - width - gap;
    }
    return lefts;
}

}  // namespace stagecraft::views
