#include "views/topology/server_layout.h"

#include "views/topology/machine_places.h"
#include "views/topology/placed_server.h"
#include "views/topology/switch_rows.h"

#include <algorithm>

namespace stagecraft::views::topology {

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
    constexpr double overFrames = 6;  // so that the name does not stand on them
    const double head = serverHeader + (box.frames.empty() ? 0 : overFrames);
    box.box = content.adjusted(-serverPadding, -head, serverPadding, serverPadding);
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
    constexpr QSizeF foldSize(84, 20);
    QRectF button(box.box.topRight() + QPointF(-foldSize.width() - 6, 4), foldSize);
    if (box.besideGroup >= 0) {
        box.close = button;
        button.moveRight(button.left() - 6);
    }
    if (tree.isUnfolded) box.fold = button;
    return placed;
}

}  // namespace stagecraft::views::topology
